"""Training of relation models: examples, the network, its selection and its export."""

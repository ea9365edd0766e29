"""Knowledge probing: what a masked language model fills into queries about triples."""

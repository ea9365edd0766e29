"""Relations between the entities of a document: pairs, what the network reads of them, the step."""

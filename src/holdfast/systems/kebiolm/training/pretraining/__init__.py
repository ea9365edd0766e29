"""Pre-training: annotated text, masking, the network with its entity memory, its losses."""

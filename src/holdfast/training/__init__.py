"""Trains the models and exports what the rest of the package reads. Needs the extra `train`."""

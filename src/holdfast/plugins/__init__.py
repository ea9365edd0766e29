"""Holdfast inside other tools: spaCy, pandas, assistants. Each module needs its own extra."""

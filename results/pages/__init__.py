"""Makes the pages of results/, the project README's tables and the shipped models' figures.

Everything comes from the JSON files in results/; `make_pages.py` beside this folder writes it.
"""

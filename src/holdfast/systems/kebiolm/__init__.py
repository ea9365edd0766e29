"""KeBioLM: a language model that reads a knowledge base, and relations between entities."""

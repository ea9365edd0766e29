"""Finds biomedical mentions in text, links them to concepts in a knowledge base, and says why."""

"""Relation triples of knowledge bases, and vectors that were learned from them."""

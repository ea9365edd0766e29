"""How notebooks show documents and concepts."""

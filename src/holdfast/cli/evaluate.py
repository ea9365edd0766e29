from __future__ import annotations
def evaluate() -> None:
    """x"""

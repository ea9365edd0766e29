from __future__ import annotations
def reproduce() -> None:
    """x"""

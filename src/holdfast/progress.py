"""How work that takes long tells what it does."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, float], None]
"""Called with what is being done and the part of it that is done, in [0, 1]."""
Log = Callable[[str], None]
"""Called with lines for people."""


def ignore_progress(_what: str, _done: float) -> None:
    """Tell nobody."""

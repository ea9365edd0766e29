"""Models beside the package: which there are, and how one is put into the home folder."""

from __future__ import annotations

from typing import Final

_OFFERED: Final[tuple[str, ...]] = ()


def is_offered(name: str) -> bool:
    """Whether `holdfast models get NAME` can fetch it."""
    return name in _OFFERED

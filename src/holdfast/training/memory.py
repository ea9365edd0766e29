"""Keeps freed memory for the next training step.

A step frees and takes the same hundreds of megabytes again. Given back to the system in between,
every page of them is cleared and mapped anew, which takes up to a third of a step.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Final

# The parameters of glibc's mallopt, and the values that they get.
_KEEP_FREED: Final = (
    (-4, 0),  # M_MMAP_MAX: no allocation has a mapping of its own
    (-1, 2**31 - 1),  # M_TRIM_THRESHOLD: free memory at the top stays
    (-2, 256 << 20),  # M_TOP_PAD: the heap grows by so much
)


def keep_freed_memory() -> None:
    """Have the C library keep what is freed; without glibc, nothing changes."""
    if not sys.platform.startswith("linux"):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        for parameter, value in _KEEP_FREED:
            mallopt(parameter, value)

"""Where mentions are among the tokens of a document, and in which window they are read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from holdfast.encoders.tokens import Tokens
from holdfast.text.windows import Window


def span_of(tokens: Tokens, start: int, end: int) -> tuple[int, int] | None:
    """The first and the last token that touch these code points; None if none does."""
    first = int(np.searchsorted(tokens.ends, start, side="right"))
    last = int(np.searchsorted(tokens.starts, end, side="left")) - 1
    return (first, last) if first <= last else None


def window_of(span: tuple[int, int], windows: Sequence[Window]) -> int:
    """The number of the window that keeps the middle of the span."""
    middle = (span[0] + span[1]) // 2
    lasts = [window.last for window in windows]
    return min(int(np.searchsorted(lasts, middle, side="right")), len(windows) - 1)


def inside(span: tuple[int, int], window: Window) -> tuple[int, int]:
    """The span counted from the window's start, cut at its ends."""
    first, last = (min(max(at, window.start), window.end - 1) - window.start for at in span)
    return first, last


def word_of_token(tokens: Tokens) -> npt.NDArray[np.int64]:
    """The number of the word that each token belongs to, from 0. *Shape:* (tokens,)."""
    begins = np.zeros(len(tokens), dtype=np.int64)
    begins[tokens.words] = 1
    return np.maximum(np.cumsum(begins) - 1, 0)

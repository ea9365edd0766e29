"""What the typing model reads of a mention: its words, then a window of the text around it.

    [CLS] mention [SEP] context [SEP]

The window is as wide as the model allows, so that all mentions of a document of usual length are
rows of one length, and one batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from holdfast.document import Span
from holdfast.encoders.tokens import TokenReader, Tokens
from holdfast.errors import InvalidValueError

Ids = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Shape:
    """How much is read of a mention and its text."""

    longest: int = 256  # tokens of a row, the special ones with them
    mention_tokens: int = 24  # of the mention at most; a longer one is cut
    context_words: int = 100  # to each side of the mention at most

    def __post_init__(self) -> None:
        if self.longest < 8 or not 1 <= self.mention_tokens <= self.longest - 6:
            raise InvalidValueError(
                f"rows of {self.longest} tokens with mentions of {self.mention_tokens}; a row "
                "needs 8 or more, and 6 more than its mention"
            )
        if self.context_words < 0:
            raise InvalidValueError(f"{self.context_words} words of context; it is 0 or more")


def rows_of(
    reader: TokenReader, text: str, mentions: Iterable[Sequence[Span]], shape: Shape
) -> list[Ids]:
    """The token ids of each mention and its context, without the first [CLS] and the last [SEP].

    `mentions` are the spans of each. The text is cut into tokens once.
    """
    tokens = reader.read(text)
    return [row_of(tokens, spans, shape, separator=reader.last) for spans in mentions]


def row_of(tokens: Tokens, spans: Sequence[Span], shape: Shape, *, separator: int) -> Ids:
    """The row of one mention. *Shape:* (at most shape.longest - 2,)"""
    places = np.concatenate([_inside(tokens, span) for span in spans])
    own = tokens.ids[places][: shape.mention_tokens]
    first, last = (int(places[0]), int(places[-1]) + 1) if len(places) else _near(tokens, spans[0])
    start, end = _window(tokens, first, last, shape.longest - 3 - len(own), shape.context_words)
    return np.concatenate([own, [separator], tokens.ids[start:end]])


def row_of_texts(reader: TokenReader, name: str, description: str, shape: Shape) -> Ids:
    """The row of a name and a description, which stands where the context does."""
    own = reader.read(name).ids[: shape.mention_tokens]
    rest = reader.read(description).ids[: shape.longest - 3 - len(own)]
    return np.concatenate([own, [reader.last], rest])


def _inside(tokens: Tokens, span: Span) -> Ids:
    """The places of the tokens that overlap a span."""
    first = int(np.searchsorted(tokens.ends, span.start, side="right"))
    last = int(np.searchsorted(tokens.starts, span.end, side="left"))
    return np.arange(first, max(first, last))


def _near(tokens: Tokens, span: Span) -> tuple[int, int]:
    """Where a mention without a token of its own would stand."""
    place = min(int(np.searchsorted(tokens.starts, span.start)), max(0, len(tokens) - 1))
    return place, place


def _window(tokens: Tokens, first: int, last: int, room: int, words: int) -> tuple[int, int]:
    """So many tokens around a mention: what one side lacks goes to the other."""
    word_of_first = int(np.searchsorted(tokens.words, first, side="right")) - 1
    word_of_last = int(np.searchsorted(tokens.words, last, side="left"))
    bounds = np.append(tokens.words, len(tokens))
    low = int(bounds[max(0, word_of_first - words)]) if len(tokens.words) else 0
    high = int(bounds[min(len(bounds) - 1, word_of_last + words)])
    if high - low <= room:
        return low, high
    start = max(low, (first + last - room) // 2)
    end = min(high, start + room)
    return max(low, end - room), end

"""What is known of each token before any network reads it: names of the knowledge base, capitals.

The marks let a small network use a vocabulary of any size, also one that it was not trained with.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast import types
from holdfast.document import Mention
from holdfast.encoders.tokens import Tokens

_SHAPES: Final = ("capital first", "capitals only", "capital inside", "digit")

NAMES_OF_MARKS: Final = (
    *(f"{place} {type}" for type in types.TYPES for place in ("first of a", "inside a")),
    *_SHAPES,
)
"""The columns, in order. A model that was trained with others cannot be used."""

_FIRST_SHAPE: Final = 2 * len(types.TYPES)


def shape_marks(text: str, tokens: Tokens) -> npt.NDArray[np.float32]:
    """How each token's word is written; nothing about names. *Shape:* (tokens, marks)"""
    marks = np.zeros((len(tokens), len(NAMES_OF_MARKS)), dtype=np.float32)
    rows = np.array(
        [
            _shape(text[start:end])
            for start, end in zip(tokens.word_starts(), tokens.word_ends(), strict=True)
        ],
        dtype=np.float32,
    ).reshape(-1, len(_SHAPES))
    word_of_token = np.zeros(len(tokens), dtype=np.int64)
    word_of_token[tokens.words[1:]] = 1
    if len(tokens):
        marks[:, _FIRST_SHAPE:] = rows[np.cumsum(word_of_token)]
    return marks


def add_names(
    marks: npt.NDArray[np.float32], tokens: Tokens, names: Iterable[Mention]
) -> npt.NDArray[np.float32]:
    """`marks` with those of the names set; names of a type that is not ours are left out."""
    for mention in names:
        if mention.type in types.TYPES:
            column = 2 * types.TYPES.index(mention.type)
            first = int(np.searchsorted(tokens.ends, mention.start, side="right"))
            last = int(np.searchsorted(tokens.starts, mention.end, side="left"))
            marks[first : first + 1, column] = 1
            marks[first + 1 : last, column + 1] = 1
    return marks


def _shape(word: str) -> tuple[bool, bool, bool, bool]:
    capital = word[:1].isupper()
    return (
        capital,
        word.isupper(),
        any(letter.isupper() for letter in word[1:]) and not word.isupper(),
        any(letter.isdigit() for letter in word),
    )

"""Other spellings of a name, as people write them: what an encoder should not mind."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

_DIGRAPHS: Final = (("ae", "e"), ("oe", "e"), ("our", "or"), ("isation", "ization"))
_PARENTHESES: Final = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")
_TYPO_LENGTH: Final = 5  # shorter words are other words after one wrong letter


def augment(name: str, rng: np.random.Generator) -> str:
    """The name after one or two random changes, or as it is where none applies."""
    for _ in range(int(rng.integers(1, 3))):
        change = _CHANGES[int(rng.integers(len(_CHANGES)))]
        name = change(name, rng) or name
    return name


def _turn_at_comma(name: str, _: np.random.Generator) -> str:
    first, comma, rest = name.partition(", ")
    return f"{rest} {first}" if comma else name


def _swap_words(name: str, rng: np.random.Generator) -> str:
    words = name.split()
    if len(words) < 2:
        return name
    i = int(rng.integers(len(words) - 1))
    words[i], words[i + 1] = words[i + 1], words[i]
    return " ".join(words)


def _join_or_split_hyphen(name: str, rng: np.random.Generator) -> str:
    return name.replace("-", "" if rng.random() < 0.5 else " ")


def _toggle_plural(name: str, _: np.random.Generator) -> str:
    if name.endswith("s") and not name.endswith("ss"):
        return name[:-1]
    return f"{name}s" if name[-1:].isalpha() else name


def _respell(name: str, rng: np.random.Generator) -> str:
    british, american = _DIGRAPHS[int(rng.integers(len(_DIGRAPHS)))]
    if british in name:
        return name.replace(british, american)
    return name.replace(american, british) if len(american) > 1 else name


def _drop_parentheses(name: str, _: np.random.Generator) -> str:
    return _PARENTHESES.sub("", name)


def _mistype(name: str, rng: np.random.Generator) -> str:
    """A letter of one long word left out, doubled, or exchanged with the next."""
    words = name.split()
    long = [i for i, word in enumerate(words) if len(word) >= _TYPO_LENGTH]
    if not long:
        return name
    i = long[int(rng.integers(len(long)))]
    word = words[i]
    at = int(rng.integers(1, len(word) - 1))
    words[i] = (
        word[:at] + word[at + 1 :],
        word[:at] + word[at] + word[at:],
        word[:at] + word[at + 1] + word[at] + word[at + 2 :],
    )[int(rng.integers(3))]
    return " ".join(words)


_CHANGES: Final = (
    _turn_at_comma,
    _swap_words,
    _join_or_split_hyphen,
    _toggle_plural,
    _respell,
    _drop_parentheses,
    _mistype,
)

"""A tagger without a network: what it thinks of each word is written in the test."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np

from holdfast.detect.bio import OUTSIDE, beginning, inside
from holdfast.detect.tagger import TaggedText, Tagger
from holdfast.document import Mention
from holdfast.encoders.tokens import TokenEncoder

TYPES = ("Disease", "Chemical", "Gene", "Variant")
_WORD = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True, eq=False)
class ScriptedTagger(Tagger):
    """Gives each word of the script its tag with a probability; all others are outside, surely."""

    script: Mapping[str, tuple[int, float]] = field(default_factory=dict)

    def read(self, text: str, names: Sequence[Mention] = ()) -> TaggedText:  # noqa: ARG002
        offsets = np.array([m.span() for m in _WORD.finditer(text)], dtype=np.int64).reshape(-1, 2)
        tags = 2 * len(self.types) + 1
        probabilities = np.zeros((len(offsets), tags), dtype=np.float32)
        for row, (start, end) in enumerate(offsets.tolist()):
            tag, probability = self.script.get(text[start:end], (OUTSIDE, 0.999))
            probabilities[row] = (1 - probability) / (tags - 1)
            probabilities[row, tag] = probability
        return TaggedText(text, offsets[:, 0], offsets[:, 1], np.log(probabilities))

    def in_one_thread(self) -> ScriptedTagger:
        return self


def scripted(**words: tuple[str, float]) -> ScriptedTagger:
    """What is thought of each word: "O", or "B" or "I" with a type, and how surely."""
    script = dict[str, tuple[int, float]]()
    for word, (tag, probability) in words.items():
        letter, _, type = tag.partition("-")
        place = TYPES.index(type) if type else 0
        number = {"O": OUTSIDE, "B": beginning(place), "I": inside(place)}[letter]
        script[word] = (number, probability)
    return ScriptedTagger(TYPES, 0.0, cast(TokenEncoder, None), script=script)

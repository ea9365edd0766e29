"""The trained tagger: reads a document with the names of a knowledge base marked in it, and tags.

Its network was trained with and without marks, so that a vocabulary helps but is not needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast import artifacts
from holdfast.detect.bio import OUTSIDE, beginning, best_tags, chunks, inside
from holdfast.detect.marks import NAMES_OF_MARKS, add_names, shape_marks
from holdfast.document import Mention, Span
from holdfast.encoders.tokens import TokenEncoder, Tokens
from holdfast.errors import ArtifactError
from holdfast.text.tokens import TOKEN

KIND: Final = "detector"
VERSION: Final = 1
_LONGEST: Final = 500  # characters of a mention
_SILENT: Final = re.compile(r"[\W_]{128,}")
_MARGIN: Final = 32  # characters at both ends of such a run that are read
_NEVER: Final = -30.0  # the score of a tag where only O is possible


@dataclass(frozen=True, slots=True)
class Tagged:
    """A mention and how sure the tagger is."""

    span: Span
    type: str
    confidence: float  # in [0, 1]: the geometric mean, over its words, of the tag's probability

    @property
    def mention(self) -> Mention:
        return Mention((self.span,), type=self.type)


@dataclass(frozen=True, slots=True, eq=False)
class TaggedText:
    """A text as the network sees it."""

    text: str
    starts: npt.NDArray[np.int64]  # (words,): code points
    ends: npt.NDArray[np.int64]  # (words,): exclusive
    log_probabilities: npt.NDArray[np.float32]  # (words, tags)


@dataclass(frozen=True, slots=True, eq=False)
class Tagger:
    """Finds mentions of the types it was taught."""

    types: tuple[str, ...]
    caution: float  # what O gains, in nats: more finds fewer mentions; chosen on dev
    encoder: TokenEncoder
    everywhere: bool = False  # its types are wanted also where a knowledge base has none of them

    @classmethod
    def open(cls, folder: Path, *, threads: int | None = None) -> Tagger:
        """Open a model folder. `threads` of the network; None: as many as there are cores."""
        manifest = artifacts.read_manifest(folder, kind=KIND, version=VERSION)
        encoder = TokenEncoder.open(folder, manifest, threads=threads)
        if tuple(manifest.config["marks"]) != NAMES_OF_MARKS:
            raise ArtifactError(f"{folder}: trained with other marks; fetch or train it again")
        return cls(
            types=tuple(manifest.config["types"]),
            caution=float(manifest.config["caution"]),
            encoder=encoder,
            everywhere=bool(manifest.config.get("everywhere", False)),
        )

    def in_one_thread(self) -> Tagger:
        """This tagger with a network of one thread, for callers that bring threads of their own."""
        return replace(self, encoder=self.encoder.in_one_thread())

    def tag(self, text: str, names: Sequence[Mention] = ()) -> list[Tagged]:
        """Mentions that do not overlap, in the order of the text.

        `names` of a knowledge base are marked for the network; they may overlap.
        """
        return self.decode(self.read(text, names))

    def read(self, text: str, names: Sequence[Mention] = ()) -> TaggedText:
        """What the network says of each word."""
        tokens = self.encoder.reader.read(text)
        scores = self._scores(text, tokens, names)
        highest = scores.max(axis=1, keepdims=True, initial=-np.inf)
        shifted = scores - highest
        total = np.log(np.exp(shifted).sum(axis=1, keepdims=True))
        return TaggedText(text, tokens.word_starts(), tokens.word_ends(), shifted - total)

    def decode(self, reading: TaggedText) -> list[Tagged]:
        """The best valid row of tags, as mentions; each has a letter or digit, and is no page."""
        scores = reading.log_probabilities.copy()
        scores[:, OUTSIDE] += self.caution
        found = list[Tagged]()
        for start, end, type in _within_lines(chunks(best_tags(scores)), reading):
            span = Span(int(reading.starts[start]), int(reading.ends[end - 1]))
            if span.end - span.start > _LONGEST or not TOKEN.search(reading.text, *span):
                continue
            own = scores[start:end, inside(type)].copy()
            own[0] = scores[start, beginning(type)]
            found.append(Tagged(span, self.types[type], float(np.exp(own.mean()))))
        return found

    def _scores(
        self, text: str, tokens: Tokens, names: Sequence[Mention]
    ) -> npt.NDArray[np.float32]:
        """*Shape:* (words, tags)"""
        read = _worth_reading(text, tokens)
        part = tokens if len(read) == len(tokens) else tokens.at(read)
        marks = add_names(shape_marks(text, part), part, names)
        states = self.encoder.encode(part, marks)
        if part is tokens:
            return states[tokens.words]
        scores = np.full((len(tokens), states.shape[1]), _NEVER, dtype=np.float32)
        scores[:, OUTSIDE] = 0.0
        scores[read] = states
        return scores[tokens.words]


def _worth_reading(text: str, tokens: Tokens) -> npt.NDArray[np.int64]:
    """The places of tokens, but those deep in a long run of punctuation, which says nothing.

    Each mark is a token of its own: a line of 10,000 dashes would take the network as long as a
    whole article.
    """
    is_read = np.ones(len(tokens), dtype=bool)
    for run in _SILENT.finditer(text):
        first = int(np.searchsorted(tokens.starts, run.start() + _MARGIN, side="left"))
        last = int(np.searchsorted(tokens.starts, run.end() - _MARGIN, side="left"))
        is_read[first:last] = False
    return np.flatnonzero(is_read)


def _within_lines(
    tagged: Iterable[tuple[int, int, int]], reading: TaggedText
) -> Iterator[tuple[int, int, int]]:
    """The runs of words cut where a line ends: no mention goes on in the next."""
    for start, end, type in tagged:
        first = start
        for word in range(start + 1, end):
            if "\n" in reading.text[reading.ends[word - 1] : reading.starts[word]]:
                yield first, word, type
                first = word
        yield first, end, type

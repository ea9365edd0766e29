"""The sentences of a fine-tuning task as tokens and labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from holdfast.corpora.named import load_corpus
from holdfast.corpora.named.chemprot import LABELS as CHEMPROT_LABELS
from holdfast.corpora.named.chemprot import read_chemprot
from holdfast.corpora.named.ddi import LABELS as DDI_LABELS
from holdfast.corpora.named.ddi import read_ddi_examples
from holdfast.corpora.named.gad import ASSOCIATED, read_gad
from holdfast.corpora.named.relations import NO_RELATION, RelationExample, hold_out
from holdfast.document import Document
from holdfast.encoders.tokens import TokenReader
from holdfast.errors import UsageError

Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]

OUTSIDE, BEGIN, INSIDE = range(3)
_DEV_SHARE: Final = 0.1  # of training sentences, where a corpus has no development split


@dataclass(frozen=True, slots=True, eq=False)
class Sentence:
    """A sentence of either task. Of relations there is one label, of recognition one per token."""

    tokens: Integers  # (tokens,)
    labels: Integers  # (1,) or (tokens,)
    head: int = -1  # relations: the token of the first entity; -1: the sentence as a whole
    tail: int = -1
    begins: Booleans | None = None  # recognition: whether each token begins a word; (tokens,)


@dataclass(frozen=True, slots=True, eq=False)
class Sentences:
    """What is learned, chosen by and measured on."""

    train: Sequence[Sentence]
    dev: Sequence[Sentence]
    test: Sequence[Sentence]
    labels: int  # tags, or classes of which 0 is no relation
    is_relation: bool


def load_sentences(
    name: str, tokenizer: Tokenizer, *, data: Path, longest: int, most: int | None
) -> Sentences:
    """A task by its name; at most so many training sentences, drawn always alike."""
    if name in RELATIONS:
        labels, read = RELATIONS[name]
        parts = read(data)
        cut = _RelationReader(tokenizer, labels, longest)
        train, dev, test = ([cut.read(e) for e in part] for part in parts)
        return Sentences(drawn(train, most), dev, test, len(labels) + 1, is_relation=True)
    if name in RECOGNITION:
        reader = TokenReader.of(tokenizer)
        train, dev, test = (
            list(tagged(load_corpus(RECOGNITION[name], part, data=data), reader, longest))
            for part in ("train", "dev", "test")
        )
        return Sentences(drawn(train, most), dev, test, 3, is_relation=False)
    known = ", ".join((*RECOGNITION, *RELATIONS))
    raise UsageError(f"no task is called {name!r}; there is: {known}")


def tagged(documents: Iterable[Document], reader: TokenReader, longest: int) -> Iterator[Sentence]:
    """Documents in tokens with BIO tags; a longer one is cut, mentions beyond are still counted.

    Every mention has a B, so that what is cut off counts as missed.
    """
    for document in documents:
        tokens = reader.read(document.text)
        labels = np.zeros(len(tokens), dtype=np.int64)
        for mention in document.mentions:
            first = int(np.searchsorted(tokens.ends, mention.start, side="right"))
            last = int(np.searchsorted(tokens.starts, mention.end, side="left"))
            if first < last and not labels[first:last].any():
                labels[first:last] = INSIDE
                labels[first] = BEGIN
        if len(tokens):
            begins = np.isin(np.arange(len(tokens)), tokens.words)[:longest]
            yield Sentence(tokens.ids[:longest], labels, begins=begins)


class _RelationReader:
    """Replaces the two entities of a sentence by marker tokens of the vocabulary."""

    def __init__(self, tokenizer: Tokenizer, labels: Sequence[str], longest: int) -> None:
        self._reader = TokenReader.of(tokenizer)
        self._labels = {NO_RELATION: 0, **{label: n for n, label in enumerate(labels, 1)}}
        self._longest = longest
        unused = [tokenizer.token_to_id(f"[unused{n}]") for n in (1, 2)]
        usual = (self._reader.first, self._reader.last)
        self._markers = [
            other if own is None else own for own, other in zip(unused, usual, strict=True)
        ]

    def read(self, example: RelationExample) -> Sentence:
        """An entity in several pieces is marked at its first; a long sentence is cut."""
        places = sorted(
            (span[0], which) for which, span in enumerate((example.head, example.tail)) if span
        )
        ids, found, done = list[int](), [-1, -1], 0
        for (start, end), which in places:
            ids += self._reader.read(example.text[done:start]).ids.tolist() if start > done else []
            found[which] = len(ids)
            ids.append(self._markers[which])
            done = max(done, end)
        ids += self._reader.read(example.text[done:]).ids.tolist()
        label = self._labels.get(example.label, 0)
        return _around(ids, label, found, self._longest)


def _around(ids: list[int], label: int, found: list[int], longest: int) -> Sentence:
    """At most so many tokens, those around the entities."""
    start = 0
    if len(ids) > longest:
        placed = [place for place in found if place >= 0] or [0]
        middle = (min(placed) + max(placed)) // 2
        start = max(0, min(middle - longest // 2, len(ids) - longest))
    head, tail = (p - start if p >= 0 and 0 <= p - start < longest else -1 for p in found)
    kept = np.array(ids[start : start + longest], dtype=np.int64)
    return Sentence(kept, np.array([label]), head, tail)


def drawn(sentences: Sequence[Sentence], most: int | None) -> Sequence[Sentence]:
    """So many of them at random, always the same, in their order."""
    if most is None or len(sentences) <= most:
        return sentences
    places = np.random.default_rng(0).choice(len(sentences), size=most, replace=False)
    return [sentences[place] for place in sorted(places.tolist())]


Parts = tuple[Iterable[RelationExample], Iterable[RelationExample], Iterable[RelationExample]]


def _chemprot(data: Path) -> Parts:
    folder = data / "corpora/re/chemprot"
    train, dev, test = (read_chemprot(folder / f"{part}.tsv") for part in ("train", "dev", "test"))
    return train, dev, test


def _gad(data: Path) -> Parts:
    folder = data / "corpora/re/gad"
    split = hold_out(read_gad(folder / "train.tsv"), fraction=_DEV_SHARE)
    return split.train, split.dev, read_gad(folder / "test.tsv")


def _ddi(data: Path) -> Parts:
    folder = data / "corpora/re/ddi"
    split = hold_out(read_ddi_examples(folder / "train"), fraction=_DEV_SHARE)
    return split.train, split.dev, read_ddi_examples(folder / "test")


RECOGNITION: Final = {
    "bc5-chem": "bc5cdr-chemical-iob",
    "bc5-disease": "bc5cdr-disease-iob",
    "ncbi": "ncbi-disease-iob",
    "bc2gm": "bc2gm",
}
"""Tasks of recognition, and their corpora."""

RELATIONS: Final[dict[str, tuple[Sequence[str], Callable[[Path], Parts]]]] = {
    "chemprot": (CHEMPROT_LABELS, _chemprot),
    "ddi": (DDI_LABELS, _ddi),
    "gad": ((ASSOCIATED,), _gad),
}
"""Tasks of relations in sentences: their positive classes and their readers."""

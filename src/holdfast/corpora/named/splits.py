"""Training data without the documents that are evaluated.

Corpora share documents, so every training mixture goes through `load_training`, which removes
whatever occurs in an evaluated split and counts it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final

from holdfast.corpora.named.overlap import Fingerprint, Reason, SharedText, build_shared_text
from holdfast.corpora.named.table import CORPORA, FILE, corpus_named, load_corpus
from holdfast.document import Document
from holdfast.errors import UsageError

CorpusSplit = tuple[str, str]
"""A name of CORPORA and one of its splits, e.g. ("bc5cdr", "train"), or a path and FILE."""

_USUAL: Final = frozenset(split for corpus in CORPORA.values() for split in corpus.splits)


@dataclass(frozen=True, slots=True)
class TypedSplit:
    """A split, or its mentions of some types."""

    split: CorpusSplit
    only: tuple[str, ...] = ()  # as it is written; all types if there are none


def parse_splits(texts: Iterable[str]) -> list[CorpusSplit]:
    """Corpora and splits as recipes and manifests write them: "bc5cdr train", or a path."""
    found = list[CorpusSplit]()
    for text in texts:
        parsed = parse_split(text)
        if parsed.only:
            raise UsageError(f"{text!r}: write a corpus and a split, as bc5cdr train")
        found.append(parsed.split)
    return found


def parse_split(text: str, *, own: str = "") -> TypedSplit:
    """ "bc5cdr dev", "biored train Gene,Species" or the path of a file.

    Where a recipe has a corpus of its `own`, "train" alone is a split of that.
    """
    words = text.split()
    if own and len(words) == 1 and (words[0] in _USUAL or not is_file(text)):
        return TypedSplit((own, words[0]))
    if is_file(text):
        return TypedSplit((text, FILE))
    if len(words) not in (2, 3):
        raise UsageError(
            f"{text!r}: write a corpus and a split, as bc5cdr train, or a file that is there"
        )
    return TypedSplit((words[0], words[1]), tuple(words[2].split(",")) if words[2:] else ())


def is_file(text: str) -> bool:
    """Whether a text names a file or folder that is there, and not a corpus."""
    first = text.split(maxsplit=1)[:1]
    return not (first and first[0] in CORPORA) and Path(text).exists()


def split_name(split: CorpusSplit) -> str:
    """A split as messages and manifests write it: "bc5cdr train", or a file without its folders."""
    corpus, part = split
    return Path(corpus).name if part == FILE else f"{corpus} {part}"


@dataclass(frozen=True, slots=True)
class Removal:
    """A training document that was left out, and by what it was recognised."""

    document_id: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class TrainingPart:
    """One corpus's share of a mixture."""

    corpus: str
    split: str
    documents: tuple[Document, ...]
    removed: tuple[Removal, ...]

    def __str__(self) -> str:
        by_id = sum(removal.reason == "id" for removal in self.removed)
        return (
            f"{split_name((self.corpus, self.split))}: {len(self.documents)} documents kept, "
            f"{len(self.removed)} removed as evaluated ({by_id} by id, "
            f"{len(self.removed) - by_id} by text)"
        )


@dataclass(frozen=True, slots=True)
class TrainingData:
    """A mixture, in the order it was asked for."""

    parts: tuple[TrainingPart, ...]

    @property
    def documents(self) -> Iterator[Document]:
        return chain.from_iterable(part.documents for part in self.parts)

    @property
    def weights_may_ship(self) -> bool:
        """Whether every corpus of the mixture allows it."""
        return all(corpus_named(part.corpus).weights_may_ship for part in self.parts)


@dataclass(frozen=True, slots=True)
class Overlap:
    """How many documents of one split occur in another."""

    training: CorpusSplit
    evaluated: CorpusSplit
    by_id: int
    by_text: int  # recognised by text alone


def without_shared_documents(
    training: Iterable[Document],
    evaluated: SharedText,
    *,
    removed: list[Removal] | None = None,
) -> Iterator[Document]:
    """The training documents that are not evaluated; the others are appended to `removed`.

    Where the training documents are single sentences, the sentences of an evaluated document
    are removed; where the evaluated ones are, the documents that hold them.
    """
    for document in training:
        reason = evaluated.reason(Fingerprint.of(document))
        if reason is None:
            yield document
        elif removed is not None:
            removed.append(Removal(document.id, reason))


def load_training(
    mixture: Sequence[CorpusSplit], *, evaluated: Sequence[CorpusSplit], data: Path
) -> TrainingData:
    """The mixture's documents, without those of any evaluated split."""
    for split in mixture:
        if split in evaluated:
            raise UsageError(f"{split_name(split)} cannot be trained on and evaluated at once")
    shared = build_shared_text(
        chain.from_iterable(load_corpus(name, split, data=data) for name, split in evaluated)
    )
    parts = list[TrainingPart]()
    for name, part in mixture:
        removed = list[Removal]()
        kept = tuple(
            without_shared_documents(load_corpus(name, part, data=data), shared, removed=removed)
        )
        parts.append(TrainingPart(name, part, kept, tuple(removed)))
    return TrainingData(tuple(parts))


def find_overlaps(
    training: Sequence[CorpusSplit], evaluated: Sequence[CorpusSplit], *, data: Path
) -> Iterator[Overlap]:
    """The pairs of different splits that share a document, by training split.

    All evaluated splits are in memory at once, with about ten bytes per letter.
    """
    targets = [(target, build_shared_text(load_corpus(*target, data=data))) for target in evaluated]
    for source in training:
        fingerprints = [Fingerprint.of(document) for document in load_corpus(*source, data=data)]
        for target, shared in targets:
            if source == target:
                continue
            reasons = [shared.reason(fingerprint) for fingerprint in fingerprints]
            overlap = Overlap(source, target, reasons.count("id"), reasons.count("text"))
            if overlap.by_id or overlap.by_text:
                yield overlap


def shared_documents_report(
    data: Path,
    *,
    training: Sequence[CorpusSplit] | None = None,
    evaluated: Sequence[CorpusSplit] | None = None,
) -> str:
    """A table of the overlaps between splits, by default every split with every other.

    Units are documents, or sentences in the corpora that are lists of sentences.
    """
    every = [(name, split) for name, corpus in CORPORA.items() for split in corpus.splits]
    overlaps = find_overlaps(
        every if training is None else training,
        every if evaluated is None else evaluated,
        data=data,
    )
    lines = [f"{'units of':28} {'found in':28} {'by id':>8} {'by text':>8}"]
    lines += (
        f"{'/'.join(o.training):28} {'/'.join(o.evaluated):28} {o.by_id:8,} {o.by_text:8,}"
        for o in overlaps
    )
    return "\n".join(lines)

"""Training data without the documents that are evaluated.

Corpora share documents, so every training mixture goes through `load_training`, which removes
whatever occurs in an evaluated split and counts it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from holdfast.corpora.named.overlap import Fingerprint, Reason, SharedText, build_shared_text
from holdfast.corpora.named.table import CORPORA, load_corpus
from holdfast.document import Document
from holdfast.errors import UsageError

CorpusSplit = tuple[str, str]
"""A name of CORPORA and one of its splits, e.g. ("bc5cdr", "train")."""


def parse_splits(texts: Iterable[str]) -> list[CorpusSplit]:
    """Corpora and splits as recipes and manifests write them: "bc5cdr train"."""
    found = list[CorpusSplit]()
    for text in texts:
        words = text.split()
        if len(words) != 2:
            raise UsageError(f"{text!r}: write a corpus and a split, as bc5cdr train")
        found.append((words[0], words[1]))
    return found


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
            f"{self.corpus}/{self.split}: {len(self.documents)} documents kept, "
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
        return all(CORPORA[part.corpus].weights_may_ship for part in self.parts)


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
    for name, split in mixture:
        if (name, split) in evaluated:
            raise UsageError(f"{name}/{split} cannot be trained on and evaluated at once")
    shared = build_shared_text(
        chain.from_iterable(load_corpus(name, split, data=data) for name, split in evaluated)
    )
    parts = list[TrainingPart]()
    for name, split in mixture:
        removed = list[Removal]()
        kept = tuple(
            without_shared_documents(load_corpus(name, split, data=data), shared, removed=removed)
        )
        parts.append(TrainingPart(name, split, kept, tuple(removed)))
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

"""A trained relation model without torch: documents to related pairs with probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from holdfast import artifacts
from holdfast.document import Document, Span
from holdfast.encoders.tokens import TokenEncoder
from holdfast.errors import ArtifactError
from holdfast.systems.kebiolm.relations.asked import Asked, Floats, ReadText, ask, read_texts
from holdfast.systems.kebiolm.relations.pairs import (
    MOST_PAIRS,
    RELATION_MODEL,
    Question,
    RelationShape,
    questions_of,
)
from holdfast.systems.kebiolm.relations.scores import Scores, score

VERSION: Final = 1
HEADS: Final = "heads.npz"


@dataclass(frozen=True, slots=True)
class Calibration:
    """How a logit becomes a probability, and from which on a pair is related."""

    scale: float = 1.0
    shift: float = 0.0
    threshold: float = 0.5

    def probability(self, logit: float) -> float:
        return float(1 / (1 + np.exp(-np.clip(self.scale * logit + self.shift, -30, 30))))


@dataclass(frozen=True, slots=True)
class Judged:
    """A pair of a document, and how probable it is that the document relates them."""

    head: str  # ids
    tail: str
    label: str
    probability: float
    is_related: bool
    evidence: tuple[Span, ...]  # the best sentence; two, if neither mentions both


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """All pairs of a document that were looked at."""

    judged: tuple[Judged, ...]
    pairs: int  # of the wanted types
    asked: int  # that were looked at


@dataclass(frozen=True, slots=True, eq=False)
class RelationModel:
    """An encoder that sees marks, and the networks that score pairs."""

    encoder: TokenEncoder
    shape: RelationShape
    calibrations: tuple[Calibration, ...]  # by label
    drops_hypernyms: bool  # of related pairs that differ in one end, the more general goes
    weights: Mapping[str, Floats]
    config: Mapping[str, Any]  # of the manifest

    @classmethod
    def open(cls, folder: Path, *, threads: int | None = None) -> RelationModel:
        """Open a model folder; `threads` of the network, by default as many as there are cores."""
        manifest = artifacts.read_manifest(folder, kind=RELATION_MODEL, version=VERSION)
        encoder = TokenEncoder.open(folder, manifest, threads=threads)
        config = manifest.config
        try:
            with np.load(folder / HEADS) as stored:
                weights = {name: stored[name].astype(np.float32) for name in stored.files}
            shape = RelationShape.of(config)
            calibrations = tuple(Calibration(**one) for one in config["calibrations"])
            drops = bool(config["drops_hypernyms"])
        except Exception as error:  # numpy raises bare exceptions of many types
            reason = " ".join(str(error).split())
            raise ArtifactError(
                f"{folder}: cannot be opened ({reason}); fetch or train it again"
            ) from error
        return cls(encoder, shape, calibrations, drops, weights, config)

    def judge(self, document: Document, *, most: int = MOST_PAIRS) -> Judgement:
        """Every pair of the wanted types, at most so many, heads in the order of the text."""
        asked = questions_of(document, self.shape, most=most)
        if not asked.questions:
            return Judgement((), asked.pairs, 0)
        found = self._answers(document, asked.questions)
        return Judgement(tuple(found), asked.pairs, asked.asked)

    def _answers(self, document: Document, questions: Sequence[Question]) -> Iterable[Judged]:
        """Each pair once: of several sentences, as the one says it that says it most clearly."""
        best = dict[tuple[str, str, str], Judged]()
        for span, text in read_texts(document, self.encoder.reader, self.shape):
            for judged in (own for question in questions for own in self._judge(text, question)):
                key = judged.head, judged.tail, judged.label
                if key not in best or judged.probability > best[key].probability:
                    moved = (Span(span.start + a, span.start + b) for a, b in judged.evidence)
                    best[key] = replace(judged, evidence=tuple(moved))
        return best.values()

    def _judge(self, text: ReadText, question: Question) -> Iterator[Judged]:
        asked = ask(text, question)
        if asked is None:
            return
        states = self.encoder.encode(asked.tokens, asked.marks)
        scores = score(states, asked, self.weights)
        for place, tail in enumerate(asked.judged):
            for number, label in enumerate(self.shape.labels):
                calibration = self.calibrations[number]
                probability = calibration.probability(float(scores.of_tails[place, number]))
                yield Judged(
                    question.head.id,
                    tail.id,
                    label,
                    probability,
                    probability >= calibration.threshold,
                    tuple(text.sentences[n] for n in evidence_of(asked, scores, place, number)),
                )


def evidence_of(asked: Asked, scores: Scores, tail: int, label: int) -> list[int]:
    """The sentence of the tail's best mention, of those beside the head if there are any.

    Where none mentions both, that of the head's nearest mention too; in the order of the text.
    """
    own = np.flatnonzero(asked.owners == tail)
    with_head = own[asked.of_mentions[own, 0] > 0]
    chosen = with_head if len(with_head) else own
    best = chosen[int(scores.of_mentions[chosen, label].argmax())]
    return sorted({int(asked.sentences[best]), int(asked.head_sentences[asked.nearest[best]])})

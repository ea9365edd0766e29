"""Annotated documents as questions with answers, and several questions as one batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from holdfast.document import Document
from holdfast.encoders.tokens import TokenReader
from holdfast.systems.kebiolm.relations.asked import Asked, ask, read_texts
from holdfast.systems.kebiolm.relations.pairs import RelationShape, questions_of, related_ids
from holdfast.text.windows import Window, windows

Floats = npt.NDArray[np.float32]
GoldPairs = dict[frozenset[str], set[int]]
"""From two entities to the labels between them."""
Above = Callable[[str], frozenset[str]]
"""From an entity to the ids of everything above it."""

UNKNOWN: Final = -1.0
"""The label of a pair that is not learned from."""


@dataclass(frozen=True, slots=True)
class ReadingConfig:
    """How documents are cut into windows."""

    window: int = 510  # tokens at most, without the two special ones
    overlap: int = 96  # tokens that two windows share at least


@dataclass(frozen=True, slots=True, eq=False)
class QuestionExample:
    """A question and its answers."""

    document: str
    head: str
    asked: Asked
    windows: tuple[Window, ...]
    labels: Floats  # 1, 0 or UNKNOWN; (tails, labels)


def gold_pairs(document: Document, shape: RelationShape) -> GoldPairs:
    """The annotated relations between two entities, by label; others are left out."""
    found = dict[frozenset[str], set[int]]()
    for relation, ends in related_ids(document):
        ids = frozenset(ends)
        if relation.type in shape.labels and len(ids) == 2 and all(ids):
            found.setdefault(ids, set()).add(shape.labels.index(relation.type))
    return found


def examples_of(
    documents: Iterable[Document],
    reader: TokenReader,
    shape: RelationShape,
    reading: ReadingConfig,
    *,
    above: Above | None = None,
    are_excerpts: bool = False,
) -> Iterator[QuestionExample]:
    """A question for each head of each document, or of each of its sentences.

    With `above`, a pair that is not annotated is not learned as a negative if a more exact pair
    is annotated: corpora annotate the most specific entities alone. Of excerpts, a related pair is
    learned only if it shares a sentence: another may be related by what was left out.
    """
    for document in documents:
        gold = gold_pairs(document, shape)
        questions = questions_of(document, shape).questions
        for _, text in read_texts(document, reader, shape) if questions else ():
            for head, asked in ((q.head.id, ask(text, q)) for q in questions):
                if asked is None:
                    continue
                labels = _labels(head, asked, gold, len(shape.labels), above)
                if are_excerpts:
                    apart = [not text.share_sentence(head, tail.id) for tail in asked.judged]
                    labels[np.array(apart)[:, None] & (labels == 1)] = UNKNOWN
                cut = windows(len(asked.tokens), size=reading.window, overlap=reading.overlap)
                yield QuestionExample(document.id, head, asked, tuple(cut), labels)


def _labels(head: str, asked: Asked, gold: GoldPairs, count: int, above: Above | None) -> Floats:
    """*Shape:* (tails, labels)"""
    labels = np.zeros((len(asked.judged), count), dtype=np.float32)
    for place, tail in enumerate(asked.judged):
        if above is not None:
            for pair, related in gold.items():
                if _is_above(frozenset((head, tail.id)), pair, above):
                    labels[place, list(related)] = UNKNOWN
        labels[place, list(gold.get(frozenset((head, tail.id)), ()))] = 1.0
    return labels


def _is_above(general: frozenset[str], exact: frozenset[str], above: Above) -> bool:
    """Whether the pairs share one end, and the other end of `general` is above that of `exact`."""
    (ours, theirs) = general - exact, exact - general
    return len(ours) == len(theirs) == 1 and min(ours) in above(min(theirs))


@dataclass(frozen=True, slots=True)
class RelationBatch:
    """Questions side by side, as tensors. Rows of tokens count over all questions."""

    tokens: Tensor  # of all windows; (read,)
    marks: Tensor  # (read, marks)
    lengths: Tensor  # tokens of each window; (windows,)
    kept: Tensor  # places among the read tokens, one for each token of the questions; (tokens,)
    heads: Tensor  # spans of heads' mentions; (mentions of heads, 2)
    head_owners: Tensor  # the question of each; (mentions of heads,)
    nearest: Tensor  # the head's mention nearest to each of the tails'; (mentions of tails,)
    tails: Tensor  # (mentions of tails, 2)
    owners: Tensor  # the tail of each, over all questions; (mentions of tails,)
    questions: Tensor  # the question of each tail; (tails,)
    of_mentions: Tensor  # (mentions of tails, features)
    of_pairs: Tensor  # (tails, features)
    labels: Tensor  # (tails, labels)

    @classmethod
    def of(cls, examples: Sequence[QuestionExample]) -> RelationBatch:
        """*Shape:* everything of one question after everything of another."""
        parts: dict[str, list[npt.NDArray[np.generic]]] = {
            name: [] for name in cls.__slots__ if name != "lengths"
        }
        lengths = list[int]()
        place = tokens = heads = tails = 0
        for number, example in enumerate(examples):
            asked = example.asked
            for window in example.windows:
                parts["tokens"].append(asked.tokens.ids[window.start : window.end])
                parts["marks"].append(asked.marks[window.start : window.end])
                parts["kept"].append(place + np.arange(window.kept.start, window.kept.stop))
                lengths.append(window.end - window.start)
                place += lengths[-1]
            parts["heads"].append(asked.heads + tokens)
            parts["head_owners"].append(np.full(len(asked.heads), number))
            parts["nearest"].append(asked.nearest + heads)
            parts["tails"].append(asked.tails + tokens)
            parts["owners"].append(asked.owners + tails)
            parts["questions"].append(np.full(len(asked.judged), number))
            parts["of_mentions"].append(asked.of_mentions)
            parts["of_pairs"].append(asked.of_pairs)
            parts["labels"].append(example.labels)
            tokens, tails = tokens + len(asked.tokens), tails + len(asked.judged)
            heads += len(asked.heads)
        joined = {name: torch.from_numpy(np.concatenate(own)) for name, own in parts.items()}
        return cls(lengths=torch.tensor(lengths), **joined)

"""The heads of the tasks in numpy: states of words to mentions, their types and their entities.

Training evaluates with them too, so that what is selected on development data is what runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast.errors import UsageError
from holdfast.systems.multitask.bilou import TaggedSpan, best_tags, chunks_of
from holdfast.systems.multitask.labels import NO_ENTITY
from holdfast.systems.multitask.shape import LINKING, RECOGNITION, TASKS, TYPING, MultitaskShape
from holdfast.systems.multitask.text import mean_states

TRANSITIONS: Final = "transitions"
_SCORES: Final = 1 << 23  # scores of classes that are held at once

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]
Features = Mapping[str, Floats]
"""The states of words by task. *Shape:* (words, width) each."""


@dataclass(frozen=True, slots=True, eq=False)
class Predicted:
    """A mention as the model sees it; words are counted from the start of what was read."""

    first: int
    last: int  # inclusive
    type: int | None = None  # its place in the list of types; None if it was not asked
    classes: tuple[int, ...] = ()  # of entities, the most probable first
    shares: tuple[float, ...] = ()  # their probabilities; NO_ENTITY is one of the classes


@dataclass(frozen=True, slots=True, eq=False)
class Heads:
    """One feed-forward network per task, and how its answers are read."""

    shape: MultitaskShape
    weights: Mapping[str, Floats]  # "linking.hidden.weight", "linking.out.bias", …, "transitions"
    read: str = ""  # the task that says where mentions are, per token; "": the lowest there is

    def predict(
        self,
        features: Features,
        sentences: Integers,
        *,
        spans: Sequence[tuple[int, int]] | None = None,
        top: int = 1,
    ) -> list[Predicted]:
        """The mentions of some whole sentences, from the left; of given spans, in their order.

        `sentences` has the first word of each, and the number of words. `top` classes are listed.
        """
        if self.shape.setup == "entity":
            found = spans if spans is not None else self.recognise(features, sentences)
            return self._classified(features, list(found), top=top)
        if spans is not None:
            raise UsageError("this model tags words; it cannot classify given mentions")
        return self._tagged(features, sentences, top=top)

    def scores(self, task: str, states: Floats) -> Floats:
        """*Shape:* (rows, width) to (rows, labels)."""
        weights = self.weights
        hidden = states @ weights[f"{task}.hidden.weight"].T + weights[f"{task}.hidden.bias"]
        hidden = np.maximum(hidden, 0)
        scores: Floats = hidden @ weights[f"{task}.out.weight"].T + weights[f"{task}.out.bias"]
        return scores

    def recognise(self, features: Features, sentences: Integers) -> list[tuple[int, int]]:
        """The words of the mentions of some whole sentences, ends inclusive, from the left."""
        scores = self.scores(RECOGNITION, features[RECOGNITION])
        return [(c.first, c.last) for c in self._chunks(scores, sentences)]

    def _chunks(self, scores: Floats, sentences: Integers) -> Iterator[TaggedSpan]:
        for first, last in pairwise(sentences.tolist()):
            tags = best_tags(scores[first:last], self.weights.get(TRANSITIONS))
            for chunk in chunks_of(tags):
                yield TaggedSpan(first + chunk.first, first + chunk.last, chunk.type)

    def _classified(
        self, features: Features, spans: list[tuple[int, int]], *, top: int
    ) -> list[Predicted]:
        types: Sequence[int | None] = [None] * len(spans)
        if TYPING in self.shape.tasks:
            states = mean_states(features[TYPING], spans)
            types = self.scores(TYPING, states).argmax(axis=1).tolist()
        if LINKING not in self.shape.tasks:
            return [Predicted(*span, type) for span, type in zip(spans, types, strict=True)]
        states = mean_states(features[LINKING], spans)
        ranked = self._ranked(states, [1] * len(spans), top=top)
        return [
            Predicted(*span, type, *found)
            for span, type, found in zip(spans, types, ranked, strict=True)
        ]

    def _tagged(self, features: Features, sentences: Integers, *, top: int) -> list[Predicted]:
        tasks = self.shape.tasks
        read = self.read or tasks[0]
        types = self.scores(TYPING, features[TYPING]) if TYPING in tasks else None
        if read == RECOGNITION:
            spans = self.recognise(features, sentences)
        elif read == TYPING and types is not None:
            spans = [(c.first, c.last) for c in self._chunks(types, sentences)]
        else:
            spans = list(self._runs(features[LINKING], sentences))
        of_types = [None if types is None else _type_of(types[a : b + 1]) for a, b in spans]
        if LINKING not in tasks:
            return [Predicted(*span, type) for span, type in zip(spans, of_types, strict=True)]
        rows = [features[LINKING][first : last + 1] for first, last in spans]
        none = np.zeros((0, features[LINKING].shape[1]), dtype=np.float32)
        lengths = [len(part) for part in rows]
        ranked = self._ranked(np.concatenate([none, *rows]), lengths, top=top)
        return [
            Predicted(*span, type, *found)
            for span, type, found in zip(spans, of_types, ranked, strict=True)
        ]

    def _runs(self, states: Floats, sentences: Integers) -> Iterator[tuple[int, int]]:
        """Runs of words of one entity, each inside a sentence."""
        step = max(1, _SCORES // len(self.weights[f"{LINKING}.out.bias"]))
        classes = [
            self.scores(LINKING, states[start : start + step]).argmax(axis=1)
            for start in range(0, len(states), step)
        ]
        of_words = np.concatenate([np.zeros(0, dtype=np.int64), *classes])
        for first, last in pairwise(sentences.tolist()):
            own = of_words[first:last]
            cuts = np.flatnonzero(np.diff(own)) + 1
            for start, end in pairwise([0, *cuts.tolist(), len(own)]):
                if start < end and own[start] != NO_ENTITY:
                    yield first + start, first + end - 1

    def _ranked(
        self, states: Floats, lengths: Sequence[int], *, top: int
    ) -> Iterator[tuple[tuple[int, ...], tuple[float, ...]]]:
        """The classes with the highest probability, on average over the rows of each mention."""
        ends = np.cumsum(lengths, dtype=np.int64)
        per_row = len(self.weights[f"{LINKING}.out.bias"])
        for group in _groups(lengths, most=max(1, _SCORES // per_row)):
            begin, end = ends[group.start] - lengths[group.start], ends[group.stop - 1]
            scores = self.scores(LINKING, states[begin:end])
            shares = np.exp(scores - scores.max(axis=1, keepdims=True))
            shares /= shares.sum(axis=1, keepdims=True)
            begins = ends[group] - np.array(lengths[group]) - begin
            means = np.add.reduceat(shares, begins, axis=0) / np.array(lengths[group])[:, None]
            yield from (_best(row, top) for row in means)


def _best(shares: Floats, top: int) -> tuple[tuple[int, ...], tuple[float, ...]]:
    count = min(top, len(shares))
    some = np.argpartition(-shares, count - 1)[:count]
    order = some[np.lexsort((some, -shares[some]))]
    return tuple(order.tolist()), tuple(shares[order].tolist())


def _type_of(scores: Floats) -> int:
    """The type whose tags have the highest probability over the words. *Shape:* (words, tags)."""
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    return int(shares[:, 1:].reshape(len(scores), -1, 4).sum(axis=(0, 2)).argmax())


def _groups(lengths: Sequence[int], *, most: int) -> Iterable[slice]:
    """Mentions in order, in groups of about `most` rows together."""
    start = room = 0
    for place, length in enumerate(lengths):
        if place > start and room + length > most:
            yield slice(start, place)
            start, room = place, 0
        room += length
    if start < len(lengths):
        yield slice(start, len(lengths))


def check_read(shape: MultitaskShape, read: str) -> None:
    """UsageError unless the model has the task that shall say where mentions are."""
    if read and (read not in TASKS or read not in shape.tasks):
        raise UsageError(f"read = {read!r}: the model's tasks are {', '.join(shape.tasks)}")
    if read and read != RECOGNITION and shape.setup == "entity":
        raise UsageError(f"read = {read!r}: per entity, recognition says where mentions are")

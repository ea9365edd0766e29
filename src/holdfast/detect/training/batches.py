"""Mini-batches of lessons: which come when, and with which marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from holdfast.detect.marks import NAMES_OF_MARKS, add_names, shape_marks
from holdfast.detect.training.lessons import Lesson
from holdfast.document import Mention

_SORTED: Final = 64  # lessons that are sorted by length together


@dataclass(frozen=True, slots=True)
class MarkDropout:
    """How often marks are hidden: a vocabulary may lack a name, a text may have no capitals."""

    document: float = 0.15  # all names of a document
    name: float = 0.1  # one name
    shapes: float = 0.1  # how the words of a document are written


@dataclass(frozen=True, slots=True)
class WordBatch:
    """Windows as tensors, and the words that count."""

    ids: Tensor  # (windows, length)
    marks: Tensor  # (windows, length, marks)
    attended: Tensor  # (windows, length): 1 where there is a token
    words: Tensor  # (words,): places in the flattened windows
    allowed: Tensor  # (words, tags): bool


def plan(
    lessons: Sequence[Lesson], *, passes: float, tokens: int, seed: int
) -> list[tuple[int, ...]]:
    """Batches as places in `lessons`: each of at most `tokens` tokens with padding, or of one.

    Each lesson comes `passes` times its own passes; the fraction is drawn. Lessons of similar
    length stand together, batches in random order.
    """
    random = np.random.default_rng(seed)
    count = np.array([passes * lesson.passes for lesson in lessons])
    times = np.floor(count + random.random(len(count))).astype(np.int64)
    places = np.repeat(np.arange(len(lessons)), times)
    random.shuffle(places)
    batches = list[tuple[int, ...]]()
    for start in range(0, len(places), _SORTED):
        together = sorted(places[start : start + _SORTED].tolist(), key=lambda i: _size(lessons[i]))
        batch = list[int]()
        for place in together:
            if batch and (len(batch) + 1) * _size(lessons[place]) > tokens:
                batches.append(tuple(batch))
                batch = []
            batch.append(place)
        batches.append(tuple(batch))
    order = random.permutation(len(batches))
    return [batches[i] for i in order]


def collate(
    lessons: Sequence[Lesson],
    *,
    first: int,
    last: int,
    dropout: MarkDropout,
    random: np.random.Generator,
) -> WordBatch:
    """`first` and `last` are the special tokens around each window; padding is 0."""
    longest = max(_size(lesson) for lesson in lessons)
    ids = np.zeros((len(lessons), longest), dtype=np.int64)
    marks = np.zeros((len(lessons), longest, len(NAMES_OF_MARKS)), dtype=np.float32)
    attended = np.zeros((len(lessons), longest), dtype=np.int64)
    words, bits = list[npt.NDArray[np.int64]](), list[npt.NDArray[np.uint64]]()
    for row, lesson in enumerate(lessons):
        tokens, window = lesson.document.tokens, lesson.window
        size = _size(lesson)
        ids[row, :size] = [first, *tokens.ids[window.start : window.end], last]
        attended[row, :size] = 1
        known = shape_marks(lesson.document.text, tokens)
        if random.random() < dropout.shapes:
            known[:] = 0
        known = add_names(known, tokens, _drawn(lesson, dropout, random))
        marks[row, 1 : size - 1] = known[window.start : window.end]
        begin, end = np.searchsorted(tokens.words, [window.first, window.last])
        words.append(row * longest + 1 + tokens.words[begin:end] - window.start)
        bits.append(lesson.document.allowed[begin:end])
    places = np.arange(lessons[0].document.tags, dtype=np.uint64)
    tags = np.concatenate(bits)[:, None] >> places & np.uint64(1)
    return WordBatch(
        torch.from_numpy(ids),
        torch.from_numpy(marks),
        torch.from_numpy(attended),
        torch.from_numpy(np.concatenate(words)),
        torch.from_numpy(tags.astype(bool)),
    )


def _drawn(lesson: Lesson, dropout: MarkDropout, random: np.random.Generator) -> list[Mention]:
    """The names that are shown, of one of the knowledge bases."""
    vocabularies = lesson.document.names
    if not vocabularies or random.random() < dropout.document:
        return []
    names = vocabularies[random.integers(len(vocabularies))]
    shown = random.random(len(names)) >= dropout.name
    return [name for name, is_shown in zip(names, shown, strict=True) if is_shown]


def _size(lesson: Lesson) -> int:
    return lesson.window.end - lesson.window.start + 2

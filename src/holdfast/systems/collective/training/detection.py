"""The losses of finding mentions: a tag per word, or every run of words as a mention or not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F
from torch import Tensor

from holdfast.systems.collective.spans import spans_of_words
from holdfast.systems.collective.training.data import Segment, SegmentBatch
from holdfast.systems.collective.training.model import DualEncoder

Integers = npt.NDArray[np.int64]


def detection_loss(
    model: DualEncoder, states: Tensor, batch: SegmentBatch, segments: Sequence[Segment]
) -> Tensor:
    """Summed over words or spans, for each mention there is; 0 where nothing is taught.

    Segments that are not taught (made-up ones, single mentions) do not count.
    *Shape:* states (all, width).
    """
    firsts = batch.firsts.tolist()
    taught = [(s, first) for s, first in zip(segments, firsts, strict=True) if s.taught]
    mentions = sum(len(segment.spans) for segment, _ in taught)
    if not taught:
        return states.new_zeros(())
    if model.tags is not None:
        rows = torch.from_numpy(np.concatenate([s.words + first for s, first in taught]))
        tags = torch.from_numpy(np.concatenate([word_tags(s) for s, _ in taught]))
        total = F.cross_entropy(model.tags(states[rows]), tags, reduction="sum")
    else:
        spans, labels = list[Integers](), list[npt.NDArray[np.bool_]]()
        for segment, first in taught:
            found = spans_of_words(
                segment.words, len(segment.ids), longest=model.shape.longest_span
            )
            spans.append(found + first)
            labels.append(is_mention(found, segment))
        scores = model.span_scores(states, torch.from_numpy(np.concatenate(spans)))
        truth = torch.from_numpy(np.concatenate(labels)).float()
        total = F.binary_cross_entropy_with_logits(scores, truth, reduction="sum")
    return total / max(1, mentions)


def word_tags(segment: Segment) -> Integers:
    """0 outside, 1 begin, 2 inside, for each word; of overlapping mentions the longest counts.

    *Shape:* (words,).
    """
    tags = np.zeros(len(segment.words), dtype=np.int64)
    for first, last in sorted(_in_words(segment), key=lambda span: span[1] - span[0]):
        tags[first : last + 1] = 2
        tags[first] = 1
        # What is left of a mention that this one covers in part begins anew.
        if last + 1 < len(tags) and tags[last + 1] == 2:
            tags[last + 1] = 1
    return tags


def is_mention(spans: Integers, segment: Segment) -> npt.NDArray[np.bool_]:
    """Which of the spans, in tokens, are those of mentions, rounded to whole words."""
    lasts = np.append(segment.words, len(segment.ids))[1:] - 1
    gold = {(segment.words[a], lasts[b]) for a, b in _in_words(segment)}
    return np.array([(first, last) in gold for first, last in spans.tolist()], dtype=bool)


def _in_words(segment: Segment) -> list[tuple[int, int]]:
    """First and last word of each mention."""
    if not len(segment.words):
        return []
    words = np.searchsorted(segment.words, segment.spans, side="right") - 1
    return [(max(0, a), max(0, b)) for a, b in words.tolist()]

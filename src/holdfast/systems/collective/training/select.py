"""How well a dual encoder does on development segments: what a run selects by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
import torch
from torch import Tensor

from holdfast.systems.collective.entities import NAMES_FOR_ENTITY
from holdfast.systems.collective.model import span_probabilities
from holdfast.systems.collective.scores import rows_of_owners, score_entities
from holdfast.systems.collective.spans import Spans, choose_spans, spans_of_tags, spans_of_words
from holdfast.systems.collective.training.data import NameTable, Segment, SegmentBatch, joined_names
from holdfast.systems.collective.training.model import DualEncoder

THRESHOLDS: Final = tuple(round(0.05 * step, 2) for step in range(2, 19))
_TOKENS: Final = 4096  # of names or documents that are encoded at once
_BLOCK: Final = 256  # mentions compared with all names at once
_RECALLED: Final = 10

Entity = tuple[int, int, int]  # first token, last token, entity


def encode_table(model: DualEncoder, table: NameTable) -> Tensor:
    """The vectors of all names, without gradient. *Shape:* (names, width)."""
    model.eval()
    vectors = torch.zeros(len(table), model.width)
    order = sorted(range(len(table)), key=lambda row: len(table.tokens[row]))
    with torch.no_grad():
        for rows in _runs(order, [len(table.tokens[row]) + 2 for row in order]):
            vectors[rows] = model.entities(*joined_names([table.tokens[row] for row in rows]))
    return vectors


def encode_mentions(model: DualEncoder, segments: Sequence[Segment]) -> Tensor:
    """The vectors of all mentions, in order, without gradient. *Shape:* (mentions, width)."""
    model.eval()
    found = [torch.zeros(0, model.width)]
    with torch.no_grad():
        for rows in _runs(range(len(segments)), [len(s.ids) for s in segments]):
            batch = SegmentBatch.of([segments[row] for row in rows])
            found.append(model.mentions(model.states(batch.tokens, batch.lengths), batch.spans))
    return torch.cat(found)


def linking_scores(
    model: DualEncoder, segments: Sequence[Segment], table: NameTable, cache: Tensor
) -> dict[str, float]:
    """`accuracy` at 1 and `recall_at_10` over the mentions that have a gold entity."""
    mentions = encode_mentions(model, segments)
    golds = [gold for segment in segments for gold in segment.golds]
    known = [at for at, gold in enumerate(golds) if gold]
    right = within = 0
    for at, ranked in zip(known, ranked_entities(mentions[known], table, cache), strict=True):
        right += ranked[0] in golds[at]
        within += any(entity in golds[at] for entity in ranked)
    count = max(1, len(known))
    return {"accuracy": right / count, "recall_at_10": within / count}


def ranked_entities(mentions: Tensor, table: NameTable, cache: Tensor) -> Iterable[list[int]]:
    """The ten entities nearest to each mention, nearest first."""
    for block in mentions.split(_BLOCK):
        every = block @ cache.T
        near = every.topk(min(len(cache), NAMES_FOR_ENTITY * _RECALLED)).indices.numpy()
        for scores, places in zip(every.numpy(), near, strict=True):
            rows = rows_of_owners(table.owner, table.owner[places])
            found = score_entities(scores[rows], table.owner[rows])
            yield [each.entity for each in found[:_RECALLED]]


def joint_scores(
    model: DualEncoder, segments: Sequence[Segment], table: NameTable, cache: Tensor
) -> dict[str, float]:
    """`f1` of mentions found and linked at the best `threshold`, and `found_f1` of finding alone.

    A prediction is right if first token, last token and entity are; mentions of no known entity
    count in `found_f1` only. BIO tags have no threshold: it is 0.5 then.
    """
    model.eval()
    tried = THRESHOLDS if model.shape.detection == "spans" else (0.5,)
    counts = np.zeros((len(tried), 4))  # found, places right, links right, linkable
    gold_links = sum(bool(gold) for segment in segments for gold in segment.golds)
    gold_places = sum(len(segment.spans) for segment in segments)
    with torch.no_grad():
        for segment in segments:
            golds = _golds(segment)
            for number, predicted in enumerate(_predicted(model, segment, table, cache, tried)):
                counts[number] += (
                    len(predicted),
                    sum((first, last) in golds for first, last, _ in predicted),
                    sum(entity in golds.get((a, b), ()) for a, b, entity in predicted),
                    sum(golds.get((a, b), (0,)) != () for a, b, _ in predicted),
                )
    found, places, links, linkable = counts.T
    f1 = 2 * links / np.maximum(1, linkable + gold_links)
    best = int(f1.argmax())
    place = 2 * places[best] / max(1, found[best] + gold_places)
    return {"f1": float(f1[best]), "found_f1": float(place), "threshold": tried[best]}


def _golds(segment: Segment) -> dict[tuple[int, int], tuple[int, ...]]:
    """Entities by place, in tokens rounded to whole words."""
    lasts = np.append(segment.words, len(segment.ids))[1:] - 1
    golds = dict[tuple[int, int], tuple[int, ...]]()
    for (a, b), gold in zip(segment.spans.tolist(), segment.golds, strict=True):
        first, last = np.searchsorted(segment.words, [a, b], side="right") - 1
        place = int(segment.words[max(0, first)]), int(lasts[max(0, last)])
        golds[place] = golds.get(place, ()) + gold
    return golds


def _predicted(
    model: DualEncoder,
    segment: Segment,
    table: NameTable,
    cache: Tensor,
    thresholds: Sequence[float],
) -> Iterable[list[Entity]]:
    """What is found and linked, for each threshold."""
    batch = SegmentBatch.of([segment])
    states = model.states(batch.tokens, batch.lengths)
    head = model.tags if model.tags is not None else model.span
    assert head is not None
    scores = head(states).numpy()
    sets: list[Spans]
    if model.tags is not None:
        sets = [spans_of_tags(scores, segment.words)]
    else:
        every = spans_of_words(segment.words, len(segment.ids), longest=model.shape.longest_span)
        likely = span_probabilities(scores, every)
        sets = [every[choose_spans(every, likely, threshold=t)] for t in thresholds]
    distinct = sorted({(a, b) for spans in sets for a, b in spans.tolist()})
    vectors = model.mentions(states, torch.tensor(distinct, dtype=torch.long).reshape(-1, 2))
    ranked = ranked_entities(vectors, table, cache)
    entity = {place: near[0] for place, near in zip(distinct, ranked, strict=True)}
    for spans in sets:
        yield [(a, b, entity[a, b]) for a, b in spans.tolist()]


def _runs(items: Sequence[int], sizes: Sequence[int]) -> list[list[int]]:
    """The items in their order, in runs of about _TOKENS tokens."""
    runs, room = list[list[int]](), 0
    for item, size in zip(items, sizes, strict=True):
        if room < size:
            runs.append([])
            room = _TOKENS
        runs[-1].append(item)
        room -= size
    return runs

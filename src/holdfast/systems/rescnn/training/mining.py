"""Which concepts a model confuses: the neighbours that fine-tuning contrasts."""

from __future__ import annotations

from typing import Final

import numpy as np

from holdfast.encoders.names import plain
from holdfast.systems.rescnn.training.batches import NameBatches
from holdfast.systems.rescnn.training.train import Encode

_BLOCK: Final = 256  # queries compared with all names at once


def mine_neighbours(encode: Encode, batches: NameBatches, *, near: int = 20) -> NameBatches:
    """Batches in which each group with mentions has the groups whose names are nearest.

    Of the `near` names nearest to each mention, those of other groups count; a group that is near
    to several mentions, or with several names, is drawn the more often. Groups without mentions
    have no neighbours.
    """
    owners, names = list[int](), list[str]()
    seeds, mentions = list[int](), list[str]()
    for label, group in enumerate(batches.groups):
        owners.extend([label] * len(group.names))
        names.extend(plain(name) for name in group.names)
        seeds.extend([label] * len(group.mentions))
        mentions.extend(plain(mention) for mention in group.mentions)
    vectors, owner = encode(names), np.array(owners)
    queries = encode(mentions)
    neighbours: dict[int, list[int]] = {}
    near = min(near, len(names))
    for start in range(0, len(mentions), _BLOCK):
        similarity = queries[start : start + _BLOCK] @ vectors.T
        found = owner[np.argpartition(-similarity, near - 1, axis=1)[:, :near]]
        for seed, labels in zip(seeds[start : start + _BLOCK], found, strict=True):
            neighbours.setdefault(seed, []).extend(labels[labels != seed].tolist())
    return batches.with_neighbours(neighbours)

"""What one step learns from: pairs of names that mean the same, among names that look the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast.encoders.names import plain
from holdfast.errors import InvalidValueError
from holdfast.systems.rescnn.training.augment import augment
from holdfast.systems.rescnn.training.synonyms import Group

_COMMON: Final = 3000  # a word in more groups than this makes no neighbours


@dataclass(frozen=True, slots=True)
class NameBatch:
    names: list[str]  # plain
    labels: npt.NDArray[np.int64]  # the group of each name


@dataclass(frozen=True, slots=True)
class BatchConfig:
    groups: int = 256  # in one batch, two names each
    seeds: float = 0.25  # of the groups are drawn; the others are their neighbours or random
    neighbours: int = 2  # of each seed
    augmented: float = 0.3  # of the names
    mention_first: float = 0.8  # of the seeds with mentions start from one


class NameBatches:
    """Draws batches; the same generator state gives the same batch."""

    def __init__(
        self,
        groups: Sequence[Group],
        *,
        weights: npt.ArrayLike,  # how often each group is a seed; any scale
        config: BatchConfig,
        neighbours: Mapping[int, Sequence[int]] | None = None,  # None: groups that share a word
    ) -> None:
        if not groups:
            raise InvalidValueError("there are no groups to draw from")
        self.groups = groups
        self.config = config
        self._weights = np.cumsum(np.asarray(weights, dtype=np.float64))
        self._neighbours = neighbours
        self._words: list[list[str]] = []
        self._sharing = defaultdict[str, list[int]](list)
        if neighbours is None:
            self._index_words()

    def with_neighbours(self, neighbours: Mapping[int, Sequence[int]]) -> NameBatches:
        """Batches of these groups and odds with other neighbours."""
        return NameBatches(
            self.groups,
            weights=np.diff(self._weights, prepend=0.0),
            config=self.config,
            neighbours=neighbours,
        )

    def draw(self, rng: np.random.Generator) -> NameBatch:
        """Groups without repetition, two names of each side by side."""
        chosen = dict.fromkeys(self._seeds(int(self.config.groups * self.config.seeds), rng))
        for seed in list(chosen):
            chosen.update(dict.fromkeys(self._near(seed, rng)))
        while len(chosen) < self.config.groups and len(chosen) < len(self.groups):
            missing = self.config.groups - len(chosen)
            chosen.update(dict.fromkeys(rng.integers(len(self.groups), size=missing).tolist()))
        picked = list(chosen)[: self.config.groups]
        names = [plain(name) for label in picked for name in self._pair(label, rng)]
        return NameBatch(names, np.repeat(np.array(picked, dtype=np.int64), 2))

    def _seeds(self, count: int, rng: np.random.Generator) -> list[int]:
        draws = rng.random(count) * self._weights[-1]
        return np.searchsorted(self._weights, draws, side="right").tolist()

    def _near(self, seed: int, rng: np.random.Generator) -> list[int]:
        if self._neighbours is not None:
            near = self._neighbours.get(seed, ())
        else:
            words = self._words[seed]
            near = self._sharing[words[int(rng.integers(len(words)))]] if words else ()
        if not len(near):
            return []
        return [near[int(i)] for i in rng.integers(len(near), size=self.config.neighbours)]

    def _pair(self, label: int, rng: np.random.Generator) -> tuple[str, str]:
        group = self.groups[label]
        names = group.names
        if group.mentions and rng.random() < self.config.mention_first:
            first = group.mentions[int(rng.integers(len(group.mentions)))]
            names = (*names, *group.mentions)
        else:
            first = names[int(rng.integers(len(names)))]
        others = [name for name in names if name != first]
        if not others:
            return first, augment(first, rng)
        second = others[int(rng.integers(len(others)))]
        if rng.random() < self.config.augmented:
            first = augment(first, rng)
        if rng.random() < self.config.augmented:
            second = augment(second, rng)
        return first, second

    def _index_words(self) -> None:
        for label, group in enumerate(self.groups):
            words = {word for name in group.names[:4] for word in plain(name).split()}
            self._words.append([word for word in sorted(words) if len(word) > 2])
            for word in self._words[-1]:
                self._sharing[word].append(label)
        useful = {w for w, labels in self._sharing.items() if 1 < len(labels) <= _COMMON}
        self._words = [[w for w in words if w in useful] for words in self._words]

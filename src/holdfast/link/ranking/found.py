"""What queries find: names, and the entities that they belong to, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Names:
    """Names that queries found in one list of names. *Shape:* (names,) of each column"""

    query: Rows  # the number of the query that found the name, ascending
    row: Rows  # of the name in its list
    is_exact: Flags
    ngram: Floats  # cosines
    dense: Floats

    @classmethod
    def concatenated(cls, parts: Sequence[Names]) -> Names:
        """The names of all parts, one part after the other."""
        return cls(
            np.concatenate([names.query for names in parts]),
            np.concatenate([names.row for names in parts]),
            np.concatenate([names.is_exact for names in parts]),
            np.concatenate([names.ngram for names in parts]),
            np.concatenate([names.dense for names in parts]),
        )

    def of_queries(self, kept: Sequence[int]) -> Names:
        """The names of some queries, whose numbers ascend; these are numbered anew from 0."""
        place = np.searchsorted(kept, self.query)
        is_kept = np.append(kept, -1)[place] == self.query
        return replace(self, query=place).chosen(is_kept)

    def chosen(self, which: Flags) -> Names:
        """The names where `which` is true."""
        return Names(
            self.query[which],
            self.row[which],
            self.is_exact[which],
            self.ngram[which],
            self.dense[which],
        )


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The candidates of one query as columns, best first. *Shape:* (candidates,)

    Best is: equal names before others, then the sum of both cosines; ties by row.
    """

    entity: Rows  # rows in the knowledge base
    name: tuple[str, ...]  # of each, the one that resembles the query most
    is_used: Flags  # whether that name comes from a corpus
    is_exact: Flags
    is_exact_in_kb: Flags
    is_preferred: Flags  # the query is the preferred name
    is_verbatim: Flags  # equal but for case
    ngram: Floats  # the highest cosine of any name
    ngram_in_kb: Floats
    dense: Floats
    dense_in_kb: Floats

    def __len__(self) -> int:
        return len(self.entity)

    @classmethod
    def joined(cls, parts: Sequence[Found]) -> Found:
        """The candidates of several queries, one after the other."""
        parts = [NO_CANDIDATES, *parts]
        columns = {
            column: np.concatenate([getattr(part, column) for part in parts])
            for column in cls.__slots__
            if column != "name"
        }
        return cls(name=tuple(chain.from_iterable(part.name for part in parts)), **columns)

    def part(self, start: int, end: int) -> Found:
        """The candidates in these places: a copy, which does not keep the others in memory."""
        columns = {column: getattr(self, column)[start:end] for column in self.__slots__}
        names = columns.pop("name")
        return Found(name=names, **{column: part.copy() for column, part in columns.items()})


NO_NAMES: Final = Names(
    np.zeros(0, dtype=np.int64),
    np.zeros(0, dtype=np.int64),
    np.zeros(0, dtype=bool),
    np.zeros(0, dtype=np.float32),
    np.zeros(0, dtype=np.float32),
)
NO_CANDIDATES: Final = Found(
    np.zeros(0, dtype=np.int64),
    (),
    *(np.zeros(0, dtype=bool) for _ in range(5)),
    *(np.zeros(0, dtype=np.float32) for _ in range(4)),
)

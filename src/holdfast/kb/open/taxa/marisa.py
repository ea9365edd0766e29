"""Reads record tries of the MARISA library: every key and record, as numpy columns.

A trie is a tree whose shape is a bit string (LOUDS: each node's children as ones, closed by a
zero, level by level). A node's label is a byte, or a longer string that lies in a further trie,
upwards from one of its nodes, or in a list of tails. All nodes of a level are read at once, so
that millions of keys take seconds without the C++ library.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast.errors import FormatError

_MAGIC: Final = b"We love Marisa.\0"
_SEPARATOR: Final = 0xFF  # between a key and its record

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]
Bits = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """The records of a trie whose keys are decimal numbers, by ascending number."""

    numbers: Ints
    fields: Bytes  # *Shape:* (numbers, bytes of a record)


@dataclass(frozen=True, slots=True, eq=False)
class _Strings:
    """Strings of bytes as rows that are filled up with zeros."""

    rows: Bytes  # *Shape:* (strings, longest)
    lengths: Ints

    def at(self, which: Ints) -> _Strings:
        return _Strings(self.rows[which], self.lengths[which])


@dataclass(frozen=True, slots=True, eq=False)
class _Trie:
    """The parts of one trie that say what its keys are. Node 0 is the root."""

    parents: Ints  # of each node; -1 for the root
    is_key: Bits  # whether a key ends at the node
    labels: _Strings  # of each node; the root has none


def read_numbered_records(data: bytes, *, size: int) -> Records:
    """All records, each of `size` bytes, of a trie whose keys are numbers in decimal."""
    trie = _read_trie(_Reader(data))
    keys = _joined(trie, downwards=True).at(np.flatnonzero(trie.is_key))
    digits = keys.lengths - size - 1
    if not len(digits) or digits.min() < 1:
        raise FormatError(f"a MARISA trie whose keys are not numbers with {size} bytes of record")
    every = np.arange(len(digits))
    numbers = np.zeros(len(digits), dtype=np.int64)
    for place in range(int(digits.max())):
        digit = keys.rows[:, place].astype(np.int64) - ord("0")
        goes_on = place < digits
        if ((digit < 0) | (digit > 9))[goes_on].any():
            raise FormatError("a MARISA trie with a key that is not a number")
        numbers = np.where(goes_on, numbers * 10 + digit, numbers)
    if (keys.rows[every, digits] != _SEPARATOR).any():
        raise FormatError(f"a MARISA trie whose records are not {size} bytes long")
    fields = keys.rows[every[:, None], digits[:, None] + 1 + np.arange(size)]
    order = np.argsort(numbers, kind="stable")
    return Records(numbers[order], fields[order])


class _Reader:
    """Takes the parts of a trie's file one after the other."""

    def __init__(self, data: bytes) -> None:
        if not data.startswith(_MAGIC):
            raise FormatError("not a MARISA trie")
        self._data = data
        self._place = len(_MAGIC)

    def number(self, bytes: int) -> int:
        return int.from_bytes(self._taken(bytes), "little")

    def vector(self, type: npt.DTypeLike) -> npt.NDArray[np.generic]:
        """An array, which its length precedes; the next part begins at a multiple of 8 bytes."""
        length = self.number(8)
        values = np.frombuffer(self._taken(length), dtype=type)
        self._taken(-length % 8)
        return values

    def bits(self) -> Bits:
        units = self.vector("<u8")
        size = self.number(4)
        self.number(4)  # how many are set
        for _ in range(3):  # indexes for random access
            self.vector("u1")
        return np.unpackbits(units.view(np.uint8), count=size, bitorder="little").astype(bool)

    def numbers(self) -> Ints:
        """Whole numbers of a fixed count of bits each, packed."""
        units = self.vector("<u8")
        bits = self.number(4)
        self.number(4)  # the mask
        size = self.number(8)
        flat = np.unpackbits(units.view(np.uint8), count=size * bits, bitorder="little")
        values = np.zeros(size, dtype=np.int64)
        for place, column in enumerate(flat.reshape(size, bits).T if bits else ()):
            values |= column.astype(np.int64) << place
        return values

    def _taken(self, length: int) -> bytes:
        start, self._place = self._place, self._place + length
        if self._place > len(self._data):
            raise FormatError("a MARISA trie that is cut off")
        return self._data[start : self._place]


def _read_trie(reader: _Reader) -> _Trie:
    shape, is_key, is_linked = reader.bits(), reader.bits(), reader.bits()
    bases = reader.vector("u1").astype(np.uint8)
    extras = reader.numbers()
    tails = reader.vector("u1").astype(np.uint8)
    ends = reader.bits()
    further = None
    if is_linked.any() and not len(tails):
        further = _read_trie(reader)
    reader.vector("u1")  # a cache
    reader.number(4)  # nodes of the first level
    reader.number(4)  # how it was built
    ones = np.flatnonzero(shape)
    parents = ones - np.arange(len(ones)) - 1
    linked = np.flatnonzero(is_linked)
    links = (extras << 8) | bases[linked]
    strings = _joined(further, downwards=False) if further else None
    text = strings.at(links) if strings else _tails_at(links, tails, ends)
    rows = np.zeros((len(ones), max(1, text.rows.shape[1])), dtype=np.uint8)
    lengths = np.ones(len(ones), dtype=np.int64)
    rows[:, 0] = bases
    rows[linked, : text.rows.shape[1]] = text.rows
    lengths[linked] = text.lengths
    lengths[0] = 0
    return _Trie(parents, is_key[: len(ones)], _Strings(rows, lengths))


def _tails_at(places: Ints, tails: Bytes, ends: Bits) -> _Strings:
    """The strings that begin at these places; zeros or, where there are any, bits end them."""
    if not len(places):
        return _Strings(np.zeros((0, 1), np.uint8), np.zeros(0, np.int64))
    stops = np.flatnonzero(ends) + 1 if len(ends) else np.flatnonzero(tails == 0)
    after = np.searchsorted(stops, places, side="right")
    lengths = stops[after] - places
    within = np.arange(int(lengths.max()))
    rows = tails[np.minimum(places[:, None] + within, len(tails) - 1)]
    rows[within >= lengths[:, None]] = 0
    return _Strings(rows, lengths)


def _joined(trie: _Trie, *, downwards: bool) -> _Strings:
    """For each node, the labels from the root down to it, or from it up to the root."""
    own, parents = trie.labels, trie.parents
    lengths = own.lengths.copy()
    for nodes in _levels(parents):
        lengths[nodes] += lengths[parents[nodes]]
    rows = np.zeros((len(parents), int(lengths.max(initial=1))), dtype=np.uint8)
    for nodes in _levels(parents):
        above = parents[nodes]
        first, second = (above, nodes) if downwards else (nodes, above)
        begin = rows if downwards else own.rows
        start = lengths[above] if downwards else own.lengths[nodes]
        added = own.rows[second] if downwards else rows[second]
        width = min(begin.shape[1], rows.shape[1])
        rows[nodes, :width] = begin[first, :width]
        for offset in range(added.shape[1]):
            place = start + offset
            fits = place < lengths[nodes]
            rows[nodes[fits], place[fits]] = added[fits, offset]
    return _Strings(rows, lengths)


def _levels(parents: Ints) -> Iterator[Ints]:
    """The nodes below the root, level by level: their numbers ascend, parents come first."""
    first = 1
    while first < len(parents):
        end = int(np.searchsorted(parents, first))
        yield np.arange(first, end)
        first = end

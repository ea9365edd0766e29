"""Writes record tries as the MARISA library lays them out, without labels of several bytes."""

from __future__ import annotations

import struct
from collections.abc import Mapping

import numpy as np


def marisa_file(records: Mapping[int, bytes]) -> bytes:
    """A trie from decimal numbers to records."""
    keys = sorted(str(number).encode() + b"\xff" + record for number, record in records.items())
    shape, labels, ends = [1, 0], [0], [0]
    level = [(keys, 0)]
    while level:
        below = []
        for group, depth in level:
            for label in dict.fromkeys(key[depth] for key in group if len(key) > depth):
                under = [key for key in group if key[depth : depth + 1] == bytes([label])]
                below.append((under, depth + 1))
                labels.append(label)
                ends.append(int(any(len(key) == depth + 1 for key in under)))
                shape.append(1)
            shape.append(0)
        level = below
    return b"".join(
        [
            b"We love Marisa.\0",
            *(_bits(shape), _bits(ends), _bits([0] * len(labels))),
            _vector(bytes(labels)),
            *(_vector(b""), struct.pack("<IIQ", 0, 0, 0)),  # no labels of several bytes
            *(_vector(b""), _bits([])),  # no tails
            *(_vector(b""), struct.pack("<II", 0, 0)),
        ]
    )


def _bits(bits: list[int]) -> bytes:
    packed = np.packbits(np.array(bits, dtype=bool), bitorder="little").tobytes()
    units = _vector(packed + bytes(-len(packed) % 8))
    return units + struct.pack("<II", len(bits), sum(bits)) + 3 * _vector(b"")


def _vector(data: bytes) -> bytes:
    return struct.pack("<Q", len(data)) + data + bytes(-len(data) % 8)

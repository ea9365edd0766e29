"""Vectors of names as int8 in shards on disk: interrupted encoding goes on where it was."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np

from holdfast.errors import InvalidValueError
from holdfast.names.vectors import Bytes, Encoder, Floats, quantised, restored

SHARD: Final = 1 << 16  # names
_BATCH: Final = 1 << 14  # names encoded at once


def encode_shards(
    names: Iterable[str],
    encoder: Encoder,
    folder: Path,
    *,
    size: int = SHARD,
    progress: Callable[[int], None] = lambda _: None,
) -> int:
    """Write the shards that are not there yet; return how many were. Each is whole or missing.

    `progress` is called with the number of names that are done.
    """
    folder.mkdir(parents=True, exist_ok=True)
    waiting = iter(names)
    written = done = number = 0
    while part := list(islice(waiting, size)):
        path = folder / f"{number:05}.npy"
        if not path.exists():
            blocks = [
                quantised(encoder.encode(part[start : start + _BATCH]))
                for start in range(0, len(part), _BATCH)
            ]
            temporary = path.with_suffix(".part")
            with temporary.open("wb") as stream:
                np.save(stream, np.concatenate(blocks))
            temporary.replace(path)
            written += 1
        number += 1
        done += len(part)
        progress(done)
    return written


def read_shards(folder: Path) -> Iterator[Bytes]:
    """The shards in order, mapped. *Shape:* each (names, width)."""
    for path in sorted(folder.glob("*.npy")):
        yield np.load(path, mmap_mode="r")


class KeptVectors:
    """Stands in for an encoder while an index of exactly these names is built, in their order."""

    def __init__(self, encoder: Encoder, folder: Path) -> None:
        self.width = encoder.width
        self.digest = encoder.digest
        self._shards = read_shards(folder)
        self._rest: Bytes = np.zeros((0, encoder.width), dtype=np.int8)

    def encode(self, names: Sequence[str]) -> Floats:
        """The next so many vectors; InvalidValueError if there are not enough."""
        parts = [self._rest]
        while sum(map(len, parts)) < len(names):
            shard = next(self._shards, None)
            if shard is None:
                raise InvalidValueError("fewer vectors are kept than there are names")
            parts.append(shard)
        joined = np.concatenate(parts)
        self._rest = joined[len(names) :]
        return restored(joined[: len(names)])

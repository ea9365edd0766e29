"""Stored representations: one Arrow file of mentions with their sparse and dense vectors.

The types of a mention are 16 or 32 bits and its probabilities one byte each, so that 100,000
mentions with 32 types take about 12 MB. Dense vectors, where they are kept, take 16 bits a number.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from holdfast.errors import FormatError, InputError, UsageError
from holdfast.files import replacing
from holdfast.systems.bier.sparse import Floats, SparseVectors, packed, unpacked

_KEY: Final = b"holdfast"
_VERSION: Final = 1
_SMALL: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class StoredMention:
    """A mention that is represented."""

    document: str
    start: int
    end: int
    text: str
    label: str = ""  # its type in the corpus, or as it was detected
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Represented:
    """Mentions and their vectors, row by row."""

    places: tuple[StoredMention, ...]
    sparse: SparseVectors
    dense: Floats | None  # (mentions, width)
    types: tuple[str, ...]  # the names of all types
    digest: str = ""  # of the model

    def __len__(self) -> int:
        return len(self.places)

    @property
    def labels(self) -> list[str]:
        return [place.label for place in self.places]


@dataclass(frozen=True, slots=True)
class MentionBlock:
    """Some mentions on their way into a file."""

    places: Sequence[StoredMention]
    sparse: SparseVectors
    dense: Floats | None


def write_represented(
    path: Path,
    blocks: Iterable[MentionBlock],
    *,
    types: Sequence[str],
    digest: str,
    keeps_dense: bool,
) -> int:
    """Write a file as the blocks come; the number of mentions. Memory is that of one block."""
    told = {"version": _VERSION, "types": list(types), "digest": digest}
    metadata = {_KEY: json.dumps(told, ensure_ascii=False).encode()}
    writer: Any = None
    count = 0
    with replacing(path) as stream:
        for block in blocks:
            batch = _batch(block, len(types), keeps_dense=keeps_dense)
            batch = batch.replace_schema_metadata(metadata)
            if writer is None:
                writer = pa.ipc.new_file(stream, batch.schema)
            writer.write_batch(batch)
            count += len(block.places)
        if writer is None:
            raise UsageError("no mention was found; there is nothing to represent")
        writer.close()
    return count


def _batch(block: MentionBlock, types: int, *, keeps_dense: bool) -> Any:
    number = pa.uint16() if types <= _SMALL else pa.uint32()
    kept = block.sparse.types.shape[1]
    columns: dict[str, Any] = {
        "document": pa.array([place.document for place in block.places], pa.string()),
        "start": pa.array([place.start for place in block.places], pa.int32()),
        "end": pa.array([place.end for place in block.places], pa.int32()),
        "text": pa.array([place.text for place in block.places], pa.string()),
        "label": pa.array([place.label for place in block.places], pa.string()),
        "ids": pa.array([" ".join(place.ids) for place in block.places], pa.string()),
        "types": pa.FixedSizeListArray.from_arrays(
            pa.array(block.sparse.types.ravel(), number), kept
        ),
        "probabilities": pa.FixedSizeListArray.from_arrays(
            pa.array(packed(block.sparse.values).ravel(), pa.uint8()), kept
        ),
    }
    if keeps_dense and block.dense is not None:
        columns["dense"] = pa.FixedSizeListArray.from_arrays(
            pa.array(block.dense.astype(np.float16).ravel(), pa.float16()), block.dense.shape[1]
        )
    return pa.record_batch(columns)


def read_represented(path: Path) -> Represented:
    """A file that `write_represented` wrote; a FormatError if it is another."""
    if not path.exists():
        raise InputError(f"{path}: not there; `holdfast represent` makes such a file")
    try:
        with pa.memory_map(str(path)) as source:
            table = pa.ipc.open_file(source).read_all()
        told = json.loads((table.schema.metadata or {})[_KEY])
        names = tuple(told["types"])
        kept = table.schema.field("types").type.list_size
        sparse = SparseVectors(
            _matrix(table, "types", kept).astype(np.int32),
            unpacked(_matrix(table, "probabilities", kept)),
            len(names),
        )
        places = tuple(_places(table))
        dense = None
        if "dense" in table.column_names:
            width = table.schema.field("dense").type.list_size
            dense = _matrix(table, "dense", width).astype(np.float32)
    except (pa.ArrowException, KeyError, ValueError, AttributeError) as error:
        reason = " ".join(str(error).split())[:200]
        raise FormatError(f"no file of representations ({reason})", path=path) from error
    return Represented(places, sparse, dense, names, str(told.get("digest", "")))


def _matrix(table: Any, name: str, width: int) -> npt.NDArray[Any]:
    parts = [chunk.flatten().to_numpy(zero_copy_only=False) for chunk in table.column(name).chunks]
    flat: npt.NDArray[Any] = np.concatenate(parts)
    return flat.reshape(-1, width)


def _places(table: Any) -> Iterator[StoredMention]:
    names = ("document", "start", "end", "text", "label", "ids")
    columns = (table.column(name).to_pylist() for name in names)
    for document, start, end, text, label, ids in zip(*columns, strict=True):
        yield StoredMention(document, start, end, text, label, tuple(ids.split()))

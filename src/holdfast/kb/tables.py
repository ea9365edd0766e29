"""The columns of a knowledge base: Arrow IPC files, one record batch each, memory-mapped.

entities     one row per entity; its row number is its key everywhere else
names        sorted by entity; an entity's first name is the preferred one; `origin` says whose
             name it is, which may be another vocabulary than the entity's
types        sorted by entity; `type` counts into the manifest's list of types
relations    sorted by entity (the subject); `predicate` counts into the manifest's list
definitions  sorted by entity
xrefs        sorted by entity
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

SCHEMAS: Final[dict[str, pa.Schema]] = {
    "entities": pa.schema(
        [
            ("id", pa.large_string()),
            ("source", pa.uint16()),  # counts into the manifest's list of sources
            ("type_mask", pa.uint32()),  # as holdfast.types.mask_of has it; never 0
            ("first_name", pa.uint32()),  # row of its preferred name
        ]
    ),
    "names": pa.schema(
        [
            ("entity", pa.uint32()),
            ("name", pa.large_string()),
            ("origin", pa.uint16()),  # counts into the manifest's list of origins
        ]
    ),
    "types": pa.schema([("entity", pa.uint32()), ("type", pa.uint16())]),
    "relations": pa.schema(
        [("entity", pa.uint32()), ("predicate", pa.uint16()), ("object_id", pa.large_string())]
    ),
    "definitions": pa.schema([("entity", pa.uint32()), ("definition", pa.large_string())]),
    "xrefs": pa.schema([("entity", pa.uint32()), ("xref", pa.large_string())]),
}

_ROWS_IN_MEMORY: Final = 1 << 17


class Spool:
    """Rows on their way into a table: kept on disk, so that millions cost no memory."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._path = path
        self._schema = schema
        self._columns: list[list[Any]] = [[] for _ in schema]
        self._writer = pa.ipc.new_stream(str(path), schema)
        self.rows = 0

    def append(self, *values: Any) -> None:
        """One value per column, in the schema's order."""
        for column, value in zip(self._columns, values, strict=True):
            column.append(value)
        self.rows += 1
        if len(self._columns[0]) >= _ROWS_IN_MEMORY:
            self._flush()

    def _flush(self) -> None:
        if self._columns[0]:
            arrays = [
                pa.array(column, type=field.type)
                for column, field in zip(self._columns, self._schema, strict=True)
            ]
            self._writer.write_batch(pa.record_batch(arrays, schema=self._schema))
            self._columns = [[] for _ in self._schema]

    def table(self) -> pa.Table:
        """All rows, mapped from disk; nothing can be appended any more."""
        self._flush()
        self._writer.close()
        with pa.memory_map(str(self._path)) as source:
            return pa.ipc.open_stream(source).read_all()

    def close(self) -> None:
        self._writer.close()
        self._path.unlink(missing_ok=True)


def write_table(table: pa.Table, path: Path) -> None:
    """One record batch, so that every column can be viewed as one numpy array."""
    table = table.combine_chunks()
    with pa.ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table, max_chunksize=max(1, len(table)))


def read_table(path: Path) -> pa.Table:
    """Memory-mapped: opening reads nothing but the file's footer."""
    return pa.ipc.open_file(pa.memory_map(str(path))).read_all()


def column(table: pa.Table, name: str) -> Any:
    """A numeric column as a numpy array that shares the mapped memory."""
    chunked = table.column(name)
    if chunked.num_chunks == 0:
        return pa.array([], chunked.type).to_numpy(zero_copy_only=True)
    return chunked.chunk(0).to_numpy(zero_copy_only=True)


def strings_at(values: pa.ChunkedArray, rows: npt.NDArray[np.int64]) -> list[str]:
    """The strings in these rows of a mapped column of large strings. *Shape:* (rows,)

    Arrow's own `take` would import pyarrow.compute, which costs more than some thousand strings.
    """
    if not len(rows):
        return []
    chunk = values.chunk(0)
    _, offsets, characters = chunk.buffers()
    bounds = np.frombuffer(offsets, dtype=np.int64)[chunk.offset :]
    text = memoryview(characters)
    starts, ends = bounds[rows].tolist(), bounds[rows + 1].tolist()
    return [str(text[start:end], "utf-8") for start, end in zip(starts, ends, strict=True)]


def count_prefixes(*columns: pa.ChunkedArray) -> dict[str, int]:
    """How many values of the columns begin with each prefix, which a colon ends."""
    import pyarrow.compute as pc  # slow to import; reading a mapped table needs none of it

    counts = dict[str, int]()
    for values in columns:
        for chunk in values.chunks:
            first = pc.list_element(pc.split_pattern(chunk, ":", max_splits=1), 0)
            for item in pc.value_counts(first).to_pylist():
                counts[item["values"]] = counts.get(item["values"], 0) + item["counts"]
    return counts


def sorted_by_entity(table: pa.Table, *, but: str = "") -> pa.Table:
    """The rows in the order of their entities, otherwise as they came, each once.

    Rows that differ only in the column `but` are equal; the first of them is kept.
    """
    import pyarrow.compute as pc

    if not len(table):
        return table
    keys = np.zeros(len(table), dtype=np.uint64)
    for name in (name for name in table.column_names[1:] if name != but):
        values = table.column(name)
        if pa.types.is_large_string(values.type):
            values = pc.dictionary_encode(values).combine_chunks().indices
        keys = keys * np.uint64(1 << 32) + np.asarray(values, dtype=np.uint64)
    entities = np.asarray(table.column("entity"))
    order = np.argsort(entities, kind="stable")
    # Equal rows of one entity meet in this second order; the first of each is kept.
    together = np.lexsort((order, keys[order], entities[order]))
    rows = order[together]
    repeats = np.zeros(len(rows), dtype=bool)
    repeats[1:] = (entities[rows][1:] == entities[rows][:-1]) & (keys[rows][1:] == keys[rows][:-1])
    dropped = np.zeros(len(rows), dtype=bool)
    dropped[rows[repeats]] = True
    kept = order[~dropped[order]]
    if len(kept) == len(table) and np.array_equal(kept, np.arange(len(table))):
        return table
    return table.take(kept)

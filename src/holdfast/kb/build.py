"""Builds a knowledge base from records: streams them to disk, then sorts columns and indexes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from operator import length_hint
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa

from holdfast import artifacts
from holdfast.errors import KnowledgeBaseError
from holdfast.kb.ids import IdIndex
from holdfast.kb.records import Addition, Entry, Record
from holdfast.kb.tables import SCHEMAS, Spool, column, read_table, sorted_by_entity, write_table
from holdfast.names.exact import ExactIndex
from holdfast.names.ngram import NgramIndex
from holdfast.progress import Progress
from holdfast.text.tokens import KEY_RULES
from holdfast.types import FOREIGN, TYPES, UNTYPED, canonical_type

KIND: Final = "knowledge base"
VERSION: Final = 2

_REPORT_EVERY: Final = 1 << 14
_READ, _SORTED, _INDEXED = 0.4, 0.5, 0.95  # the part of a build that is done after each step


@dataclass(frozen=True, slots=True)
class Source:
    """Where entities come from."""

    name: str  # e.g. "MeSH"
    version: str = ""
    licence: str = ""
    origin: str = ""  # the packages, or the reader of a file
    path: str = ""  # of the file, where it was read from one
    options: str = ""  # of its reader, a JSON object
    is_part: bool = False  # some entities of the source were left out on purpose
    is_own: bool = False  # the user's: every name listed is found, however common its words
    every_name: bool = False  # also single common words and names of one or two characters


@dataclass(frozen=True, slots=True)
class Summary:
    """What a build put into a knowledge base, and what it left out."""

    entities: int
    names: int
    dropped: int  # additions to entities that were never entered


def build_kb(
    folder: Path,
    *,
    name: str,
    parts: Iterable[tuple[Source, Iterable[Record]]],
    progress: Progress | None = None,
    entered: Callable[[int, Entry], None] | None = None,
) -> Summary:
    """Build a knowledge base from records and put it at `folder`, replacing what was there.

    It appears whole or not at all: a bad record, a full disk or an interrupt leaves the folder as
    it was. Memory is bounded by the number of entities (their ids) and the n-gram index.
    `entered` is called with every entry and the row of its entity.
    """
    report = progress or (lambda _what, _done: None)
    expected = max(1, length_hint(parts, 1))
    try:
        with artifacts.publish(folder) as scratch:
            builder = _Builder(scratch, name, entered)
            for done, (source, records) in enumerate(parts):
                builder.add(records, source, _at(report, _READ * min(1, done / expected)))
            return builder.finish(report)
    except OSError as error:
        raise KnowledgeBaseError(
            f"could not write the knowledge base {name!r} at {folder}: "
            f"{artifacts.why_not_written(error)}; nothing was changed"
        ) from error


class _Builder:
    """Collects records in a scratch folder; `finish` turns them into a knowledge base."""

    def __init__(
        self, scratch: Path, name: str, entered: Callable[[int, Entry], None] | None
    ) -> None:
        self._scratch = scratch
        self._name = name
        self._entered = entered
        self._rows: dict[str, int] = {}
        self._masks: list[int] = []
        self._sources: list[Source] = []
        self._types: dict[str, int] = {}
        self._predicates: dict[str, int] = {}
        self._origins: dict[str, int] = {}
        self._dropped = 0
        self._spools = {
            table: Spool(scratch / f"{table}.spool", schema) for table, schema in SCHEMAS.items()
        }

    def add(
        self, records: Iterable[Record], source: Source, progress: Callable[[str], None]
    ) -> None:
        """Enter every record under this source. An id entered twice keeps its first source."""
        self._sources.append(source)
        for count, record in enumerate(records):
            if count % _REPORT_EVERY == 0:
                progress(f"reading {source.name}: {len(self._rows):,} entities")
            row = self._enter(record) if isinstance(record, Entry) else self._rows.get(record.id)
            if row is None:
                self._dropped += 1
            else:
                self._describe(row, record)

    def _enter(self, entry: Entry) -> int:
        row = self._rows.setdefault(entry.id, len(self._rows))
        if row == len(self._masks):
            self._masks.append(0)
            self._spools["entities"].append(entry.id, len(self._sources) - 1, 0, 0)
        self._spools["names"].append(row, entry.name.strip(), self._origin(entry))
        if self._entered is not None:
            self._entered(row, entry)
        return row

    def _origin(self, record: Record) -> int:
        """The number of whose names a record gives: its own origin, or the source being read."""
        name = record.origin or self._sources[-1].name
        return self._origins.setdefault(name, len(self._origins))

    def _describe(self, row: int, record: Entry | Addition) -> None:
        for synonym in record.synonyms:
            if synonym := synonym.strip():
                self._spools["names"].append(row, synonym, self._origin(record))
        for type in record.types:
            self._spools["types"].append(row, self._types.setdefault(type, len(self._types)))
            canonical = canonical_type(type)
            known = 1 << TYPES.index(canonical) if canonical in TYPES else FOREIGN
            self._masks[row] |= known
        if record.definition:
            self._spools["definitions"].append(row, record.definition)
        for xref in record.xrefs:
            if xref != record.id:
                self._spools["xrefs"].append(row, xref)
        for link in record.links:
            code = self._predicates.setdefault(link.predicate, len(self._predicates))
            self._spools["relations"].append(row, code, link.object_id)

    def finish(self, progress: Progress) -> Summary:
        """Sort and write every table, then the indexes over names and ids, then the manifest."""
        if not self._rows:
            raise KnowledgeBaseError(f"knowledge base {self._name!r}: its sources hold no entity")
        tables = [table for table in SCHEMAS if table != "entities"]
        for done, table in enumerate(tables):
            progress(f"sorting {table}", _READ + done / len(tables) * (_SORTED - _READ))
            rows = sorted_by_entity(self._spools[table].table(), but="origin")
            write_table(rows, self._scratch / f"{table}.arrow")
            del rows
            self._spools[table].close()
        names = self._write_entities()
        _write_indexes(self._scratch, progress)
        progress("hashing", _INDEXED)
        config = {
            "name": self._name,
            "sources": [asdict(source) for source in self._sources],
            "types": list(self._types),
            "predicates": list(self._predicates),
            "origins": list(self._origins),
            "entities": len(self._rows),
            "names": names,
            "key_rules": KEY_RULES,
        }
        artifacts.write_manifest(self._scratch, kind=KIND, version=VERSION, config=config)
        progress("done", 1.0)
        return Summary(len(self._rows), names, self._dropped)

    def _write_entities(self) -> int:
        """Complete the entities with what only the other tables tell; return the name count."""
        owner = column(read_table(self._scratch / "names.arrow"), "entity")
        first = np.searchsorted(owner, np.arange(len(self._rows), dtype=np.uint32))
        schema = SCHEMAS["entities"]
        table = self._spools["entities"].table()
        masks = pa.array([mask & ~FOREIGN or mask or UNTYPED for mask in self._masks], pa.uint32())
        table = table.set_column(2, schema.field(2), masks)
        table = table.set_column(3, schema.field(3), pa.array(first, pa.uint32()))
        write_table(table, self._scratch / "entities.arrow")
        self._spools["entities"].close()
        return len(owner)


def _write_indexes(folder: Path, progress: Progress) -> None:
    """What makes looking up ids, names and cross-references fast."""
    progress("indexing ids", _SORTED)
    IdIndex.build(_strings(folder, "entities", "id")).save(folder, "ids")
    IdIndex.build(_strings(folder, "xrefs", "xref")).save(folder, "xref_ids")
    progress("indexing names", _SORTED)
    ExactIndex.build(_strings(folder, "names", "name")).save(folder)

    def indexed(part: float) -> None:
        progress("indexing character n-grams", _SORTED + part * (_INDEXED - _SORTED))

    indexed(0.0)
    NgramIndex.build(_strings(folder, "names", "name"), folder, indexed).save(folder)


def _at(progress: Progress, done: float) -> Callable[[str], None]:
    """Progress of which only the words change."""
    return lambda what: progress(what, done)


def _strings(folder: Path, table: str, name: str) -> Iterator[str]:
    """A column's values, one at a time."""
    for chunk in read_table(folder / f"{table}.arrow").column(name).chunks:
        for start in range(0, len(chunk), _REPORT_EVERY):
            yield from chunk.slice(start, _REPORT_EVERY).to_pylist()

"""The knowledge base: columns on disk, opened in milliseconds, shared between processes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from holdfast import artifacts
from holdfast.errors import KnowledgeBaseError, UnknownEntityError, UsageError
from holdfast.kb.columns import Columns
from holdfast.kb.ids import IdIndex
from holdfast.kb.records import Entity, Link
from holdfast.kb.tables import column, count_prefixes, strings_at
from holdfast.names.exact import ExactIndex
from holdfast.names.ngram import NgramIndex

_NAME: Final = re.compile(r"\w[\w.-]*")
_BATCH: Final = 1 << 14  # names that are decoded at once


class KnowledgeBase:
    """Entities by row, by id and by name. Rows are stable for one build.

    Opening maps the files and reads almost nothing; any number of processes share the pages.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._columns = Columns(folder)
        self.manifest = self._columns.manifest
        self.name = self._columns.name
        self.sources = self._columns.sources
        self.types = self._columns.types
        self.predicates = self._columns.predicates
        self.origins = self._columns.origins
        entities, names = self.table("entities"), self.table("names")
        self.source_of: npt.NDArray[np.uint16] = column(entities, "source")
        self.type_mask: npt.NDArray[np.uint32] = column(entities, "type_mask")
        self.first_name: npt.NDArray[np.uint32] = column(entities, "first_name")
        self.entity_of_name: npt.NDArray[np.uint32] = column(names, "entity")
        self._ids = entities.column("id")
        self._names = names.column("name")

    def __len__(self) -> int:
        return len(self._ids)

    def __repr__(self) -> str:
        return f"<KnowledgeBase {self.name}: {len(self):,} entities, {len(self._names):,} names>"

    @property
    def names(self) -> int:
        """How many names there are."""
        return len(self._names)

    @cached_property
    def exact(self) -> ExactIndex:
        return ExactIndex.open(self.folder)

    @cached_property
    def ngrams(self) -> NgramIndex:
        return NgramIndex.open(self.folder)

    @cached_property
    def _id_index(self) -> IdIndex:
        return IdIndex.open(self.folder, "ids")

    @cached_property
    def _xref_index(self) -> IdIndex:
        return IdIndex.open(self.folder, "xref_ids")

    def row_of(self, id: str) -> int | None:
        """The row of an id of this knowledge base; None if it has no such id."""
        return next((row for row in self._id_index.rows_of(id) if self.id_at(row) == id), None)

    def rows_of(self, ids: Sequence[str]) -> npt.NDArray[np.int64]:
        """`row_of` each, looked up together; -1 where there is none. *Shape:* (ids,)"""
        places = {id: place for place, id in enumerate(dict.fromkeys(ids))}
        rows = self._id_index.first_rows_of(list(places))
        found = self.ids_at(np.maximum(rows, 0)) if len(self) else []
        for (asked, place), id in zip(places.items(), found, strict=False):
            if rows[place] >= 0 and id != asked:  # another id of the same hash
                row = self.row_of(asked)
                rows[place] = -1 if row is None else row
        return rows[[places[id] for id in ids]]

    def rows_known_as(self, ids: Sequence[str]) -> npt.NDArray[np.int64]:
        """`rows_of`, also where an entity of the id's vocabulary is listed under another id.

        So MGI's number of a gene finds the gene that MGI lists and NCBI Gene numbers here.
        """
        rows = self.rows_of(ids)
        unknown = np.flatnonzero(rows < 0)
        as_xref = self._xref_index.first_rows_of([ids[i] for i in unknown.tolist()])
        for i in unknown[as_xref >= 0].tolist():
            own = (row for row in self.rows_with_xref(ids[i]) if self._lists(row, ids[i]))
            rows[i] = next(own, -1)
        return rows

    def _lists(self, row: int, id: str) -> bool:
        """Whether the entity comes from the vocabulary that the id's prefix names."""
        return self.source_at(row).casefold() == id.partition(":")[0].casefold()

    def __contains__(self, id: object) -> bool:
        return isinstance(id, str) and self.row_of(id) is not None

    def id_at(self, row: int) -> str:
        return str(self._ids[row])

    def ids_at(self, rows: npt.NDArray[np.int64]) -> list[str]:
        """The id of each row. *Shape:* (rows,)"""
        return strings_at(self._ids, rows)

    def label_at(self, row: int) -> str:
        """The preferred name."""
        return self.name_at(int(self.first_name[row]))

    def name_at(self, name_row: int) -> str:
        return str(self._names[name_row])

    def names_of(self, row: int) -> list[str]:
        """All names of an entity, the preferred one first."""
        values: list[str] = self._columns.rows_of("names", row).column("name").to_pylist()
        return values

    def origins_of(self, row: int) -> list[str]:
        """Whose each name of an entity is, in the order of `names_of`."""
        codes = self._columns.rows_of("names", row).column("origin").to_pylist()
        return [self.origins[code] for code in codes]

    def origin_of(self, row: int, name: str) -> str:
        """Whose name it is: the vocabulary that gave an entity this name.

        That of the entity itself if the name is none of its names.
        """
        known = zip(self.names_of(row), self.origins_of(row), strict=True)
        return next((origin for other, origin in known if other == name), self.source_at(row))

    def source_at(self, row: int) -> str:
        """The name of the entity's own vocabulary."""
        return self.sources[int(self.source_of[row])].name

    def all_names(self) -> Iterator[str]:
        """Every name, in the order of name rows."""
        for start in range(0, len(self._names), _BATCH):
            yield from self._names.slice(start, _BATCH).to_pylist()

    def entity(self, id: str) -> Entity:
        """The entity with this id, or one that gives it as a cross-reference.

        Of several, one of the id's own vocabulary is preferred: HGNC knows HGNC's ids best.
        """
        row = self.row_of(id)
        if row is None:
            rows = self.rows_with_xref(id)
            row = min(rows, key=lambda other: not self._lists(other, id), default=None)
        if row is None:
            raise UnknownEntityError(
                f"{id!r} is not in the knowledge base {self.name!r}; ids look like "
                f"{self.id_at(0)!r}, and `holdfast kb search` finds them by name"
            )
        return self.entity_at(row)

    def entity_at(self, row: int) -> Entity:
        names = self.names_of(row)
        definitions = self._columns.rows_of("definitions", row).column("definition").to_pylist()
        return Entity(
            id=self.id_at(row),
            name=names[0],
            synonyms=tuple(names[1:]),
            types=self.types_of(row),
            definition=definitions[0] if definitions else "",
            xrefs=tuple(self._columns.rows_of("xrefs", row).column("xref").to_pylist()),
            links=tuple(self.links_of(row)),
            source=self.source_at(row),
            origins=tuple(self.origins_of(row)),
        )

    def links_of(self, row: int) -> list[Link]:
        """The relations of which an entity is the subject, in the order of their source."""
        relations = self._columns.rows_of("relations", row)
        codes = relations.column("predicate").to_pylist()
        objects = relations.column("object_id").to_pylist()
        return [Link(self.predicates[c], object) for c, object in zip(codes, objects, strict=True)]

    def types_of(self, row: int) -> tuple[str, ...]:
        codes = self._columns.rows_of("types", row).column("type").to_pylist()
        return tuple(self.types[code] for code in codes)

    def rows_of_types(self, types: Collection[str]) -> npt.NDArray[np.uint32]:
        """The entities of any of these types, as the source spells them."""
        table = self.table("types")
        codes = [code for code, type in enumerate(self.types) if type in types]
        rows: npt.NDArray[np.uint32] = column(table, "entity")
        return rows[np.isin(column(table, "type"), codes)]

    def rows_with_xref(self, xref: str) -> list[int]:
        """The entities that give this id as a cross-reference."""
        table = self.table("xrefs")
        values, owner = table.column("xref"), column(table, "entity")
        rows = self._xref_index.rows_of(xref)
        return sorted({int(owner[i]) for i in rows if str(values[i]) == xref})

    def equivalents(self, id: str) -> frozenset[str]:
        """Ids that mean the same, by cross-references in either direction; with `id` itself."""
        found = {id}
        row = self.row_of(id)
        if row is not None:
            found.update(self._columns.rows_of("xrefs", row).column("xref").to_pylist())
        found.update(self.id_at(other) for other in self.rows_with_xref(id))
        return frozenset(found)

    def equivalent_rows(self) -> npt.NDArray[np.int64]:
        """The entities that give an id of another vocabulary here as a cross-reference, with it.

        *Shape:* (pairs, 2); the order of a pair says who refers to whom.
        """
        owner = column(self.table("xrefs"), "entity").astype(np.int64)
        pairs = self._xref_index.shared_with(self._id_index)
        pairs[:, 0] = owner[pairs[:, 0]]
        of_owner, of_other = self.source_of[pairs].T
        between: npt.NDArray[np.int64] = pairs[of_owner != of_other]
        return between

    @cached_property
    def prefixes(self) -> dict[str, int]:
        """Of how many ids and cross-references each prefix is, as it is spelled in them."""
        return count_prefixes(self._ids, self.table("xrefs").column("xref"))

    def table(self, name: str) -> Any:
        """A table of `holdfast.kb.tables.SCHEMAS`, memory-mapped."""
        return self._columns.tables[name]

    def count_of(self, table: str, row: int) -> int:
        """How many rows of a table (`names`, `xrefs`, …) speak of an entity."""
        return self._columns.count_of(table, row)


def kb_folder(name: str) -> Path:
    """Where the knowledge base of that name lives, whether or not it is there."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot name a knowledge base; use letters, digits, '-', '_' and '.'"
        )
    return artifacts.home() / "kb" / name


def open_kb(name: str | Path) -> KnowledgeBase:
    """Open a knowledge base by name (as `holdfast kb get` and `kb build` give) or by folder."""
    folder = Path(name)
    if not (folder / artifacts.MANIFEST).exists():
        if isinstance(name, str) and _NAME.fullmatch(name):
            folder = kb_folder(name)
        if not folder.exists():
            raise KnowledgeBaseError(
                f"no knowledge base {str(name)!r}; there is: {', '.join(installed()) or 'none'}. "
                "Try `holdfast kb get open`"
            )
    return KnowledgeBase(folder)


def installed() -> list[str]:
    """The names of the knowledge bases in the home folder."""
    folder = artifacts.home() / "kb"
    if not folder.exists():
        return []
    return sorted(path.parent.name for path in folder.glob(f"*/{artifacts.MANIFEST}"))

"""The knowledge base: columns on disk, opened in milliseconds, shared between processes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from holdfast import artifacts
from holdfast.errors import KnowledgeBaseError, UnknownEntityError, UsageError
from holdfast.kb.build import KIND, VERSION, Source
from holdfast.kb.ids import IdIndex
from holdfast.kb.records import Link
from holdfast.kb.tables import SCHEMAS, column, count_prefixes, read_table, strings_at
from holdfast.names.exact import ExactIndex
from holdfast.names.ngram import NgramIndex
from holdfast.text.tokens import KEY_RULES

_NAME: Final = re.compile(r"\w[\w.-]*")


@dataclass(frozen=True, slots=True)
class Entity:
    """All that a knowledge base says of one concept."""

    id: str
    name: str  # the preferred one
    synonyms: tuple[str, ...]
    types: tuple[str, ...]
    definition: str
    xrefs: tuple[str, ...]
    links: tuple[Link, ...]
    source: str
    origins: tuple[str, ...]  # whose names these are, of the preferred one and each synonym


class KnowledgeBase:
    """Entities by row, by id and by name. Rows are stable for one build.

    Opening maps the files and reads almost nothing; any number of processes share the pages.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = artifacts.read_manifest(
            folder, kind=KIND, version=VERSION, error=KnowledgeBaseError
        )
        if self.manifest.version < VERSION:
            raise KnowledgeBaseError(
                f"{folder}: written by an older Holdfast (layout {self.manifest.version}, this one "
                f"reads {VERSION}); build or fetch it again"
            )
        artifacts.verify(folder, self.manifest, error=KnowledgeBaseError)
        config = self.manifest.config
        if config.get("key_rules") != KEY_RULES:
            raise KnowledgeBaseError(
                f"{folder}: its names were indexed by the rules of another Holdfast; build or "
                "fetch it again"
            )
        try:
            self.name: str = config["name"]
            self.sources = tuple(Source(**source) for source in config["sources"])
            self.types: tuple[str, ...] = tuple(config["types"])
            self.predicates: tuple[str, ...] = tuple(config["predicates"])
            self.origins: tuple[str, ...] = tuple(config["origins"])
        except (KeyError, TypeError) as error:
            raise KnowledgeBaseError(
                f"{folder / artifacts.MANIFEST}: damaged ({error}); build or fetch it again"
            ) from error
        self._tables = {table: _table(folder / f"{table}.arrow") for table in SCHEMAS}
        entities = self._tables["entities"]
        self.source_of: npt.NDArray[np.uint16] = column(entities, "source")
        self.type_mask: npt.NDArray[np.uint32] = column(entities, "type_mask")
        self.first_name: npt.NDArray[np.uint32] = column(entities, "first_name")
        self.entity_of_name: npt.NDArray[np.uint32] = column(self._tables["names"], "entity")
        self._ids = entities.column("id")
        self._names = self._tables["names"].column("name")

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
        values: list[str] = self._rows_of("names", row).column("name").to_pylist()
        return values

    def origins_of(self, row: int) -> list[str]:
        """Whose each name of an entity is, in the order of `names_of`."""
        codes = self._rows_of("names", row).column("origin").to_pylist()
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
        for start in range(0, len(self._names), 1 << 14):
            yield from self._names.slice(start, 1 << 14).to_pylist()

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
        definitions = self._rows_of("definitions", row).column("definition").to_pylist()
        relations = self._rows_of("relations", row)
        return Entity(
            id=self.id_at(row),
            name=names[0],
            synonyms=tuple(names[1:]),
            types=self.types_of(row),
            definition=definitions[0] if definitions else "",
            xrefs=tuple(self._rows_of("xrefs", row).column("xref").to_pylist()),
            links=tuple(
                Link(self.predicates[predicate], object_id)
                for predicate, object_id in zip(
                    relations.column("predicate").to_pylist(),
                    relations.column("object_id").to_pylist(),
                    strict=True,
                )
            ),
            source=self.source_at(row),
            origins=tuple(self.origins_of(row)),
        )

    def types_of(self, row: int) -> tuple[str, ...]:
        codes = self._rows_of("types", row).column("type").to_pylist()
        return tuple(self.types[code] for code in codes)

    def rows_of_types(self, types: Collection[str]) -> npt.NDArray[np.uint32]:
        """The entities of any of these types, as the source spells them."""
        table = self._tables["types"]
        codes = [code for code, type in enumerate(self.types) if type in types]
        rows: npt.NDArray[np.uint32] = column(table, "entity")
        return rows[np.isin(column(table, "type"), codes)]

    def children(self) -> dict[str, list[int]]:
        """The rows directly below each id, by "is_a"."""
        table = self._tables["relations"]
        below: dict[str, list[int]] = {}
        for row, predicate, parent in zip(
            table.column("entity").to_pylist(),
            table.column("predicate").to_pylist(),
            table.column("object_id").to_pylist(),
            strict=True,
        ):
            if self.predicates[predicate] == "is_a":
                below.setdefault(parent, []).append(row)
        return below

    def rows_with_xref(self, xref: str) -> list[int]:
        """The entities that give this id as a cross-reference."""
        table = self._tables["xrefs"]
        values, owner = table.column("xref"), column(table, "entity")
        rows = self._xref_index.rows_of(xref)
        return sorted({int(owner[i]) for i in rows if str(values[i]) == xref})

    def equivalents(self, id: str) -> frozenset[str]:
        """Ids that mean the same, by cross-references in either direction; with `id` itself."""
        found = {id}
        row = self.row_of(id)
        if row is not None:
            found.update(self._rows_of("xrefs", row).column("xref").to_pylist())
        found.update(self.id_at(other) for other in self.rows_with_xref(id))
        return frozenset(found)

    def equivalent_rows(self) -> npt.NDArray[np.int64]:
        """The entities that give an id of another vocabulary here as a cross-reference, with it.

        *Shape:* (pairs, 2); the order of a pair says who refers to whom.
        """
        owner = column(self._tables["xrefs"], "entity").astype(np.int64)
        pairs = self._xref_index.shared_with(self._id_index)
        pairs[:, 0] = owner[pairs[:, 0]]
        of_owner, of_other = self.source_of[pairs].T
        between: npt.NDArray[np.int64] = pairs[of_owner != of_other]
        return between

    def map_id(self, id: str, prefix: str) -> str | None:
        """The id of the same thing in another vocabulary ("MONDO"); None if none is known.

        Where several fit, the surest, as holdfast.kb.mapping ranks them.
        """
        from holdfast.kb.mapping import IdMapper

        if prefix not in self.prefixes:
            return None
        return next((target.id for target in IdMapper(self, prefix).targets(id)), None)

    @cached_property
    def prefixes(self) -> dict[str, int]:
        """Of how many ids and cross-references each prefix is, as it is spelled in them."""
        return count_prefixes(self._ids, self._tables["xrefs"].column("xref"))

    def parents_of(self, row: int) -> list[str]:
        relations = self._rows_of("relations", row)
        return [
            object_id
            for predicate, object_id in zip(
                relations.column("predicate").to_pylist(),
                relations.column("object_id").to_pylist(),
                strict=True,
            )
            if self.predicates[predicate] == "is_a"
        ]

    def ancestors(self, id: str) -> frozenset[str]:
        """Everything above an entity in its hierarchy, without itself. Cycles are harmless."""
        row = self.row_of(id)
        found = set[str]()
        waiting = [] if row is None else self.parents_of(row)
        while waiting:
            parent = waiting.pop()
            if parent not in found:
                found.add(parent)
                above = self.row_of(parent)
                waiting.extend([] if above is None else self.parents_of(above))
        return frozenset(found)

    def table(self, name: str) -> Any:
        """A table of `holdfast.kb.tables.SCHEMAS`, memory-mapped."""
        return self._tables[name]

    def count_of(self, table: str, row: int) -> int:
        """How many rows of a table (`names`, `xrefs`, …) speak of an entity."""
        start, end = self._range_of(table, row)
        return end - start

    def _rows_of(self, table: str, row: int) -> Any:
        start, end = self._range_of(table, row)
        return self._tables[table].slice(start, end - start)

    def _range_of(self, table: str, row: int) -> tuple[int, int]:
        owner = column(self._tables[table], "entity")
        start, end = np.searchsorted(owner, np.array([row, row + 1], dtype=np.uint32)).tolist()
        return start, end


def _table(path: Path) -> Any:
    try:
        return read_table(path)
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise KnowledgeBaseError(f"{path}: damaged ({reason}); build or fetch it again") from error


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

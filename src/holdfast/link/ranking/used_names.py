"""Names as people used them: the gold mentions of a corpus, with the documents they stand in.

A linker that was trained on a corpus may remember what its mentions were linked to. When it is
fitted, a document must not remember itself, so every use is kept with its document.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Final, overload

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from holdfast.document import Document
from holdfast.kb.store import KnowledgeBase
from holdfast.kb.tables import read_table, write_table
from holdfast.link.ranking.kept_indexes import NameIndexes, indexes_of
from holdfast.link.ranking.queries import written_out
from holdfast.names.exact import ExactIndex
from holdfast.names.ngram import NgramIndex
from holdfast.text.abbreviations import long_forms
from holdfast.text.tokens import hashes_of_names, key_of

FILE: Final = "used_names.arrow"

_SCHEMA: Final = pa.schema(
    [
        ("name", pa.large_string()),
        ("entity_id", pa.large_string()),
        ("documents", pa.large_list(pa.large_string())),
    ]
)
Documents = frozenset[str]
_NOWHERE: Final[Documents] = frozenset()


@dataclass(frozen=True, eq=False)
class UsedNames:
    """Each (name, entity) once, and the documents that use it so."""

    names: tuple[str, ...]
    entity_ids: tuple[str, ...]
    documents: Sequence[Documents]

    @property
    def exact(self) -> ExactIndex:
        return self._indexes.exact

    @property
    def ngrams(self) -> NgramIndex:
        return self._indexes.ngrams

    @cached_property
    def _indexes(self) -> NameIndexes:
        return indexes_of(self.names)

    def mentioning(self, entity_id: str) -> Documents:
        """The documents that mention an entity at all."""
        rows = self._rows_of_entity.get(entity_id, ())
        return _NOWHERE.union(*(self.documents[row] for row in rows))

    @cached_property
    def _rows_of_entity(self) -> Mapping[str, Sequence[int]]:
        found = defaultdict[str, list[int]](list)
        for row, entity_id in enumerate(self.entity_ids):
            found[entity_id].append(row)
        return dict(found)

    def using(self, name: str) -> Mapping[str, Documents]:
        """The entities that this name, or another of its key, is used for: id -> documents."""
        starts, ends = self.exact.ranges(hashes_of_names([name]))
        found, key = dict[str, Documents](), key_of(name)
        for row in self.exact.rows[starts[0] : ends[0]].tolist():
            if key_of(self.names[row]) == key:  # else it is another way to write that name
                id = self.entity_ids[row]
                found[id] = found.get(id, _NOWHERE) | self.documents[row]
        return found

    def under_ids_of(self, kb: KnowledgeBase, rows: npt.NDArray[np.int64]) -> UsedNames:
        """These names, each entity under its id in a knowledge base.

        `rows`: where each is in it, -1 where it is not. *Shape:* (names,)
        """
        ids = np.array(self.entity_ids, dtype=object)
        ids[rows >= 0] = kb.ids_at(rows[rows >= 0])
        return replace(self, entity_ids=tuple(ids.tolist()))

    def joined(self, other: UsedNames, *, kept: npt.NDArray[np.bool_]) -> UsedNames:
        """These and those of the other that are `kept`, each (name, entity) once.

        *Shape:* (names of the other,)
        """
        used = defaultdict[tuple[str, str], Documents](frozenset)
        for key, documents in zip(
            zip(self.names, self.entity_ids, strict=True), self.documents, strict=True
        ):
            used[key] |= documents
        for row in np.flatnonzero(kept).tolist():
            used[other.names[row], other.entity_ids[row]] |= other.documents[row]
        names, entity_ids = zip(*used, strict=True) if used else ((), ())
        return UsedNames(tuple(names), tuple(entity_ids), tuple(used.values()))

    def save(self, folder: Path) -> None:
        columns = [list(self.names), list(self.entity_ids), [sorted(d) for d in self.documents]]
        arrays = [pa.array(c, f.type) for c, f in zip(columns, _SCHEMA, strict=True)]
        write_table(pa.table(arrays, schema=_SCHEMA), folder / FILE)

    @classmethod
    def open(cls, folder: Path) -> UsedNames:
        table = read_table(folder / FILE)
        names, entity_ids = (table.column(name).to_pylist() for name in ("name", "entity_id"))
        return cls(tuple(names), tuple(entity_ids), _DocumentLists(table.column("documents")))


class _DocumentLists(Sequence[Documents]):
    """The documents of each name, in a mapped column; few of them are asked for."""

    def __init__(self, column: pa.ChunkedArray) -> None:
        self._column = column

    def __len__(self) -> int:
        return len(self._column)

    @overload
    def __getitem__(self, row: int) -> Documents: ...
    @overload
    def __getitem__(self, row: slice) -> tuple[Documents, ...]: ...
    def __getitem__(self, row: int | slice) -> Documents | tuple[Documents, ...]:
        if isinstance(row, slice):
            return tuple(map(frozenset, self._column[row].to_pylist()))
        return frozenset(self._column[row].as_py())


def collect_used_names(documents: Iterable[Document], kb: KnowledgeBase) -> UsedNames:
    """The mentions of exactly one entity of the knowledge base, by their long forms."""
    used = defaultdict[tuple[str, str], set[str]](set)
    for document in documents:
        for name, entity_id in _uses(document, kb):
            used[name, entity_id].add(document.id)
    return UsedNames(
        names=tuple(name for name, _ in used),
        entity_ids=tuple(entity_id for _, entity_id in used),
        documents=tuple(map(frozenset, used.values())),
    )


def _uses(document: Document, kb: KnowledgeBase) -> Iterator[tuple[str, str]]:
    meant = long_forms(document.text)
    for mention in document.mentions:
        if len(mention.ids) == 1 and mention.ids[0] in kb:
            yield written_out(document.text_of(mention), meant), mention.ids[0]

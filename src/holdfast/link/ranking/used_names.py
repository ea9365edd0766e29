"""Names as people used them: the gold mentions of a corpus, with the documents they stand in.

A linker that was trained on a corpus may remember what its mentions were linked to. When it is
fitted, a document must not remember itself, so every use is kept with its document.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from holdfast.document import Document
from holdfast.kb.store import KnowledgeBase
from holdfast.kb.tables import read_table, write_table
from holdfast.link.ranking.queries import written_out
from holdfast.names.exact import ExactIndex
from holdfast.names.ngram import NgramIndex
from holdfast.text.abbreviations import long_forms
from holdfast.text.tokens import key_of

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
    documents: tuple[Documents, ...]

    @cached_property
    def exact(self) -> ExactIndex:
        return ExactIndex.build(self.names)

    @cached_property
    def ngrams(self) -> NgramIndex:
        return NgramIndex.build(self.names)

    @cached_property
    def of_entity(self) -> Mapping[str, Documents]:
        """The documents that mention an entity at all."""
        found = defaultdict[str, set[str]](set)
        for entity_id, documents in zip(self.entity_ids, self.documents, strict=True):
            found[entity_id].update(documents)
        return {entity_id: frozenset(ids) for entity_id, ids in found.items()}

    @cached_property
    def of_key(self) -> Mapping[str, Mapping[str, Documents]]:
        """The documents that use a name's key for an entity: key -> entity -> documents."""
        found = defaultdict[str, dict[str, Documents]](dict)
        for name, entity_id, documents in zip(
            self.names, self.entity_ids, self.documents, strict=True
        ):
            known = found[key_of(name)]
            known[entity_id] = known.get(entity_id, _NOWHERE) | documents
        return found

    def under_ids_of(self, kb: KnowledgeBase, rows: npt.NDArray[np.int64]) -> UsedNames:
        """These names, each entity under its id in a knowledge base.

        `rows`: where each is in it, -1 where it is not. *Shape:* (names,)
        """
        ids = np.array(self.entity_ids, dtype=object)
        ids[rows >= 0] = kb.ids_at(rows[rows >= 0])
        return replace(self, entity_ids=tuple(ids.tolist()))

    def save(self, folder: Path) -> None:
        columns = [list(self.names), list(self.entity_ids), [sorted(d) for d in self.documents]]
        arrays = [pa.array(c, f.type) for c, f in zip(columns, _SCHEMA, strict=True)]
        write_table(pa.table(arrays, schema=_SCHEMA), folder / FILE)

    @classmethod
    def open(cls, folder: Path) -> UsedNames:
        table = read_table(folder / FILE)
        names, entity_ids, documents = (table.column(f.name).to_pylist() for f in _SCHEMA)
        return cls(tuple(names), tuple(entity_ids), tuple(map(frozenset, documents)))


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

"""Strings that stand in no document, linked: each distinct one once, with the nearest concept."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from holdfast import types
from holdfast.blocks import in_blocks
from holdfast.document import NIL, Candidate, Document, Mention
from holdfast.io.mention_tables import MentionTable
from holdfast.io.table_columns import IsName, Row
from holdfast.kb.own_types import own_types, parse_types, with_own_types
from holdfast.kb.store import KnowledgeBase
from holdfast.link.mapped import UNMAPPED, MapIds
from holdfast.link.strings.clinical_words import clinical_words
from holdfast.link.strings.nearest import Link, NearestFinder
from holdfast.names.credible import SYMBOLS
from holdfast.pipeline import Pipeline
from holdfast.text.tokens import hashes_of_names

_NAMED: Final = ("exact", "used", "rule")  # evidence of a name that equals the string
_SYMBOL: Final = 3  # letters up to which a name may be anything
_BATCH: Final = 256  # rows that are linked in one go


@dataclass(frozen=True, slots=True)
class LinkedString:
    """A string, its mention as the linker left it, and the nearest concept where it has none."""

    text: str
    mention: Mention | None = None  # None: the string says nothing
    nearest: Candidate | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        return self.mention.ids if self.mention is not None and self.mention.is_linked else ()

    @property
    def chosen(self) -> tuple[Candidate, ...]:
        """The candidates of the ids, in their order."""
        if self.mention is None:
            return ()
        by_id = {candidate.entity_id: candidate for candidate in self.mention.candidates}
        return tuple(by_id[id] for id in self.ids if id in by_id)

    def to_json(self) -> dict[str, Any]:
        candidates = self.mention.candidates if self.mention else ()
        return {
            "string": self.text,
            "ids": list(self.ids),
            "candidates": [candidate.to_json() for candidate in candidates],
            "nearest": self.nearest.to_json() if self.nearest else None,
        }


@dataclass(frozen=True, slots=True)
class LinkedRow:
    """A row as it was, and its string linked."""

    fields: Row
    string: LinkedString


def names_of(kb: KnowledgeBase) -> IsName:
    """Whether a string is a name of the knowledge base that is no symbol and has a known type."""
    ignored = np.uint32(SYMBOLS | types.mask_of([types.OTHER]))

    def is_name(string: str) -> bool:
        start, end = kb.exact.ranges(hashes_of_names([string]))
        entities = kb.entity_of_name[kb.exact.rows[start[0] : end[0]]]
        return len(string) > _SYMBOL and bool((kb.type_mask[entities] & ~ignored).any())

    return is_name


def link_rows(
    table: MentionTable, kb: KnowledgeBase, pipeline: Pipeline, *, only: Collection[str] | None
) -> Iterator[LinkedRow]:
    """The table's rows in order, their strings linked by a pipeline that detects nothing.

    `only`: the names of the types that the pipeline was loaded with.
    """
    return string_linker(kb, pipeline, only=only).link_rows(table)


def string_linker(
    kb: KnowledgeBase, pipeline: Pipeline, *, only: Collection[str] | None
) -> StringLinker:
    """A linker of strings from a pipeline that detects nothing; `only` as for `link_rows`."""
    kinds = None if only is None else parse_types(only, own_types(kb))
    base = with_own_types(kb, kinds)
    mapping = [step for step in pipeline.functions() if isinstance(step, MapIds)]
    link = Pipeline([step for step in pipeline.functions() if step not in mapping]).pipe
    finder = NearestFinder(base, link, only=kinds)
    return StringLinker(base, link, finder, map_ids=mapping[0] if mapping else None)


class StringLinker:
    """Links strings that stand in no document, each distinct one once."""

    def __init__(
        self,
        kb: KnowledgeBase,
        link: Link,
        finder: NearestFinder,
        *,
        map_ids: MapIds | None = None,
    ) -> None:
        """`map_ids` gives links and nearest concepts the ids of another vocabulary."""
        self._kb = kb
        self._map_ids = map_ids
        self._link = link
        self._finder = finder
        self._linked: dict[str, LinkedString] = {}

    def fresh(self) -> StringLinker:
        """This linker without the strings that it remembers."""
        return StringLinker(self._kb, self._link, self._finder, map_ids=self._map_ids)

    def link_rows(self, table: MentionTable) -> Iterator[LinkedRow]:
        """The table's rows in order."""
        for block in in_blocks(table.rows, _BATCH):
            strings = [table.string_of(row) for row in block]
            for row, linked in zip(block, self.link(strings), strict=True):
                yield LinkedRow(row, linked)

    def link(self, strings: Sequence[str]) -> list[LinkedString]:
        """The strings linked, in order. One that says nothing ("n/a") has no mention."""
        new = list(dict.fromkeys(string for string in strings if string not in self._linked))
        said = [string for string in new if not self._says_nothing(string)]
        documents = (Document("", text, mentions=(Mention.at(0, len(text)),)) for text in said)
        mentions = [self._unless_absent(document) for document in self._link(documents)]
        rest = [t for t, mention in zip(said, mentions, strict=True) if not mention.is_linked]
        nearest = dict(zip(rest, self._finder.find(rest), strict=True))
        self._linked |= {string: LinkedString(string) for string in new}
        for text, mention in zip(said, mentions, strict=True):
            self._linked[text] = self._mapped(LinkedString(text, mention, nearest.get(text)))
        return [self._linked[string] for string in strings]

    def _mapped(self, linked: LinkedString) -> LinkedString:
        """The answer in the ids of the other vocabulary; none for what has no id there."""
        if self._map_ids is None or linked.mention is None:
            return linked
        (mention,) = self._map_ids(Document("", linked.text, mentions=(linked.mention,))).mentions
        if linked.nearest is None:
            return replace(linked, mention=mention)
        asked = replace(linked.mention, ids=(NIL,), candidates=(linked.nearest,))
        (near,) = self._map_ids(Document("", linked.text, mentions=(asked,))).mentions
        (nearest,) = near.candidates
        is_mapped = nearest.evidence[-1].kind != UNMAPPED
        return replace(linked, mention=mention, nearest=nearest if is_mapped else None)

    def _unless_absent(self, document: Document) -> Mention:
        """The document's mention; NIL where it says that something is absent and is no name."""
        (mention,) = document.mentions
        is_named = any(e.kind in _NAMED for c in mention.candidates[:1] for e in c.evidence)
        if is_named or not clinical_words().negated.match(document.text):
            return mention
        return replace(mention, ids=(NIL,))

    def _says_nothing(self, string: str) -> bool:
        """Whether it is empty or a placeholder, and not a concept's very name, type and all."""
        if not clinical_words().says_nothing(string):
            return False
        start, end = self._kb.exact.ranges(hashes_of_names([string]))
        rows = self._kb.exact.rows[start[0] : end[0]].tolist()
        return not any(self._kb.name_at(row) == string and self._is_listed(row) for row in rows)

    def _is_listed(self, name_row: int) -> bool:
        """Whether it is the preferred name of an entity that has a type of its own."""
        entity = int(self._kb.entity_of_name[name_row])
        is_preferred = int(self._kb.first_name[entity]) == name_row
        return is_preferred and "Other" not in self._kb.types_of(entity)

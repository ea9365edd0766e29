"""Tables of linked strings: linked in batches, equal strings once, and printed."""

from __future__ import annotations

import csv
import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TextIO

import numpy as np

from holdfast import types
from holdfast.blocks import in_blocks
from holdfast.document import NIL, Candidate, Document, Mention, Span
from holdfast.errors import UsageError
from holdfast.io.mention_tables import MentionTable
from holdfast.io.sssom import write_sssom
from holdfast.io.table_columns import IsName, Row
from holdfast.kb.own_types import own_types, parse_types, with_own_types
from holdfast.kb.store import KnowledgeBase
from holdfast.link.mapped import UNMAPPED, MapIds
from holdfast.link.strings.clinical_words import clinical_words
from holdfast.link.strings.nearest import Link, NearestFinder
from holdfast.names.credible import SYMBOLS
from holdfast.pipeline import Pipeline
from holdfast.text.safe import guard_cell, json_safe, safe_stream
from holdfast.text.tokens import hashes_of_names

FORMATS: Final = ("tsv", "csv", "json", "jsonl", "text", "sssom")
ADDED: Final = ("holdfast_id", "holdfast_label", "holdfast_score", "holdfast_why")
NEAREST: Final = ("nearest_id", "nearest_name", "nearest_score", "nearest_why")
EXPLAINED: Final = "holdfast_candidates"

_NAMED: Final = ("exact", "used", "rule")  # evidence of a name that equals the string
_SYMBOL: Final = 3  # letters up to which a name may be anything
_TOGETHER: Final = 256  # rows that are linked in one go
_BLANKS: Final = str.maketrans("\t\r\n", "   ")


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
    kinds = None if only is None else parse_types(only, own_types(kb))
    base = with_own_types(kb, kinds)
    mapping = [step for step in pipeline.functions() if isinstance(step, MapIds)]
    link = Pipeline([step for step in pipeline.functions() if step not in mapping]).pipe
    finder = NearestFinder(base, link, only=kinds)
    linker = StringLinker(base, link, finder, map_ids=mapping[0] if mapping else None)
    return linker.link_rows(table)


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

    def link_rows(self, table: MentionTable) -> Iterator[LinkedRow]:
        """The table's rows in order."""
        for block in in_blocks(table.rows, _TOGETHER):
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
        """The same in the ids of the other vocabulary; what has none there has no answer."""
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


def check_table_format(name: str) -> None:
    """UsageError if tables are not printed so."""
    if name not in FORMATS:
        raise UsageError(
            f"a table of strings is not printed as {name!r}; there is: {', '.join(FORMATS)}"
        )


def print_table(
    table: MentionTable,
    rows: Iterable[LinkedRow],
    stream: TextIO,
    *,
    format: str = "tsv",
    explain: bool = False,
) -> None:
    """Print the rows as they come; with `explain`, every candidate too."""
    check_table_format(format)
    stream = safe_stream(stream)
    if format == "text":
        _write_text(rows, explain=explain)
    elif format == "json":
        _write_json(table, rows, stream)
    elif format == "jsonl":
        _write_json_lines(table, rows, stream)
    elif format == "sssom":
        write_sssom((_as_document(row.string) for row in rows if row.string.text), stream)
    else:
        delimiter = "," if format == "csv" else "\t"
        _write_columns(table, rows, stream, delimiter=delimiter, explain=explain)


def _write_columns(
    table: MentionTable, rows: Iterable[LinkedRow], stream: TextIO, *, delimiter: str, explain: bool
) -> None:
    """The table with the columns ADDED and NEAREST; without a header, one is made up."""
    header = table.column_names
    added = (*ADDED, *NEAREST, *([EXPLAINED] if explain else []))
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    writer.writerow((*header, *_unlike(added, header)))
    for row in rows:
        fields = (*row.fields, *[""] * (len(header) - len(row.fields)))
        if delimiter == "\t":
            fields = tuple(field.translate(_BLANKS) for field in fields)
        answer = (*_answer(row.string), *_nearest(row.string))
        if explain:
            answer = (*answer, _candidates(row.string))
        writer.writerow((*fields, *map(_safe, answer)))


def _unlike(added: Sequence[str], header: Sequence[str]) -> list[str]:
    """The names of the new columns, with a number where the table has one of that name."""
    names = list[str]()
    for name in added:
        taken = {*header, *names}
        numbered = (f"{name}_{i}" for i in range(2, len(taken) + 3))
        names.append(name if name not in taken else next(n for n in numbered if n not in taken))
    return names


def _answer(linked: LinkedString) -> tuple[str, ...]:
    chosen = linked.chosen
    if not linked.ids:
        return ("",) * len(ADDED)
    labels = "|".join(candidate.label or candidate.name for candidate in chosen)
    score = f"{min(candidate.score for candidate in chosen):.4f}" if chosen else ""
    why = "; ".join(dict.fromkeys(e.detail for candidate in chosen for e in candidate.evidence))
    return "|".join(linked.ids), labels, score, why


def _nearest(linked: LinkedString) -> tuple[str, ...]:
    nearest = linked.nearest
    if nearest is None:
        return ("",) * len(NEAREST)
    why = "; ".join(evidence.detail for evidence in nearest.evidence)
    return nearest.entity_id, nearest.label or nearest.name, f"{nearest.score:.4f}", why


def _candidates(linked: LinkedString) -> str:
    """Every candidate in one cell: "MESH:D009203 Myocardial Infarction 0.3014 | …"."""
    found = linked.mention.candidates if linked.mention else ()
    return " | ".join(f"{c.entity_id} {c.label or c.name} {c.score:.4f}" for c in found)


def _safe(cell: str) -> str:
    """What a spreadsheet does not take for a formula, on one line."""
    return guard_cell(cell.translate(_BLANKS))


def _as_document(string: LinkedString) -> Document:
    """The string as one mention; what says nothing is NIL."""
    mention = string.mention or Mention.at(0, 1, ids=(NIL,))
    whole = replace(mention, spans=(Span(0, len(string.text)),))
    return Document("", string.text, mentions=(whole,))


def _as_json(table: MentionTable, row: LinkedRow) -> dict[str, Any]:
    linked = row.string
    candidates = linked.mention.candidates if linked.mention else ()
    return {
        "string": linked.text,
        "ids": list(linked.ids),
        "candidates": [candidate.to_json() for candidate in candidates],
        "nearest": linked.nearest.to_json() if linked.nearest else None,
        "fields": dict(zip(table.column_names, row.fields, strict=False)),
    }


def _json_line(table: MentionTable, row: LinkedRow) -> str:
    return json_safe(json.dumps(_as_json(table, row), ensure_ascii=False))


def _write_json(table: MentionTable, rows: Iterable[LinkedRow], stream: TextIO) -> None:
    """One object: the column's name, and the rows in order."""
    name = json.dumps(table.column_names[table.column], ensure_ascii=False)
    stream.write(f'{{"column": {name}, "rows": [')
    between = "\n"
    try:
        for row in rows:
            stream.write(between + _json_line(table, row))
            between = ",\n"
    finally:  # after an error or Ctrl-C too: the rows that are done can be read
        stream.write("\n]}\n")


def _write_json_lines(table: MentionTable, rows: Iterable[LinkedRow], stream: TextIO) -> None:
    for row in rows:
        stream.write(_json_line(table, row) + "\n")


def _write_text(rows: Iterable[LinkedRow], *, explain: bool) -> None:
    from holdfast.io.show_strings import print_strings

    print_strings((row.string for row in rows), explain=explain)

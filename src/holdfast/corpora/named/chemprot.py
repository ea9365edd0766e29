"""ChemProt: what a chemical does to a gene or protein, sentence by sentence.

Its names are replaced by markers, and a sentence stands in the file once for each of its pairs.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from holdfast.corpora.named.relations import (
    NO_RELATION,
    RelationExample,
    check_label,
    marker_spans,
)
from holdfast.document import Argument, Document, Mention, Relation, Span
from holdfast.errors import FormatError, InvalidValueError
from holdfast.files import numbered_lines
from holdfast.types import CHEMICAL, GENE

GENE_MARKER: Final = "BC6ENTG"
CHEMICAL_MARKER: Final = "BC6ENTC"
OTHER_MARKER: Final = "BC6OTHER"  # an entity of the sentence that the row does not ask about
_MARKERS: Final = re.compile(f"{GENE_MARKER}|{CHEMICAL_MARKER}|{OTHER_MARKER}")
_BLANK: Final = "entity"  # what stands in a document for each marker
_Row = tuple[int, int, str]  # the places of the gene and the chemical among the markers, the label
LABELS: Final = ("CPR:3", "CPR:4", "CPR:5", "CPR:6", "CPR:9")


def read_chemprot(path: Path) -> Iterator[RelationExample]:
    """Each row `sentence TAB label` below the header; `False` becomes NO_RELATION.

    The head is the gene, the tail the chemical. A few rows lack one of the two markers (the
    chemical stands there as `CHEM`, inside another name); they are kept, without that span.
    The example's id is its line number.
    """
    for number, line in numbered_lines(path):
        fields = line.split("\t")
        if number == 1:
            if fields != ["sentence", "label"]:
                raise FormatError(
                    f"the header must be sentence label, not {line!r}", path=path, line=1
                )
            continue
        if len(fields) != 2:
            raise FormatError(f"{len(fields)} columns instead of 2", path=path, line=number)
        text, label = fields
        try:
            yield RelationExample(
                id=str(number),
                text=text,
                label=NO_RELATION if label == "False" else check_label(label, LABELS),
                head=marker_spans(text, GENE_MARKER),
                tail=marker_spans(text, CHEMICAL_MARKER),
            )
        except InvalidValueError as error:
            raise FormatError(str(error), path=path, line=number) from error


def read_chemprot_sentences(path: Path) -> Iterator[Document]:
    """Each sentence once, with the relations of all its rows.

    The word "entity" stands for each marker, and is a mention of an entity of its own. Its id is
    "gene:2" or "chemical:2" for the third marker; the corpus lists a few places as both. Markers
    that no row asks about are mentions without an id. Rows that lack a marker cannot be asked and
    are left out: 45 of 41,278 in the published files.
    """
    found = defaultdict[tuple[str, ...], list[_Row]](list)
    for example in read_chemprot(path):
        if example.head and example.tail:
            markers = _MARKERS.findall(example.text)
            row = markers.index(GENE_MARKER), markers.index(CHEMICAL_MARKER), example.label
            found[tuple(_MARKERS.split(example.text))].append(row)
    for number, (between, rows) in enumerate(found.items(), start=1):
        yield _sentence(f"{path.stem}-{number}", between, rows)


def _sentence(id: str, between: Sequence[str], rows: Sequence[_Row]) -> Document:
    """The text between the markers, with mentions in their places."""
    mentions, start = list[Mention](), 0
    for place, before in enumerate(between[:-1]):
        start += len(before)
        spans = (Span(start, start + len(_BLANK)),)
        start += len(_BLANK)
        is_gene = any(gene == place for gene, _, _ in rows)
        is_chemical = any(chemical == place for _, chemical, _ in rows)
        if is_gene:
            mentions.append(Mention(spans, GENE, (f"gene:{place}",)))
        if is_chemical:
            mentions.append(Mention(spans, CHEMICAL, (f"chemical:{place}",)))
        if not is_gene and not is_chemical:
            mentions.append(Mention(spans))
    relations = [
        Relation(label, (Argument(f"chemical:{chemical}"), Argument(f"gene:{gene}")))
        for gene, chemical, label in rows
        if label != NO_RELATION
    ]
    return Document(id, _BLANK.join(between), mentions=tuple(mentions), relations=tuple(relations))

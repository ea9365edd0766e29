"""ChemProt: what a chemical does to a gene or protein, sentence by sentence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from holdfast.corpora.named.relations import (
    NO_RELATION,
    RelationExample,
    check_label,
    marker_spans,
)
from holdfast.errors import FormatError, InvalidValueError
from holdfast.files import numbered_lines

GENE_MARKER: Final = "BC6ENTG"
CHEMICAL_MARKER: Final = "BC6ENTC"
OTHER_MARKER: Final = "BC6OTHER"  # an entity of the sentence that the row does not ask about
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

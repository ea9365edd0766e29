"""GAD: whether a sentence associates a gene with a disease."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from holdfast.corpora.named.relations import NO_RELATION, RelationExample, marker_spans
from holdfast.errors import FormatError
from holdfast.files import numbered_lines

GENE_MARKER: Final = "@GENE$"
DISEASE_MARKER: Final = "@DISEASE$"
ASSOCIATED: Final = "associated"
_LABELS: Final = {"0": NO_RELATION, "1": ASSOCIATED}


def read_gad(path: Path) -> Iterator[RelationExample]:
    """Each row `sentence TAB label`, or `index TAB sentence TAB label` below a header.

    The training file has no header and no index, the test file has both. The head is the gene,
    the tail the disease. There is no development split: `relations.hold_out` makes one. The
    example's id is its line number.
    """
    columns = 2
    for number, line in numbered_lines(path):
        fields = line.split("\t")
        if number == 1 and fields[-1] == "label":
            columns = len(fields)
            continue
        if len(fields) != columns or fields[-1] not in _LABELS:
            raise FormatError(
                f"{columns} columns that end in 0 or 1 are expected, not {line[:60]!r}",
                path=path,
                line=number,
            )
        text = fields[-2]
        yield RelationExample(
            id=str(number),
            text=text,
            label=_LABELS[fields[-1]],
            head=marker_spans(text, GENE_MARKER),
            tail=marker_spans(text, DISEASE_MARKER),
        )

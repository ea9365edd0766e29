"""NCBI Gene's gene_info tables, of all organisms or of one."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from holdfast import types
from holdfast.errors import FormatError
from holdfast.files import StrPath, numbered_lines
from holdfast.kb.readers.fields import canonical_curie, distinct, split_list
from holdfast.kb.records import Entry, Link, Record

# Since 2017 a sixteenth column, Feature_type, follows; nothing of it is read.
_MIN_COLUMNS: Final = 15
_MAX_COLUMNS: Final = 16
_PLACEHOLDER: Final = "NEWENTRY"


def read_gene_info(
    path: StrPath,
    *,
    tax_ids: Collection[str | int] | None = None,
    gene_types: Collection[str] | None = None,
) -> Iterator[Record]:
    """Genes as `NCBIGene:348`, named by their symbol.

    tax_ids     NCBI taxonomy ids of the organisms to keep, e.g. (9606,); None keeps all
    gene_types  values of type_of_gene to keep, e.g. ("protein-coding",); None keeps all

    Names are the symbol, synonyms, description, full name and other designations; dbXrefs
    become xrefs, the organism a link ("in_taxon"). NEWENTRY rows, which stand for genes not
    yet named, are left out.
    """
    taxa = None if tax_ids is None else {str(tax_id) for tax_id in tax_ids}
    empty = True
    for number, line in numbered_lines(path):
        if line.startswith("#") or not line.strip():
            continue
        empty = False
        row = line.split("\t")
        if not _MIN_COLUMNS <= len(row) <= _MAX_COLUMNS:
            message = f"{len(row)} fields where gene_info has {_MIN_COLUMNS} or {_MAX_COLUMNS}"
            raise FormatError(message, path=path, line=number)
        if (taxa is not None and row[0] not in taxa) or row[2] == _PLACEHOLDER:
            continue
        if gene_types is None or row[9] in gene_types:
            yield _entry(row, path, number)
    if empty:
        raise FormatError("no gene in the file", path=path)


def _entry(row: list[str], path: StrPath, line: int) -> Entry:
    # A lone hyphen is how the table says "nothing".
    cells = ["" if cell == "-" else cell.strip() for cell in row]
    symbol = cells[2]
    if not cells[0].isdecimal() or not cells[1].isdecimal() or not symbol:
        message = f"tax_id {row[0]!r}, GeneID {row[1]!r}, Symbol {row[2]!r} name no gene"
        raise FormatError(message, path=path, line=line)
    names = (
        cells[10],
        *split_list(cells[4], "|"),
        cells[8],
        cells[11],
        *split_list(cells[13], "|"),
    )
    return Entry(
        id=f"NCBIGene:{cells[1]}",
        name=symbol,
        synonyms=distinct(names, but=symbol),
        types=(types.GENE,),
        xrefs=distinct(map(canonical_curie, split_list(cells[5], "|"))),
        links=(Link("in_taxon", f"NCBITaxon:{cells[0]}"),),
    )

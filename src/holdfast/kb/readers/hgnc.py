"""HGNC's table of human genes: the complete set, or a custom download of some columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from holdfast import types
from holdfast.errors import FormatError
from holdfast.files import StrPath, numbered_lines
from holdfast.kb.readers.fields import canonical_curie, distinct, split_list
from holdfast.kb.readers.source import check_width
from holdfast.kb.records import Entry, Link, Record

_SUPPLIED: Final = re.compile(r"\(supplied by .*\)")
_QUOTED: Final = re.compile(r'"([^"]*)"')

# Column names as they are after `_key`. Two columns may say the same thing.
_ID: Final = ("hgncid",)
_SYMBOL: Final = ("symbol", "approvedsymbol")
_NAME: Final = ("name", "approvedname")
_STATUS: Final = ("status",)
_SYMBOLS: Final = (
    "aliassymbol",
    "aliassymbols",
    "synonyms",
    "prevsymbol",
    "previoussymbol",
    "previoussymbols",
)
_NAMES: Final = (
    "aliasname",
    "aliasnames",
    "namesynonyms",
    "prevname",
    "previousname",
    "previousnames",
)
_XREFS: Final = {
    "entrezid": "NCBIGene",
    "entrezgeneid": "NCBIGene",
    "ncbigeneid": "NCBIGene",
    "ensemblgeneid": "Ensembl",
    "ensemblid": "Ensembl",
    "uniprotids": "UniProt",
    "uniprotid": "UniProt",
    "omimid": "OMIM",
    "omimids": "OMIM",
}
_ORTHOLOGS: Final = {
    "mgdid": "MGI",
    "mousegenomedatabaseid": "MGI",
    "rgdid": "RGD",
    "ratgenomedatabaseid": "RGD",
}


def read_hgnc(path: StrPath) -> Iterator[Record]:
    """Approved genes as `HGNC:5`, named by their symbol; withdrawn ones are left out.

    Columns are found by their header, whatever their order: those of hgnc_complete_set.txt
    (`alias_symbol`, lists joined by a pipe and quoted) and of custom downloads ("Alias
    symbols", "Synonyms", "NCBI Gene ID(supplied by NCBI)", lists joined by a comma). Names
    are the symbol, the name, aliases and previous ones. The genes of mouse and rat are links
    ("orthologous_to"), not xrefs: they are not the same gene.
    """
    lines = numbered_lines(path)
    _, header = next(lines)
    columns = [_key(column) for column in header.split("\t")]
    for names in (_ID, _SYMBOL):
        if not any(name in columns for name in names):
            message = f"no column {' or '.join(names)!r} in the header: is this a file of HGNC?"
            raise FormatError(message, path=path, line=1)
    joined_by_pipe = header.lstrip().startswith("hgnc_id") or "alias_symbol" in header
    for number, line in lines:
        if not line.strip():
            continue
        fields = line.split("\t")
        check_width(fields, len(columns), path=path, line=number)
        row = _row(columns, fields)
        if _first(row, _STATUS).casefold() in ("approved", ""):
            yield _entry(row, path, number, joined_by_pipe=joined_by_pipe)


def _key(column: str) -> str:
    return re.sub(r"[\W_]", "", _SUPPLIED.sub("", column).casefold())


def _row(columns: Sequence[str], fields: Sequence[str]) -> dict[str, list[str]]:
    row: dict[str, list[str]] = {}
    for column, field in zip(columns, fields, strict=True):
        row.setdefault(column, []).append(field.strip())
    return row


def _first(row: Mapping[str, list[str]], names: Sequence[str]) -> str:
    values = (value for name in names for value in row.get(name, ()) if value)
    return _unquoted(next(values, ""))


def _unquoted(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] == '"'
    return value[1:-1].replace('""', '"') if quoted else value


def _entry(
    row: Mapping[str, list[str]], path: StrPath, line: int, *, joined_by_pipe: bool
) -> Entry:
    number, symbol = _first(row, _ID), _first(row, _SYMBOL)
    if not number or not symbol:
        raise FormatError("a gene without an HGNC id or a symbol", path=path, line=line)

    def listed(column: str, *, of_names: bool) -> Iterator[str]:
        for value in row.get(column, ()):
            yield from _split(value, joined_by_pipe=joined_by_pipe, of_names=of_names)

    symbols = [symbol for column in _SYMBOLS for symbol in listed(column, of_names=False)]
    names = [name for column in _NAMES for name in listed(column, of_names=True)]
    curie = canonical_curie(number if ":" in number else f"HGNC:{number}")
    xrefs = [f"{p}:{v}" for column, p in _XREFS.items() for v in listed(column, of_names=False)]
    orthologs = [
        f"{p}:{v}" for column, p in _ORTHOLOGS.items() for v in listed(column, of_names=False)
    ]
    return Entry(
        id=curie,
        name=symbol,
        synonyms=distinct([_first(row, _NAME), *symbols, *names], but=symbol),
        types=(types.GENE,),
        xrefs=distinct(map(canonical_curie, xrefs)),
        links=tuple(Link("orthologous_to", o) for o in distinct(map(canonical_curie, orthologs))),
    )


def _split(value: str, *, joined_by_pipe: bool, of_names: bool) -> list[str]:
    """The parts of a list. In custom downloads a name with a comma is in quotes."""
    if joined_by_pipe:
        return split_list(_unquoted(value), "|")
    if '"' in value:
        return [part.strip() for part in _QUOTED.findall(value) if part.strip()]
    return [value] if of_names and value else split_list(value, ", ")

"""The CSV files that BioPortal offers for each of its ontologies."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from holdfast.errors import FormatError
from holdfast.files import StrPath
from holdfast.kb.readers.fields import curie_of_iri, distinct, split_list
from holdfast.kb.readers.source import check_width, csv_rows
from holdfast.kb.readers.table import file_stem
from holdfast.kb.records import Entry, Link, Record

_ID: Final = "class id"
_NAME: Final = "preferred label"
_ROOT: Final = "http://www.w3.org/2002/07/owl#Thing"
# UMLS semantic types, which BioPortal adds to every vocabulary that it takes from UMLS.
_TYPE_CLASSES: Final = "STY"


def read_bioportal(
    path: StrPath, *, prefix: str | None = None, prefixes: Collection[str] | None = None
) -> Iterator[Record]:
    """Classes of a BioPortal CSV: Class ID, Preferred Label, Synonyms and so on, in any order.

    Class ids are web addresses: ".../ontology/RXNORM/161" becomes RXNORM:161, ".../DOID_4"
    DOID:4, and an address that names no vocabulary gets `prefix` (by default the file's
    stem). Semantic types keep their last part ("T200"); CUIs become xrefs to UMLS, parents
    is_a links. Obsolete classes and those without a label are left out; of several
    definitions the first is kept. `prefixes` keeps only classes with those prefixes; without
    it, all but the semantic types (STY:…) that BioPortal puts beside the vocabulary.
    """
    default = prefix or file_stem(path)
    rows = csv_rows(path, delimiter=",")
    start, header = next(rows)
    columns = [column.strip().casefold() for column in header]
    if _ID not in columns or _NAME not in columns:
        message = "no 'Class ID' and 'Preferred Label' in the header: is this BioPortal's CSV?"
        raise FormatError(message, path=path, line=start)
    for number, fields in rows:
        check_width(fields, len(columns), path=path, line=number)
        row = dict(zip(columns, fields, strict=True))
        if row.get("obsolete", "").strip().casefold() == "true" or not row[_NAME].strip():
            continue
        curie = curie_of_iri(row[_ID].strip(), prefix=default)
        if not curie:
            message = f"the Class ID {row[_ID]!r} is no web address"
            raise FormatError(message, path=path, line=number)
        own = curie.partition(":")[0]
        if own in prefixes if prefixes is not None else own != _TYPE_CLASSES:
            yield _entry(curie, row, default)


def _entry(curie: str, row: Mapping[str, str], prefix: str) -> Entry:
    name = row[_NAME].strip()

    def listed(column: str) -> list[str]:
        return split_list(row.get(column, ""), "|")

    parents = (curie_of_iri(p, prefix=prefix) for p in listed("parents") if p != _ROOT)
    return Entry(
        id=curie,
        name=name,
        synonyms=distinct(listed("synonyms"), but=name),
        types=distinct(kind.rpartition("/")[2] for kind in listed("semantic types")),
        definition=next(iter(listed("definitions")), ""),
        xrefs=distinct(f"UMLS:{cui}" for cui in listed("cui")),
        links=tuple(Link("is_a", parent) for parent in distinct(parents, but=curie)),
    )

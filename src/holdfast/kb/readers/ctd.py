"""CTD's vocabularies of diseases (MEDIC) and chemicals, and MEDIC as it was handed out in 2012."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from holdfast import types
from holdfast.errors import FormatError
from holdfast.files import StrPath, numbered_lines
from holdfast.kb.readers.fields import canonical_curie, distinct, split_list
from holdfast.kb.readers.source import check_width
from holdfast.kb.records import Entry, Link, Record

_KINDS: Final = {"DiseaseID": types.DISEASE, "ChemicalID": types.CHEMICAL}
_NAMES: Final = {"DiseaseID": "DiseaseName", "ChemicalID": "ChemicalName"}
_XREFS: Final = {"AltDiseaseIDs": "", "CasRN": "CAS:"}


def read_ctd(path: StrPath) -> Iterator[Record]:
    """Diseases or chemicals of CTD_diseases.tsv or CTD_chemicals.tsv, gzipped or not.

    The columns are those that the comment after "# Fields:" names, so that releases with more
    or fewer of them read alike. Parents become is_a links; alternative ids and CAS numbers
    become xrefs; every column whose name ends in "Synonyms" gives names.
    """
    columns: list[str] | None = None
    for number, line in numbered_lines(path):
        if line.startswith("#"):
            columns = _header(line) or columns
        elif line.strip():
            if columns is None:
                message = "no tab-separated '# Fields:' header with DiseaseID or ChemicalID"
                raise FormatError(message, path=path, line=number)
            fields = line.split("\t")
            check_width(fields, len(columns), path=path, line=number)
            yield _entry(dict(zip(columns, fields, strict=True)), path, number)
    if columns is None:
        raise FormatError("no '# Fields:' header: is this a file of CTD?", path=path)


def _header(comment: str) -> list[str] | None:
    columns = [column.strip() for column in comment.lstrip("# ").split("\t")]
    return columns if any(key in columns for key in _KINDS) else None


def _entry(row: Mapping[str, str], path: StrPath, line: int) -> Entry:
    key = next(key for key in _KINDS if key in row)
    name, curie = row.get(_NAMES[key], "").strip(), _prefixed(row[key].strip())
    if not name or not curie:
        raise FormatError(f"a row without {key} or {_NAMES[key]}", path=path, line=line)
    synonyms = [
        synonym
        for column, value in row.items()
        if column.endswith("Synonyms")
        for synonym in split_list(value, "|")
    ]
    xrefs = [
        canonical_curie(f"{prefix}{xref}")
        for column, prefix in _XREFS.items()
        for xref in split_list(row.get(column, ""), "|")
    ]
    parents = distinct(map(_prefixed, split_list(row.get("ParentIDs", ""), "|")))
    return Entry(
        id=curie,
        name=name,
        synonyms=distinct(synonyms, but=name),
        types=(_KINDS[key],),
        definition=row.get("Definition", "").strip(),
        xrefs=distinct(xrefs, but=curie),
        links=tuple(Link("is_a", parent) for parent in parents),
    )


def _prefixed(ident: str) -> str:
    """The id as a CURIE: early releases of chemicals have bare MeSH ids."""
    return canonical_curie(ident) if ":" in ident else f"MESH:{ident}" if ident else ""


def read_medic_2012(path: StrPath) -> Iterator[Record]:
    """MEDIC as lines of `id|alternate id||name|synonym|synonym`, each list at least one long.

    Ids that begin with C or D are MeSH's, ids of digits OMIM's. The first id is the entity's,
    the others are xrefs. The type is Disease.
    """
    for number, line in numbered_lines(path):
        ids, separator, names = line.partition("||")
        if not separator:
            message = "no '||' between ids and names; a line is id|alternate id||name|synonym"
            raise FormatError(message, path=path, line=number)
        curies = [_medic_id(part, path, number) for part in split_list(ids, "|")]
        name, *synonyms = split_list(names, "|") or [""]
        if not curies or not name:
            raise FormatError("a line without an id or a name", path=path, line=number)
        yield Entry(
            id=curies[0],
            name=name,
            synonyms=distinct(synonyms, but=name),
            types=(types.DISEASE,),
            xrefs=distinct(curies[1:], but=curies[0]),
        )


def _medic_id(ident: str, path: StrPath, line: int) -> str:
    if ident.isdecimal():
        return f"OMIM:{ident}"
    # "C" alone is the root of the tree, "Diseases".
    if ident == "C" or (ident[0] in "CD" and ident[1:].isdecimal()):
        return f"MESH:{ident}"
    message = f"{ident!r} is no MeSH id (C… or D…) and no OMIM id (digits)"
    raise FormatError(message, path=path, line=line)

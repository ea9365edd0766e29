"""The Rich Release Format that UMLS and RxNorm share: pipe-ended rows, no header, no quoting."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple

from holdfast.errors import FormatError
from holdfast.files import numbered_lines
from holdfast.kb.readers.fields import canonical_curie
from holdfast.kb.readers.source import check_width
from holdfast.kb.records import Addition, Link, Record

CONSO_COLUMNS: Final = 18
STY_COLUMNS: Final = 6
REL_COLUMNS: Final = 16
_REL_SUPPRESS: Final = 14

# REL says what the second concept is to the first: in "A|PAR|B", B is the parent of A.
_UP: Final = frozenset({"PAR", "RB"})
_DOWN: Final = frozenset({"CHD", "RN"})
_TREE: Final = frozenset({"PAR", "CHD"})
_IS_A: Final = frozenset({"", "isa", "inverse_isa"})

_PREFIX_OF_SOURCE: Final = {
    "ATC": "ATC",
    "DRUGBANK": "DRUGBANK",
    "FMA": "FMA",
    "GO": "GO",
    "HGNC": "HGNC",
    "HPO": "HP",
    "ICD10": "ICD10",
    "ICD10CM": "ICD10CM",
    "ICD9CM": "ICD9CM",
    "LNC": "LOINC",
    "MDR": "MEDDRA",
    "MSH": "MESH",
    "NCBI": "NCBITaxon",
    "NCI": "NCIT",
    "OMIM": "OMIM",
    "RXNORM": "RXNORM",
    "SNOMEDCT_US": "SNOMEDCT",
}


class Atom(NamedTuple):
    """One row of MRCONSO or RXNCONSO: a name that one source gives to one concept."""

    concept: str
    language: str
    term_status: str  # TS
    string_type: str  # STT
    is_preferred: str  # ISPREF
    source: str  # SAB
    term_type: str  # TTY
    code: str
    string: str
    suppress: str  # N is not suppressed; O, E and Y are


def rrf_rows(path: Path, *, columns: int) -> Iterator[tuple[int, list[str]]]:
    """Rows of that many fields. Each ends in a pipe, as the format has it."""
    for number, line in numbered_lines(path):
        fields = line.split("|")
        if fields.pop():
            raise FormatError(
                "the row does not end in a pipe; it may be cut off", path=path, line=number
            )
        check_width(fields, columns, path=path, line=number)
        yield number, fields


def concepts(path: Path) -> Iterator[list[Atom]]:
    """The atoms of each concept, which stand together in the release files."""
    for _, atoms in groupby(_atoms(path), key=lambda atom: atom.concept):
        yield list(atoms)


def _atoms(path: Path) -> Iterator[Atom]:
    for number, row in rrf_rows(path, columns=CONSO_COLUMNS):
        if not row[0] or not row[14].strip():
            raise FormatError("a concept id or a name is missing", path=path, line=number)
        yield Atom(
            concept=row[0],
            language=row[1],
            term_status=row[2],
            string_type=row[4],
            is_preferred=row[6],
            source=row[11],
            term_type=row[12],
            code=row[13],
            string=row[14],
            suppress=row[16],
        )


def xref(atom: Atom) -> str:
    """The CURIE of the atom's code, or "" where the source has no ids of its own here."""
    prefix = _PREFIX_OF_SOURCE.get(atom.source)
    if prefix is None or atom.code in ("", "NOCODE") or atom.code.startswith("MTHU"):
        return ""
    if prefix == "MESH" and atom.code[0] not in "CD":
        return ""
    return canonical_curie(f"{prefix}:{atom.code}")


def type_additions(path: Path, *, prefix: str) -> Iterator[Record]:
    """The semantic types of MRSTY or RXNSTY, such as "T047"."""
    rows = (row for _, row in rrf_rows(path, columns=STY_COLUMNS))
    for concept, group in groupby(rows, key=lambda row: row[0]):
        yield Addition(f"{prefix}:{concept}", types=tuple(dict.fromkeys(row[1] for row in group)))


def relation_additions(
    path: Path, *, prefix: str, sources: Collection[str] | None, suppressed: bool
) -> Iterator[Record]:
    """The links of MRREL or RXNREL between two different concepts.

    Release files state most relations twice, once in each direction, so that an is_a may come
    out twice.
    """
    for _, row in rrf_rows(path, columns=REL_COLUMNS):
        first, rel, second, rela = row[0], row[3], row[4], row[7]
        if not first or not second or first == second:
            continue
        if (sources is not None and row[10] not in sources) or (
            not suppressed and row[_REL_SUPPRESS] not in ("N", "")
        ):
            continue
        if rel in _TREE or rela in _IS_A:
            if rel in _UP:
                yield _link(prefix, first, "is_a", second)
            elif rel in _DOWN:
                yield _link(prefix, second, "is_a", first)
        if rela not in _IS_A:
            yield _link(prefix, second, rela, first)


def _link(prefix: str, subject: str, predicate: str, object_: str) -> Addition:
    return Addition(f"{prefix}:{subject}", links=(Link(predicate, f"{prefix}:{object_}"),))

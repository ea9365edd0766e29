"""UMLS Metathesaurus release files (RRF): MRCONSO, and MRSTY, MRDEF, MRREL where present."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Final

from holdfast.errors import InputError
from holdfast.files import StrPath
from holdfast.kb.readers import rrf
from holdfast.kb.readers.fields import distinct
from holdfast.kb.readers.source import find_in_folder
from holdfast.kb.records import Addition, Entry, Record

_DEF_COLUMNS: Final = 8


def read_umls(
    folder: StrPath,
    *,
    languages: Sequence[str] = ("ENG",),
    sources: Collection[str] | None = None,
    suppressed: bool = False,
    semantic_types: Collection[str] | None = None,
) -> Iterator[Record]:
    """Concepts as `UMLS:C0000001`, from the folder with MRCONSO.RRF (or a folder above it).

    languages       LAT values to take names in; the preferred name is in the first that has one
    sources         SAB values to take names, definitions and relations from; None is all
    suppressed      also take rows whose SUPPRESS is O, E or Y
    semantic_types  TUIs such as "T047": concepts with none of them are left out

    Xrefs come from the rows of every source and language, so that a KB made from one source
    still maps to the others. Files may be gzipped. MRSTY, MRDEF and MRREL may be absent, and
    then there are no types, definitions or relations; `semantic_types` needs MRSTY.
    """
    conso = find_in_folder(folder, "MRCONSO.RRF")
    if conso is None:
        raise InputError(f"{folder}: no MRCONSO.RRF in it; give the META folder of a release")
    sty = find_in_folder(folder, "MRSTY.RRF")
    wanted = None if semantic_types is None else _of_types(folder, sty, semantic_types)
    for atoms in rrf.concepts(conso):
        if wanted is None or atoms[0].concept in wanted:
            yield from _entries(atoms, languages, sources, suppressed=suppressed)
    if sty is not None:
        yield from rrf.type_additions(sty, prefix="UMLS")
    if definitions := find_in_folder(folder, "MRDEF.RRF"):
        yield from _definitions(definitions, sources, suppressed=suppressed)
    if relations := find_in_folder(folder, "MRREL.RRF"):
        yield from rrf.relation_additions(
            relations, prefix="UMLS", sources=sources, suppressed=suppressed
        )


def _of_types(folder: StrPath, sty: Path | None, semantic_types: Collection[str]) -> set[str]:
    if sty is None:
        raise InputError(f"{folder}: no MRSTY.RRF in it, which a filter on semantic types needs")
    rows = rrf.rrf_rows(sty, columns=rrf.STY_COLUMNS)
    return {row[0] for _, row in rows if row[1] in semantic_types}


def _entries(
    atoms: list[rrf.Atom],
    languages: Sequence[str],
    sources: Collection[str] | None,
    *,
    suppressed: bool,
) -> Iterator[Entry]:
    """The concept's entry, or nothing if no name of it passes the filters."""
    current = [atom for atom in atoms if suppressed or atom.suppress == "N"]
    named = [
        atom
        for atom in current
        if atom.language in languages and (sources is None or atom.source in sources)
    ]
    if not named:
        return
    name = min(named, key=lambda atom: _rank(atom, languages)).string.strip()
    yield Entry(
        id=f"UMLS:{atoms[0].concept}",
        name=name,
        synonyms=distinct((atom.string for atom in named), but=name),
        xrefs=distinct(map(rrf.xref, current)),
    )


def _rank(atom: rrf.Atom, languages: Sequence[str]) -> int:
    """Smallest for the atom that UMLS prefers: TS=P, then STT=PF, then ISPREF=Y."""
    within = 4 * (atom.term_status != "P") + 2 * (atom.string_type != "PF")
    return 8 * languages.index(atom.language) + within + (atom.is_preferred != "Y")


def _definitions(
    path: Path, sources: Collection[str] | None, *, suppressed: bool
) -> Iterator[Addition]:
    for _, row in rrf.rrf_rows(path, columns=_DEF_COLUMNS):
        concept, source, text, suppress = row[0], row[4], row[5], row[6]
        if (suppressed or suppress == "N") and (sources is None or source in sources):
            yield Addition(f"UMLS:{concept}", definition=text)

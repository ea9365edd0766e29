"""RxNorm release files (RRF): RXNCONSO, and RXNSTY and RXNREL where present."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from holdfast.errors import InputError
from holdfast.files import StrPath
from holdfast.kb.readers import rrf
from holdfast.kb.readers.fields import distinct
from holdfast.kb.readers.source import find_in_folder
from holdfast.kb.records import Entry, Record

# RxNorm's own names that are not the concept's normalised name.
_SYNONYM_TERM_TYPES: Final = frozenset({"SY", "TMSY", "PSN", "ET"})


def read_rxnorm(
    folder: StrPath,
    *,
    term_types: Collection[str] | None = None,
    sources: Collection[str] | None = None,
    suppressed: bool = False,
) -> Iterator[Record]:
    """Concepts as `RXNORM:161`, from the folder with RXNCONSO.RRF (or a folder above it).

    term_types  TTY values such as "IN", "PIN", "BN", "SCD": concepts to which RxNorm itself
                gives none of them are left out; None takes all
    sources     SAB values to take names and relations from; None is all of them
    suppressed  also take rows whose SUPPRESS is O, E or Y

    The preferred name is RxNorm's normalised one where the concept has it. RXNSTY and RXNREL
    may be absent, and then there are no types or relations.
    """
    conso = find_in_folder(folder, "RXNCONSO.RRF")
    if conso is None:
        raise InputError(f"{folder}: no RXNCONSO.RRF in it; give the rrf folder of a release")
    for atoms in rrf.concepts(conso):
        current = [atom for atom in atoms if suppressed or atom.suppress == "N"]
        if term_types is None or _has_term_type(current, term_types):
            yield from _entries(current, sources)
    if types := find_in_folder(folder, "RXNSTY.RRF"):
        yield from rrf.type_additions(types, prefix="RXNORM")
    if relations := find_in_folder(folder, "RXNREL.RRF"):
        yield from rrf.relation_additions(
            relations, prefix="RXNORM", sources=sources, suppressed=suppressed
        )


def _has_term_type(atoms: list[rrf.Atom], term_types: Collection[str]) -> bool:
    return any(atom.source == "RXNORM" and atom.term_type in term_types for atom in atoms)


def _entries(atoms: list[rrf.Atom], sources: Collection[str] | None) -> Iterator[Entry]:
    """The concept's entry, or nothing if no name of it passes the filters."""
    named = [atom for atom in atoms if sources is None or atom.source in sources]
    if not named:
        return
    name = min(named, key=_rank).string.strip()
    own_id = f"RXNORM:{atoms[0].concept}"
    yield Entry(
        id=own_id,
        name=name,
        synonyms=distinct((atom.string for atom in named), but=name),
        xrefs=distinct(map(rrf.xref, atoms), but=own_id),
    )


def _rank(atom: rrf.Atom) -> tuple[bool, bool]:
    return atom.source != "RXNORM", atom.term_type in _SYNONYM_TERM_TYPES

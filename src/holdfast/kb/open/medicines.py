"""Proteins that are medicines: MeSH files them among the proteins, but who takes them takes a drug.

The places of a concept in the MeSH tree and its name tell the most (`holdfast.kb.readers.mesh`).
For the rest, a package lists which substances DrugBank, MedlinePlus and the NHS know as medicines.
Such a concept is a chemical, and a gene besides only if it is a human protein.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from holdfast import types
from holdfast.kb.open.chemical_names import read_drugs
from holdfast.kb.readers.mesh import is_biologic_name
from holdfast.kb.records import Entry
from holdfast.text.tokens import key_of

_REGISTERED: Final = frozenset({"drugbank_id", "medline_plus_id", "nhs_url"})
_SHORTEST: Final = 6  # characters of a drug's other names; short ones have many meanings
_HUMAN: Final = re.compile(r"\bhuman\b", re.IGNORECASE)
# What follows the name of a protein in the names of the genes of its chains and kinds.
_KIND: Final = re.compile(
    r"\d+|[a-z]{1,2}\d*|alpha|beta|gamma|delta|epsilon|zeta|theta|type|chain|subunit|factor|"
    r"family|member|precursor|iii|vii|viii"
)


@dataclass(frozen=True, slots=True)
class Gene:
    """What HGNC calls a gene."""

    name: str
    symbols: tuple[str, ...]


class Medicines:
    """Knows which concepts of MeSH are medicines, and which of those are human proteins."""

    def __init__(self, genes: Iterable[Gene], human_headings: Iterable[str]) -> None:
        """`human_headings` are the ids of concepts that MeSH maps human proteins to."""
        self._registered = frozenset(_registered_drugs())
        self._of_genes = frozenset(key for gene in genes for key in _keys_of_gene(gene))
        self._human_headings = frozenset(human_headings)

    def types_of(self, entry: Entry) -> tuple[str, ...]:
        """The types of a concept, now that it may be a medicine."""
        if types.GENE not in entry.types:
            return entry.types
        others = tuple(type for type in entry.types if type not in (types.GENE, types.CHEMICAL))
        if is_biologic_name(entry.name):
            return (types.CHEMICAL, *others)
        keys = {key_of(name) for name in (entry.name, *entry.synonyms)}
        if keys.isdisjoint(self._registered):
            return entry.types
        if self._is_human(entry, keys):
            return (types.GENE, types.CHEMICAL, *others)
        return (types.CHEMICAL, *others)

    def _is_human(self, entry: Entry, keys: set[str]) -> bool:
        """Whether it is a protein of a human gene, or a family of such."""
        singular = {key[:-1] for key in keys if key.endswith("s")}
        head = key_of(entry.name.partition(",")[0])
        return (
            entry.id in self._human_headings
            or _HUMAN.search(entry.name) is not None
            or not self._of_genes.isdisjoint({*keys, *singular, head})
        )


def _registered_drugs() -> Iterator[str]:
    """The keys of all their names."""
    drugs = read_drugs()
    registered = {name for name, known in drugs.known.items() if not _REGISTERED.isdisjoint(known)}
    yield from map(key_of, registered)
    for name, meant in drugs.names.items():
        if len(name) >= _SHORTEST and registered.issuperset(meant):
            yield key_of(name)


def _keys_of_gene(gene: Gene) -> Iterator[str]:
    """Its names, parts of them between commas, and the families that they are of.

    HGNC's "collagen type I alpha 1 chain" is of the family "collagen", its "coagulation factor
    II, thrombin" is "thrombin".
    """
    yield from map(key_of, gene.symbols)
    for part in {gene.name, *gene.name.split(",")}:
        words = key_of(part).split()
        while words:
            yield " ".join(words)
            if not _KIND.fullmatch(words.pop()):
                break

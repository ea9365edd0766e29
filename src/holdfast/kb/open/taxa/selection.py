"""Which of NCBI's 2.6 million taxa people write about.

A taxon is taken if its name is that of an organism (not "uncultured …", "… sp. 12", an
environmental sample or a synthetic construct) and one of these holds:

- MeSH names it, or NCBI gives it a common name;
- it is a genus or above, and Wikidata knows it, or it is of bacteria, archaea or viruses;
- it is a species with a formal name and is a bacterium, or is sequenced in RefSeq, or Wikidata
  knows it, or MeSH names its genus and it is no land plant (fungi, protozoa, worms, vectors);
- it is a virus, or below a species (strains, serotypes, subspecies), and is sequenced in RefSeq or
  Wikidata knows it.

Genera and families above what is taken are taken too.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

import numpy as np

from holdfast.kb.open.taxa.taxonomy import (
    BACTERIA,
    NOT_ORGANISMS,
    PHAGES,
    RANKS,
    VIRUSES,
    Bits,
    Ints,
    Taxonomy,
)

ABOVE_SPECIES: Final = (
    *("superkingdom", "kingdom", "subkingdom", "superphylum", "phylum", "subphylum"),
    *("superclass", "class", "subclass", "infraclass", "cohort", "subcohort", "superorder"),
    *("order", "suborder", "infraorder", "parvorder", "superfamily", "family", "subfamily"),
    *("tribe", "subtribe", "genus", "clade"),
)
_LAND_PLANTS: Final = 3193
_NOT_NAMES: Final = re.compile(
    r"\b(?:sp|spp|cf|aff|nr)\.|['\"]|\bgenomosp\b|"
    r"\b(?:uncultured|unclassified|unidentified|unassigned|environmental|metagenome|incertae|"
    r"endosymbiont|symbiont|recombinant)\b",
    re.IGNORECASE,
)


def chosen_taxa(taxonomy: Taxonomy, *, in_mesh: Collection[int], besides: Collection[int]) -> Bits:
    """Whether each taxon is taken; the rows that MeSH names and those `besides` always are."""
    named = np.zeros(len(taxonomy), dtype=bool)
    named[list(in_mesh)] = True
    is_common = taxonomy.common_names.places >= 0
    is_noted = taxonomy.is_sequenced | taxonomy.is_known
    is_species = taxonomy.of_rank("species")
    is_above = taxonomy.of_rank(*ABOVE_SPECIES)
    is_virus = np.isin(taxonomy.divisions, (VIRUSES, PHAGES))
    is_bacterium = taxonomy.divisions == BACTERIA
    in_genus = named[_genera(taxonomy)] & ~below(taxonomy, _LAND_PLANTS)
    formal_species = is_species & taxonomy.is_formal & (is_bacterium | is_noted | in_genus)
    fits: Bits = named | is_common | formal_species
    fits |= is_above & (taxonomy.is_known | is_bacterium | is_virus)
    fits |= is_noted & (is_virus | ~(is_above | is_species))
    fits &= ~np.isin(taxonomy.divisions, NOT_ORGANISMS)
    named[list(besides)] = True
    fits |= named
    for row in np.flatnonzero(fits & ~named).tolist():
        fits[row] = is_name(taxonomy.names.at(row))
    above: Bits = is_above & _above(taxonomy, fits)
    return fits | above


def is_name(text: str) -> bool:
    """Whether a scientific name is that of an organism, and not a description of a sample."""
    return _NOT_NAMES.search(text) is None


def below(taxonomy: Taxonomy, id: int) -> Bits:
    """Whether each taxon is the one of that number or below it."""
    found = np.zeros(len(taxonomy), dtype=bool)
    root = taxonomy.row_of(id)
    if root is None:
        return found
    found[root] = True
    while (more := found[taxonomy.parents] & ~found).any():
        found |= more
    return found


def nearest_above(taxonomy: Taxonomy, which: Bits) -> Ints:
    """The nearest taxon above each, without itself, that is one of `which`; else the root's row."""
    found = taxonomy.parents.copy()
    while True:
        misses = ~which[found] & (found != taxonomy.parents[found])
        if not misses.any():
            return found
        found[misses] = taxonomy.parents[found[misses]]


def _genera(taxonomy: Taxonomy) -> Ints:
    return nearest_above(taxonomy, taxonomy.ranks == RANKS.index("genus"))


def _above(taxonomy: Taxonomy, which: Bits) -> Bits:
    """Whether each taxon is above one of `which`."""
    found = np.zeros(len(taxonomy), dtype=bool)
    new = np.unique(taxonomy.parents[which])
    while len(new):
        found[new] = True
        parents = np.unique(taxonomy.parents[new])
        new = parents[~found[parents]]
    return found

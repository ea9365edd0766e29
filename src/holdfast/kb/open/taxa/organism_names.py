"""The names of each organism, so that one name means one organism where that can be decided."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from holdfast.kb.open.taxa.everyday_taxa import everyday_names
from holdfast.kb.open.taxa.mesh_taxa import MeshTaxa
from holdfast.kb.open.taxa.other_meanings import OtherMeanings
from holdfast.kb.open.taxa.taxon_names import shortened, spoken_names
from holdfast.kb.open.taxa.taxonomy import PHAGES, VIRUSES, Ints, Taxonomy
from holdfast.kb.records import Entry


@dataclass(frozen=True, slots=True, eq=False)
class OrganismNames:
    """What the sources say of names, by row. Rows are asked in the order of their prominence."""

    taxonomy: Taxonomy
    mesh: MeshTaxa
    animals: Mapping[int, Entry]  # CELLxGENE's, by number
    older: Mapping[int, Sequence[str]]
    short: Mapping[int, str]
    species: Ints  # the species above each row, or the root
    chosen_parents: Ints
    others: OtherMeanings
    # Rows that were asked before, by their names in lower case.
    _by_preferred: dict[str, int] = field(default_factory=dict)
    _by_name: dict[str, int] = field(default_factory=dict)

    def take(self, preferred: str, synonyms: Iterable[str], row: int) -> None:
        """Remember whose names these are; the first owner counts."""
        self._by_preferred.setdefault(preferred.lower(), row)
        for name in (preferred, *synonyms):
            self._by_name.setdefault(name.lower(), row)

    def preferred(self, row: int) -> str:
        """The scientific name, with what tells it apart where it alone means something else.

        "subgenus Drosophila" has its genus's name. "genus Cancer" is a word, or the name of
        another thing, unless MeSH names the organism so. "Bacillus (Bacillidae)" is a stick insect,
        since MeSH's Bacillus is another.
        """
        name = self.taxonomy.names.at(row)
        above = int(self.chosen_parents[row])
        listed = (n for h in self.mesh.by_row.get(row, ()) for n in (h.name, *h.synonyms))
        is_other = " " not in name and self.others.of_scientific_name(name) and name not in listed
        if is_other or (above != row and self.taxonomy.names.at(above) == name):
            return f"{self.taxonomy.rank_of(row)} {name}"
        if self._is_overruled(self._by_preferred.get(name.lower(), row), row):
            return f"{name} ({self.taxonomy.names.at(above)})"
        return name

    def synonyms(self, row: int) -> Iterator[str]:
        """All other names; empty ones and repetitions among them."""
        yield from self._common(row)
        for heading in self.mesh.by_row.get(row, ()):
            yield from (heading.name, *heading.synonyms)
            if int(self.taxonomy.divisions[row]) not in (VIRUSES, PHAGES):
                yield shortened(heading.name)
        yield from self.older.get(row, ())
        yield from everyday_names(int(self.taxonomy.ids[row]))
        yield self.short.get(row, "")
        above = int(self.species[row])
        if above != row and self.taxonomy.rank_of(above) == "species":
            name, species = self.taxonomy.names.at(row), self.taxonomy.names.at(above)
            yield from spoken_names(name, species, self.short.get(above, ""))

    def of_ncbi(self, row: int) -> Iterator[str]:
        """The names that NCBI Taxonomy gives it, older ones too."""
        yield self.taxonomy.names.at(row)
        yield self.taxonomy.common_names.at(row)
        yield from self.older.get(row, ())
        if animal := self.animals.get(int(self.taxonomy.ids[row])):
            yield from (animal.name, *animal.synonyms)

    def of_mesh(self, row: int) -> Iterator[str]:
        """The names that MeSH gives it."""
        for heading in self.mesh.by_row.get(row, ()):
            yield from (heading.name, *heading.synonyms)

    def _common(self, row: int) -> Iterator[str]:
        animal = self.animals.get(int(self.taxonomy.ids[row]))
        own = self.taxonomy.names.at(row)
        given = [self.taxonomy.common_names.at(row)]
        given += () if animal is None else (animal.name, *animal.synonyms)
        for name in given:
            is_other = " " not in name and self.others.of_common_name(name)
            owner = self._by_name.get(name.lower(), row)
            if name not in ("", own) and not (is_other or self._is_overruled(owner, row)):
                yield name

    def _is_overruled(self, owner: int, row: int) -> bool:
        """Whether a name that both have means its owner rather.

        It is one that MeSH names, if it does not name this one; or a species above or below it:
        people say "mouse" of the species and not of the genus.
        """
        if owner == row:
            return False
        if owner in self.mesh.by_row and row not in self.mesh.by_row:
            return True
        is_species = self.taxonomy.rank_of(owner) == "species"
        return is_species and (self._is_above(owner, row) or self._is_above(row, owner))

    def _is_above(self, upper: int, lower: int) -> bool:
        while lower != upper:
            parent = int(self.chosen_parents[lower])
            if parent == lower:
                return False
            lower = parent
        return True

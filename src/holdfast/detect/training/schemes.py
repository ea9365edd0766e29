"""Which corpora teach the detector what: the types that each marks, and what its labels mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from holdfast.types import (
    ANATOMY,
    CELL_LINE,
    CELL_TYPE,
    CHEMICAL,
    DISEASE,
    GENE,
    SPECIES,
    VARIANT,
    canonical_type,
)

TAUGHT: Final = (DISEASE, CHEMICAL, GENE, SPECIES, CELL_LINE, CELL_TYPE, ANATOMY, VARIANT)
"""The types that corpora teach well enough; the others are left to the dictionary."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """What a corpus annotates."""

    complete: frozenset[str]  # types of which it marks every mention
    passes: float  # how often its documents are seen in a full training
    # What its own labels may mean; nothing: anything at all may stand there. Labels that are
    # not listed are those of holdfast.types.
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    types: tuple[str, ...] = TAUGHT  # that the network learns, in the order of its tags

    def meanings(self, label: str) -> tuple[str, ...] | None:
        """The types that a label may stand for; None if the label is none of ours."""
        if label in self.labels:
            return self.labels[label]
        type = canonical_type(label)
        return (type,) if type in self.types else None

    def type_of(self, label: str) -> str:
        """The one type that a label stands for; otherwise the label, spelled as usual."""
        meant = self.meanings(label)
        return meant[0] if meant and len(meant) == 1 else canonical_type(label)


_ORGANS: Final = (
    "Organ Tissue Multi-tissue_structure Organism_subdivision Anatomical_system "
    "Organism_substance Immaterial_anatomical_entity Developing_anatomical_structure"
)

SCHEMES: Final[Mapping[str, Scheme]] = {
    "bc5cdr": Scheme(frozenset({DISEASE, CHEMICAL}), 3.0),
    "ncbi-disease": Scheme(frozenset({DISEASE}), 1.0),
    "biored": Scheme(frozenset({GENE, DISEASE, CHEMICAL, SPECIES, VARIANT, CELL_LINE}), 6.0),
    # Its chemicals are ChEBI's, with roles such as "drug", which others do not mark.
    "craft": Scheme(
        frozenset({GENE, SPECIES, CELL_TYPE, ANATOMY}),
        0.2,
        {
            "PR": (GENE,),
            "NCBITaxon": (SPECIES,),
            "CL": (CELL_TYPE,),
            "UBERON": (ANATOMY,),
            "GO_CC": (),
        },
    ),
    # It marks cancers only among the diseases, and cell lines as it does types of cells.
    "bionlp13cg": Scheme(
        frozenset({GENE, CHEMICAL, SPECIES, CELL_LINE, CELL_TYPE, ANATOMY}),
        2.0,
        {
            "Cell": (CELL_TYPE, CELL_LINE),
            "Amino_acid": (),
            "Cellular_component": (),
            "Pathological_formation": (),
            **dict.fromkeys(_ORGANS.split(), (ANATOMY,)),
        },
    ),
    "bc2gm": Scheme(frozenset({GENE}), 0.2),
    "linnaeus": Scheme(frozenset({SPECIES}), 0.1),
    # Everything made of cells has one label, cancers too, unless the cancer is a mere diagnosis.
    "anatem": Scheme(
        frozenset({ANATOMY, CELL_TYPE, CELL_LINE}),
        0.2,
        {"Anatomy": (ANATOMY, CELL_TYPE, CELL_LINE, DISEASE)},
    ),
    # Its mentions are of unknown types; what it leaves unmarked is of none but perhaps variants.
    "medmentions-st21pv": Scheme(frozenset(TAUGHT) - {VARIANT}, 0.1, {"": ()}),
}

"""The kinds of things that mentions and entities are, under one set of names.

Corpora spell the same type in many ways ("SpecificDisease", "DiseaseOrPhenotypicFeature", "MESH
disease"). Documents keep a corpus's own spelling; whoever compares types compares
`canonical_type` of both.
"""

from __future__ import annotations

from typing import Final

DISEASE: Final = "Disease"
PHENOTYPE: Final = "Phenotype"
CHEMICAL: Final = "Chemical"
GENE: Final = "Gene"
SPECIES: Final = "Species"
CELL_LINE: Final = "CellLine"
CELL_TYPE: Final = "CellType"
ANATOMY: Final = "Anatomy"
PROCESS: Final = "Process"
VARIANT: Final = "Variant"
OTHER: Final = "Other"

TYPES: Final = (
    DISEASE,
    PHENOTYPE,
    CHEMICAL,
    GENE,
    SPECIES,
    CELL_LINE,
    CELL_TYPE,
    ANATOMY,
    PROCESS,
    VARIANT,
    OTHER,
)

_SPELLINGS: Final = {
    DISEASE: "specificdisease diseaseclass modifier compositemention diseaseorphenotypicfeature "
    "disorder cancer",
    PHENOTYPE: "phenotypicfeature sign symptom",
    CHEMICAL: "chemicalentity drug simplechemical compound substance",
    GENE: "geneorgeneproduct geneproduct protein dna rna genefamily",
    SPECIES: "organismtaxon organism taxon",
    CELL_LINE: "",
    CELL_TYPE: "cell",
    ANATOMY: "organ tissue anatomicalentity multitissuestructure bodypart",
    PROCESS: "biologicalprocess pathway",
    VARIANT: "sequencevariant mutation proteinmutation dnamutation snp genomicvariant",
    OTHER: "",
}
_CANONICAL: Final = {
    spelling: canonical
    for canonical, spellings in _SPELLINGS.items()
    for spelling in (canonical.casefold(), *spellings.split())
}


def canonical_type(type: str) -> str:
    """One of TYPES where the spelling is known; otherwise the type as it is.

    Case, spaces, hyphens and underscores do not matter: "cell line" is "CellLine".
    """
    key = type.casefold().replace(" ", "").replace("_", "").replace("-", "")
    return _CANONICAL.get(key, type)

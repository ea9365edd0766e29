"""The kinds of things that mentions and entities are, under one set of names.

Corpora spell the same type in many ways ("SpecificDisease", "DiseaseOrPhenotypicFeature", "MESH
disease"). Documents keep a corpus's own spelling; whoever compares types compares
`canonical_type` of both.
"""

from __future__ import annotations

from collections.abc import Collection
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

UNTYPED: Final = 1 << 31
"""The bit of an entity that has no type, such as a row of a table without types."""

FOREIGN: Final = 1 << 30
"""The bit of an entity that has types, but none of TYPES."""

OWN: Final = 1 << 29
"""The bit of an entity of the own types that were asked for: see holdfast.kb.own_types."""

# Spellings of corpora, semantic tags of SNOMED CT, and semantic types of UMLS.
_SPELLINGS: Final = {
    DISEASE: "specificdisease diseaseclass modifier compositemention diseaseorphenotypicfeature "
    "disorder cancer t019 t020 t037 t046 t047 t048 t049 t050 t184 t190 t191",
    PHENOTYPE: "phenotypicfeature sign symptom finding t033",
    CHEMICAL: "chemicalentity drug simplechemical compound substance product medicinalproduct "
    "clinicaldrug t103 t104 t109 t120 t121 t122 t123 t125 t127 t129 t130 t131 t195 t196 t197 t200",
    GENE: "geneorgeneproduct geneproduct protein dna rna genefamily t028 t116 t126 t192",
    SPECIES: "organismtaxon organism taxon t001 t002 t004 t005 t007 t008 t010 t011 t012 t013 t014 "
    "t015 t016 t194 t204",
    CELL_LINE: "",
    CELL_TYPE: "cell t025",
    ANATOMY: "organ tissue anatomicalentity multitissuestructure bodypart bodystructure "
    "cellstructure t017 t018 t021 t022 t023 t024 t026 t029 t030",
    PROCESS: "biologicalprocess pathway t038 t039 t040 t041 t042 t043 t044 t045",
    VARIANT: "sequencevariant mutation proteinmutation dnamutation snp genomicvariant t086",
    OTHER: "",
}
_CANONICAL: Final = {
    spelling: canonical
    for canonical, spellings in _SPELLINGS.items()
    for spelling in (canonical.casefold(), *spellings.split())
}


def type_key(type: str) -> str:
    """The type for comparison: case, spaces, hyphens and underscores do not matter."""
    return type.casefold().replace(" ", "").replace("_", "").replace("-", "")


def canonical_type(type: str) -> str:
    """One of TYPES where the spelling is known ("cell line" is "CellLine"); else as it is."""
    return _CANONICAL.get(type_key(type), type)


def mask_of(types: Collection[str] | None) -> int:
    """Canonical types as bits, bit i for TYPES[i]; None stands for whatever there is.

    Any other type is one of a knowledge base's own and has the bit OWN.
    """
    if types is None:
        return UNTYPED | FOREIGN | (1 << len(TYPES)) - 1
    known = sum(1 << TYPES.index(type) for type in set(types) if type in TYPES)
    return known if all(type in TYPES for type in types) else known | OWN


def mask_of_mention(type: str, wanted: int) -> int:
    """The types of the entities that a mention of this type may mean, where some are wanted.

    An entity without a type may be of any: a mention of a wanted type may mean it too.
    """
    canonical = canonical_type(type)
    if canonical not in TYPES:
        return wanted
    own = mask_of([canonical]) & wanted
    return own | UNTYPED if own else 0

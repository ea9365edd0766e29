"""Which vocabulary speaks first when a name is in several."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast import types
from holdfast.kb.store import KnowledgeBase

_ORDER: Final = (
    ("MeSH", (types.DISEASE, types.CHEMICAL)),
    ("HGNC", types.TYPES),
    ("MGI", types.TYPES),
    ("RGD", types.TYPES),
    ("NCBI Taxonomy", types.TYPES),
    ("Cellosaurus", types.TYPES),
    ("Gene Ontology", types.TYPES),
    ("Cell Ontology", types.TYPES),
    ("UBERON", types.TYPES),
    ("Human Phenotype Ontology", types.TYPES),
    ("MONDO", types.TYPES),
)


def preference_of_entities(kb: KnowledgeBase) -> npt.NDArray[np.uint16]:
    """A rank per entity, smaller first. *Shape:* (entities,)

    The well-known vocabularies come in a fixed order, MeSH only for diseases and chemicals that
    are no genes besides. The others follow in the order in which they were built in.
    """
    names = [source.name for source in kb.sources]
    rank = (len(_ORDER) + kb.source_of).astype(np.uint16)
    for place, (source, chosen) in reversed(list(enumerate(_ORDER))):
        if source in names:
            fits = (kb.source_of == names.index(source)) & (
                kb.type_mask & types.mask_of(chosen) != 0
            )
            if types.GENE not in chosen:  # a protein that is a medicine too
                fits &= kb.type_mask & types.mask_of([types.GENE]) == 0
            rank[fits] = place
    return rank

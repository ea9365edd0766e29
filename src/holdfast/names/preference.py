"""Which vocabulary speaks first when a name is in several."""

from __future__ import annotations

from typing import Final
from weakref import WeakKeyDictionary

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
_RANKS: Final = WeakKeyDictionary["KnowledgeBase", npt.NDArray[np.uint16]]()
"""The ranks of each open knowledge base, which several steps of a pipeline share."""


def preference_of_entities(kb: KnowledgeBase) -> npt.NDArray[np.uint16]:
    """A rank per entity, smaller first. *Shape:* (entities,)

    The well-known vocabularies come in a fixed order, MeSH only for diseases and chemicals that
    are no genes besides. The others follow in the order in which they were built in.
    """
    if kb not in _RANKS:
        _RANKS[kb] = _ranked(kb)
    return _RANKS[kb]


def _ranked(kb: KnowledgeBase) -> npt.NDArray[np.uint16]:
    names = [source.name for source in kb.sources]
    known = np.arange(len(_ORDER), len(_ORDER) + len(names), dtype=np.uint16)
    others = known.copy()
    allowed = np.zeros(len(names), dtype=np.uint32)  # the types that an entity may have
    barred = np.zeros(len(names), dtype=np.uint32)
    for place, (source, chosen) in enumerate(_ORDER):
        if source in names:
            number = names.index(source)
            known[number], allowed[number] = place, types.mask_of(chosen)
            if types.GENE not in chosen:  # a protein that is a medicine too
                barred[number] = types.mask_of([types.GENE])
    source_of, mask = kb.source_of, kb.type_mask
    fits = (mask & allowed[source_of] != 0) & (mask & barred[source_of] == 0)
    return np.where(fits, known[source_of], others[source_of])

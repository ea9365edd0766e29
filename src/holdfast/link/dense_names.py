"""The dense index of a knowledge base's names: made once, kept in the home folder, mapped."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast import artifacts, types
from holdfast.errors import ArtifactError
from holdfast.kb.store import KnowledgeBase
from holdfast.names.dense import DenseIndex
from holdfast.names.encoder import NameEncoder

_NEVER: Final = types.mask_of([types.SPECIES, types.CELL_LINE, types.VARIANT])
_SYMBOLS: Final = types.mask_of([types.GENE])


def dense_index_of(
    kb: KnowledgeBase, encoder: NameEncoder, *, progress: Callable[[float], None] | None = None
) -> DenseIndex:
    """The index of the names that people paraphrase; built if it is missing, damaged or outdated.

    Symbols of genes, cell lines and Latin names of species are spelled, not paraphrased: they are
    left out. `progress` is called with the part that is done, only while building.
    """
    place = hashlib.sha256(f"{kb.folder.resolve()} {encoder.digest}".encode()).hexdigest()[:16]
    folder = artifacts.home() / "dense" / f"{kb.name}-{place}"
    digest = kb.manifest.digest
    try:
        return DenseIndex.open(folder, encoder, names_digest=digest)
    except ArtifactError:
        rows = _paraphrased(kb)
        names = _names_at(kb, rows)
        index = DenseIndex.build(names, encoder, rows=rows, progress=progress)
        index.save(folder, names_digest=digest)
        return DenseIndex.open(folder, encoder, names_digest=digest)


def _paraphrased(kb: KnowledgeBase) -> npt.NDArray[np.int64]:
    mask = kb.type_mask[kb.entity_of_name]
    is_left_out = (mask != 0) & (mask & np.uint32(~(_NEVER | _SYMBOLS) & 0xFFFFFFFF) == 0)
    for row, name in enumerate(kb.all_names()):
        if is_left_out[row] and not mask[row] & _NEVER and " " in name:
            is_left_out[row] = False
    return np.flatnonzero(~is_left_out)


def _names_at(kb: KnowledgeBase, rows: npt.NDArray[np.int64]) -> Iterator[str]:
    wanted = np.zeros(kb.names, dtype=bool)
    wanted[rows] = True
    return (name for name, is_wanted in zip(kb.all_names(), wanted, strict=True) if is_wanted)

"""The dense index of a knowledge base's names: made once, kept in the home folder, mapped."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast import artifacts, types
from holdfast.errors import ArtifactError
from holdfast.kb.store import KnowledgeBase
from holdfast.names.dense import DenseIndex, Encoder

_WORTH_KEEPING: Final = 2000  # names
_ALL: Final = 200_000  # names up to which a knowledge base is indexed whole
_SPELLED: Final = types.OWN | types.mask_of(
    [types.GENE, types.CHEMICAL, types.SPECIES, types.CELL_LINE, types.VARIANT]
)


def dense_index_of(
    kb: KnowledgeBase, encoder: Encoder, *, progress: Callable[[float], None] | None = None
) -> DenseIndex:
    """The index of names; built if it is missing, damaged or outdated.

    Of a large knowledge base, only names that people paraphrase are in it: genes, chemicals, cell
    lines and species are spelled, and their millions of names would take long to index.
    `progress` is called with the part that is done, only while building.
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


def dense_index_of_strings(names: Sequence[str], encoder: Encoder) -> DenseIndex:
    """The index of a list of names; a longer one is kept, since encoding takes a second."""
    if len(names) < _WORTH_KEEPING:
        return DenseIndex.build(names, encoder)
    digest = hashlib.sha256("\n".join(names).encode("utf-8", "replace")).hexdigest()
    folder = artifacts.home() / "dense" / f"names-{digest[:16]}-{encoder.digest[:16]}"
    try:
        return DenseIndex.open(folder, encoder, names_digest=digest)
    except ArtifactError:
        index = DenseIndex.build(names, encoder)
        index.save(folder, names_digest=digest)
        return index


def _paraphrased(kb: KnowledgeBase) -> npt.NDArray[np.int64]:
    if kb.names <= _ALL:
        return np.arange(kb.names)
    mask = kb.type_mask[kb.entity_of_name]
    return np.flatnonzero((mask == 0) | (mask & np.uint32(~_SPELLED & 0xFFFFFFFF) != 0))


def _names_at(kb: KnowledgeBase, rows: npt.NDArray[np.int64]) -> Iterator[str]:
    wanted = np.zeros(kb.names, dtype=bool)
    wanted[rows] = True
    return (name for name, is_wanted in zip(kb.all_names(), wanted, strict=True) if is_wanted)

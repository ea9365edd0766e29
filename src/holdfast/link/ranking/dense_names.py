"""The dense index of a knowledge base's names: made once, kept in the home folder, mapped."""

from __future__ import annotations

import hashlib
import logging
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast import artifacts, types
from holdfast.errors import ArtifactError
from holdfast.kb.store import KnowledgeBase
from holdfast.names.dense import DenseIndex
from holdfast.names.unindexed import NameVectors, UnindexedNames
from holdfast.names.vectors import Encoder

FEW: Final = 20_000
"""Names up to which vectors that cannot be kept are made in memory, each time."""

_WORTH_KEEPING: Final = 2000  # names
_ALL: Final = 200_000  # names up to which a knowledge base is indexed whole
_SPELLED: Final = types.OWN | types.mask_of(
    [types.GENE, types.CHEMICAL, types.SPECIES, types.CELL_LINE, types.VARIANT]
)
_BYTES_BESIDES: Final = 100  # of an indexed name on disk, besides its vector; rather too few
_LOG: Final = logging.getLogger(__name__)
_not_kept: dict[tuple[Path, str], NameVectors] = {}
"""Vectors that could not be written, by folder and digest of the names: once per process."""


class NotKeptError(ArtifactError):
    """Vectors that could not be written; `index` has them, if they were made at all."""

    def __init__(self, problem: str, index: DenseIndex | None = None) -> None:
        super().__init__(f"{problem}; make room there, or set HOLDFAST_HOME to another folder")
        self.problem = problem
        self.index = index


def dense_index_of(
    kb: KnowledgeBase, encoder: Encoder, *, progress: Callable[[float], None] | None = None
) -> DenseIndex:
    """The index of names; built if it is missing, damaged or outdated.

    Of a large knowledge base, only names that people paraphrase are in it: genes, chemicals, cell
    lines and species are spelled, and their millions of names would take long to index.
    `progress` is called with the part that is done, only while building. An index that cannot be
    written is a NotKeptError, and nothing of it remains; of several processes one builds it.
    """
    folder = dense_folder(kb, encoder)
    with suppress(ArtifactError):
        return DenseIndex.open(folder, encoder, names_digest=kb.manifest.digest)
    index: DenseIndex | None = None
    try:
        with artifacts.one_writer(folder):
            with suppress(ArtifactError):  # made by another process meanwhile
                return DenseIndex.open(folder, encoder, names_digest=kb.manifest.digest)
            rows = paraphrased_rows(kb)
            _check_room(folder.parent, len(rows) * (encoder.width + _BYTES_BESIDES))
            if progress:
                progress(0.0)
            names = names_at(kb, rows)
            index = DenseIndex.build(names, encoder, rows=rows, progress=progress)
            index.save(folder, names_digest=kb.manifest.digest)
    except OSError as error:
        reason = artifacts.why_not_written(error)
        raise NotKeptError(
            f"the vectors of {kb.name!r} cannot be written to {folder.parent}: {reason}", index
        ) from error
    return DenseIndex.open(folder, encoder, names_digest=kb.manifest.digest)


def name_vectors_of(
    kb: KnowledgeBase, encoder: Encoder, *, progress: Callable[[float], None] | None = None
) -> NameVectors:
    """The dense index, or what can be had where it cannot be written: see UnindexedNames.

    Few names are indexed in memory then. Either is said once, in one line of the log.
    """
    key = (dense_folder(kb, encoder), kb.manifest.digest)
    if key in _not_kept:
        return _not_kept[key]
    try:
        return dense_index_of(kb, encoder, progress=progress)
    except NotKeptError as error:
        rows = paraphrased_rows(kb)
        vectors: NameVectors | None = error.index
        if vectors is None and len(rows) <= FEW:
            vectors = DenseIndex.build(names_at(kb, rows), encoder, rows=rows)
        if vectors is None:
            vectors = UnindexedNames(kb.name_at, encoder, rows=rows, names=kb.names)
            _LOG.warning("%s; linking without an index of them", error.problem)
        else:
            _LOG.warning("%s; they are in memory for this time only", error.problem)
        _not_kept[key] = vectors
        return vectors


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
        with suppress(OSError):  # what cannot be kept is made again, in a second
            index.save(folder, names_digest=digest)
        return index


def dense_folder(kb: KnowledgeBase, encoder: Encoder) -> Path:
    """Where the index of a knowledge base by an encoder is kept."""
    made_of = f"{artifacts.place_in_home(kb.folder)} {encoder.digest}"
    place = hashlib.sha256(made_of.encode()).hexdigest()[:16]
    return artifacts.home() / "dense" / f"{kb.name}-{place}"


def _check_room(folder: Path, needed: int) -> None:
    """Raise an OSError before minutes are spent on what there is no room for."""
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise OSError(f"about {needed / 1e6:,.0f} MB are needed, and {free / 1e6:,.0f} MB are free")


def paraphrased_rows(kb: KnowledgeBase) -> npt.NDArray[np.int64]:
    """The names that are indexed: all, or of a large knowledge base those of some types."""
    if kb.names <= _ALL:
        return np.arange(kb.names)
    mask = kb.type_mask[kb.entity_of_name]
    return np.flatnonzero((mask == 0) | (mask & np.uint32(~_SPELLED & 0xFFFFFFFF) != 0))


def names_at(kb: KnowledgeBase, rows: npt.NDArray[np.int64]) -> Iterator[str]:
    """The names of ascending rows, in order, without all of them in memory."""
    wanted = np.zeros(kb.names, dtype=bool)
    wanted[rows] = True
    return (name for name, is_wanted in zip(kb.all_names(), wanted, strict=True) if is_wanted)

"""The vectors of a knowledge base's entities: made once, kept in the home folder, searched whole.

Every query is compared with every vector; there is no index that could miss the nearest.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

import faiss
import numpy as np
import numpy.typing as npt

from holdfast import artifacts
from holdfast.errors import ArtifactError
from holdfast.kb.store import KnowledgeBase
from holdfast.systems.collective.scores import Floats, Rows, rows_of_owners, score_entities

KIND: Final = "entity vectors"
VERSION: Final = 1
_EXACTLY: Final = 1 << 17  # names up to which vectors are stored in 32 bits a number, else 16
_BLOCK: Final = 1 << 15  # names that queries are compared with at once
_ASKED: Final = 256  # queries that are compared at once
_BATCH: Final = 1 << 13  # names encoded at once
_VECTORS: Final = "vectors.npy"
_FEW: Final = 20_000  # names up to which vectors that cannot be kept are made in memory
NAMES_FOR_ENTITY: Final = 4  # names that are looked up for each entity that is asked for

_LOG: Final = logging.getLogger(__name__)


class EntityEncoder(Protocol):
    """What makes vectors of names."""

    @property
    def names_digest(self) -> str:
        """Of what makes vectors of names: equal digests, equal vectors."""
        ...

    def encode_names(self, names: Sequence[str]) -> Floats:
        """*Shape:* (names, width)."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class EntityNames:
    """The names that entities are encoded by, grouped by entity."""

    rows: Rows  # of each name in the knowledge base; (names,)
    owner: Rows  # the entity of each, ascending; (names,)

    @classmethod
    def of(cls, kb: KnowledgeBase, *, most: int) -> EntityNames:
        """At most so many names of every entity, the preferred one first."""
        owner = kb.entity_of_name.astype(np.int64)
        rank = np.arange(len(owner)) - kb.first_name.astype(np.int64)[owner]
        rows = np.flatnonzero(rank < most)
        return cls(rows, owner[rows])

    def texts(self, kb: KnowledgeBase) -> list[str]:
        """The names, in order."""
        wanted = np.zeros(kb.names, dtype=bool)
        wanted[self.rows] = True
        return [name for name, is_wanted in zip(kb.all_names(), wanted, strict=True) if is_wanted]


@dataclass(frozen=True, slots=True)
class NearestEntity:
    """An entity that a vector found."""

    entity: int  # its row in the knowledge base
    name: int  # the row of the name that was nearest
    score: float  # the dot product; of several names, the log-sum-exp of theirs


@dataclass(frozen=True, slots=True, eq=False)
class EntityVectors:
    """A vector per name; an entity's score is the log-sum-exp of its names' scores."""

    names: EntityNames
    _vectors: npt.NDArray[Any]  # (names, width)

    @classmethod
    def build(
        cls,
        kb: KnowledgeBase,
        encoder: EntityEncoder,
        *,
        most: int = 1,
        folder: Path | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> EntityVectors:
        """Encode every entity by at most `most` of its names.

        The vectors are written to the `folder`, if one is given, and are not held in memory.
        """
        names = EntityNames.of(kb, most=most)
        texts = names.texts(kb)
        # Sorted by length, names of one run of the network are equally long.
        order = np.argsort([len(text) for text in texts], kind="stable")
        found: npt.NDArray[Any] | None = None
        for start in range(0, len(order), _BATCH):
            part = order[start : start + _BATCH]
            vectors = encoder.encode_names([texts[at] for at in part.tolist()])
            if found is None:
                kind = np.float32 if len(texts) <= _EXACTLY else np.float16
                found = _zeros((len(texts), vectors.shape[1]), kind, folder)
            found[part] = vectors
            if progress:
                progress((start + len(part)) / len(order))
        if found is None:
            raise ArtifactError(f"the knowledge base {kb.name!r} has no names to encode")
        return cls(names, found)

    def write(self, folder: Path, *, made_of: str) -> None:
        """Into a folder that `artifacts.publish` made; vectors built there are there already."""
        if isinstance(self._vectors, np.memmap):
            self._vectors.flush()
        else:
            np.save(folder / _VECTORS, self._vectors)
        np.save(folder / "rows.npy", self.names.rows)
        np.save(folder / "owner.npy", self.names.owner)
        config = {"made_of": made_of}
        artifacts.write_manifest(folder, kind=KIND, version=VERSION, config=config)

    @classmethod
    def open(cls, folder: Path, *, made_of: str) -> EntityVectors:
        """Map what `write` wrote; refused if it was made of something else."""
        manifest = artifacts.read_manifest(folder, kind=KIND, version=VERSION)
        if manifest.config.get("made_of") != made_of:
            raise ArtifactError(f"{folder}: vectors of other entities; build them again")
        artifacts.verify(folder, manifest)
        try:
            rows, owner, vectors = (
                np.asarray(np.load(folder / f"{name}.npy", mmap_mode="r"))
                for name in ("rows", "owner", Path(_VECTORS).stem)
            )
            return cls(EntityNames(rows, owner), vectors)
        except (ValueError, OSError, EOFError) as error:
            reason = str(error).splitlines()[-1]
            raise ArtifactError(f"{folder}: cannot be opened ({reason}); build it again") from error

    def search(self, queries: Floats, k: int) -> Iterator[list[NearestEntity]]:
        """Up to k entities of each query, nearest first. *Shape:* queries (queries, width).

        Of entities with several names, those that have one of the nearest names are compared, by
        all of their names. Memory is bounded, however many queries and names there are.
        """
        has_several = len(self.names.owner) > int(self.names.owner[-1]) + 1
        wanted = min(len(self.names.rows), k * NAMES_FOR_ENTITY if has_several else k)
        for start in range(0, len(queries), _ASKED):
            asked = queries[start : start + _ASKED]
            scores, places = self._best(asked, wanted)
            for query, own_scores, own_places in zip(asked, scores, places, strict=True):
                if has_several:
                    own_places = rows_of_owners(self.names.owner, self.names.owner[own_places])
                    own_scores = _in_32_bits(self._vectors[own_places]) @ query
                yield self._nearest(own_scores, own_places)[:k]

    def _best(self, queries: Floats, wanted: int) -> tuple[Floats, Rows]:
        """The best names of each query, best first; ties in their order.

        *Shape:* (queries, wanted) each.
        """
        scores = np.zeros((len(queries), 0), dtype=np.float32)
        places = np.zeros((len(queries), 0), dtype=np.int64)
        for start in range(0, len(self._vectors), _BLOCK):
            block = _in_32_bits(self._vectors[start : start + _BLOCK])
            own = queries @ block.T
            numbers = np.broadcast_to(np.arange(start, start + len(block)), own.shape)
            if own.shape[1] > wanted:
                kept = np.argpartition(own, -wanted, axis=1)[:, -wanted:]
                own, numbers = np.take_along_axis(own, kept, 1), kept + start
            scores = np.concatenate([scores, own], axis=1)
            places = np.concatenate([places, numbers], axis=1)
        order = np.lexsort((places, -scores), axis=1)[:, :wanted]
        return np.take_along_axis(scores, order, 1), np.take_along_axis(places, order, 1)

    def _nearest(self, scores: Floats, places: Rows) -> list[NearestEntity]:
        return [
            NearestEntity(found.entity, int(self.names.rows[places[found.place]]), found.score)
            for found in score_entities(scores, self.names.owner[places])
        ]


def _in_32_bits(block: npt.NDArray[Any]) -> Floats:
    """The block as float32. faiss converts 16 bits several times as fast as numpy."""
    if block.dtype != np.float16:
        return np.asarray(block, dtype=np.float32)
    codes = np.ascontiguousarray(block).view(np.uint8)
    halves = faiss.ScalarQuantizer(block.shape[1], faiss.ScalarQuantizer.QT_fp16)
    found: Floats = halves.decode(codes)
    return found


_not_kept: dict[tuple[Path, str], EntityVectors] = {}  # by folder and what they are made of


def entity_vectors_of(
    kb: KnowledgeBase,
    encoder: EntityEncoder,
    *,
    most: int = 1,
    must_keep: bool = False,
    progress: Callable[[float], None] | None = None,
) -> EntityVectors:
    """The vectors, built if they are missing, damaged, or of another base or model.

    Of several processes one builds them. Where they cannot be written, those of a small knowledge
    base are made in memory, which the log says; of a larger one, or with `must_keep`, it is an
    ArtifactError.
    """
    made_of = f"{kb.manifest.digest} {encoder.names_digest} {most}"
    kept_by = f"{artifacts.place_in_home(kb.folder)} {encoder.names_digest} {most}"
    place = hashlib.sha256(kept_by.encode())
    folder = artifacts.home() / "entities" / f"{kb.name}-{place.hexdigest()[:16]}"
    with suppress(ArtifactError):
        return EntityVectors.open(folder, made_of=made_of)
    if (folder, made_of) in _not_kept and not must_keep:
        return _not_kept[folder, made_of]
    try:
        with artifacts.one_writer(folder):
            with suppress(ArtifactError):  # made by another process meanwhile
                return EntityVectors.open(folder, made_of=made_of)
            with artifacts.publish(folder) as scratch:
                built = EntityVectors.build(
                    kb, encoder, most=most, folder=scratch, progress=progress
                )
                built.write(scratch, made_of=made_of)
    except OSError as error:
        reason = artifacts.why_not_written(error)
        message = f"the vectors of {kb.name!r} cannot be written to {folder.parent}: {reason}"
        if must_keep or kb.names > _FEW:
            raise ArtifactError(f"{message}; set HOLDFAST_HOME to a folder with room") from error
        _LOG.warning("%s; they are made in memory for this time", message)
        made = EntityVectors.build(kb, encoder, most=most, progress=progress)
        return _not_kept.setdefault((folder, made_of), made)
    return EntityVectors.open(folder, made_of=made_of)


def _zeros(shape: tuple[int, int], kind: Any, folder: Path | None) -> npt.NDArray[Any]:
    """Zeros in memory, or mapped from a file of the folder.

    The file is written whole first: what is mapped from a full disk would kill the process.
    """
    if folder is None:
        return np.zeros(shape, dtype=kind)
    path = folder / _VECTORS
    header = {"descr": np.dtype(kind).str, "fortran_order": False, "shape": shape}
    rows = np.zeros((min(_BLOCK, shape[0]), shape[1]), dtype=kind)
    with path.open("wb") as stream:
        np.lib.format.write_array_header_1_0(stream, header)
        for start in range(0, shape[0], _BLOCK):
            stream.write(rows[: shape[0] - start].tobytes())
    return np.load(path, mmap_mode="r+")  # type: ignore[no-any-return]

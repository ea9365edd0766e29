"""A trained typing model without torch: mentions in context to dense vectors and to types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import onnxruntime
from tokenizers import Tokenizer

from holdfast import artifacts
from holdfast.document import Span
from holdfast.encoders.sessions import open_session
from holdfast.encoders.tokens import INPUT, MODEL, TOKENIZER, TokenReader
from holdfast.errors import ArtifactError
from holdfast.systems.bier.reading import Ids, Shape, row_of_texts, rows_of
from holdfast.systems.bier.sparse import SparseVectors, top_types
from holdfast.systems.bier.type_list import TypeList, check_fits

TYPING: Final = "typing model"
VERSION: Final = 1
HEAD: Final = "head.npz"
DENSE: Final = "dense"  # float32 (texts, width)
TOP: Final = 32
"""Types that a sparse vector keeps."""

_TOKENS: Final = 4096  # of one run of the network

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """The two vectors of some mentions, row by row."""

    dense: Floats  # (mentions, width): the state of [CLS], or the mean of all states
    sparse: SparseVectors  # (mentions, types): probabilities of the most probable types


@dataclass(frozen=True, slots=True, eq=False)
class TypingModel:
    """An encoder and one row per type; the probability of a type is a sigmoid of their product."""

    types: TypeList
    shape: Shape
    width: int
    digest: str
    config: Mapping[str, Any]  # of the manifest
    reader: TokenReader
    _head: Floats  # (types, width)
    _session: onnxruntime.InferenceSession

    @classmethod
    def open(cls, folder: Path, *, threads: int | None = None) -> TypingModel:
        """Open a model folder. `threads` of the network; None: as many as there are cores."""
        manifest = artifacts.read_manifest(folder, kind=TYPING, version=VERSION)
        artifacts.verify(folder, manifest)
        types = TypeList.read(folder)
        config = manifest.config
        try:
            head = _read_head(folder / HEAD)
            shape = Shape(**config["shape"])
            reader = TokenReader.of(Tokenizer.from_file(str(folder / TOKENIZER)))
            session = open_session(folder / MODEL, threads=threads)
            width = int(config["width"])
        except Exception as error:  # the libraries raise bare exceptions of many types
            reason = " ".join(str(error).split())
            raise ArtifactError(
                f"{folder}: cannot be opened ({reason}); fetch or train it again"
            ) from error
        check_fits(types, len(head), folder)
        return cls(types, shape, width, manifest.digest, config, reader, head, session)

    def rows_of(self, text: str, mentions: Iterable[Sequence[Span]]) -> list[Ids]:
        """What is read of each mention of a text."""
        return rows_of(self.reader, text, mentions, self.shape)

    def row_of_texts(self, name: str, description: str) -> Ids:
        """What is read of a name and a description of what it names."""
        return row_of_texts(self.reader, name, description, self.shape)

    def encode(self, rows: Sequence[Ids], *, top: int = TOP) -> Encoded:
        """Both vectors of each row. Equal rows are encoded once."""
        dense = self.dense(rows)
        return Encoded(dense, self.sparse(dense, top=top))

    def dense(self, rows: Sequence[Ids]) -> Floats:
        """*Shape:* (rows, width)"""
        keys = [row.tobytes() for row in rows]
        places = {key: place for place, key in enumerate(dict.fromkeys(keys))}
        distinct = dict(zip(keys, rows, strict=True))
        found = np.zeros((len(places), self.width), dtype=np.float32)
        for batch in _batches([distinct[key] for key in places]):
            feed = np.stack([self._framed(row) for _, row in batch])
            (states,) = self._session.run([DENSE], {INPUT: feed})
            found[[place for place, _ in batch]] = states
        return found[[places[key] for key in keys]]

    def sparse(self, dense: Floats, *, top: int = TOP) -> SparseVectors:
        """The most probable types of each dense vector, with their probabilities."""
        return top_types(dense, self._head, top=top)

    def logits(self, dense: Floats) -> Floats:
        """The log-odds of every type. *Shape:* (rows, types)"""
        return dense @ self._head.T

    def _framed(self, row: Ids) -> Ids:
        return np.concatenate([[self.reader.first], row, [self.reader.last]])


def _batches(rows: Sequence[Ids]) -> Iterator[list[tuple[int, Ids]]]:
    """Rows of one length with their places, as many as the network takes at once."""
    by_length = dict[int, list[tuple[int, Ids]]]()
    for place, row in enumerate(rows):
        by_length.setdefault(len(row), []).append((place, row))
    for length, members in by_length.items():
        together = max(1, _TOKENS // (length + 2))
        for start in range(0, len(members), together):
            yield members[start : start + together]


def _read_head(path: Path) -> Floats:
    """One row per type, unpacked if it is stored in 8 bits."""
    with np.load(path) as stored:
        rows: Floats = stored["rows"].astype(np.float32)
        if "scale" in stored.files:
            rows = rows * stored["scale"].astype(np.float32)
    return rows

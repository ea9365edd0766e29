"""Names to vectors: the exported ResCNN, on onnxruntime."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import onnxruntime
from tokenizers import Tokenizer

from holdfast import artifacts
from holdfast.encoders.sessions import open_session
from holdfast.errors import ArtifactError
from holdfast.text.normalise import fold

KIND: Final = "name encoder"
VERSION: Final = 1
MODEL: Final = "model.onnx"
TOKENIZER: Final = "tokenizer.json"
INPUT: Final = "tokens"  # int64 (names, length): names of one length, none of it padding
OUTPUT: Final = "vectors"  # float32 (names, width), unit rows
UNKNOWN: Final = "[UNK]"

_SEPARATORS: Final = re.compile(r"[\W_]+")
_BATCH: Final = 1 << 14  # names that are tokenised and sorted by length together
_TOKENS: Final = 4096  # of one run of the network


class _Network(NamedTuple):
    tokenizer: Tokenizer
    session: onnxruntime.InferenceSession


@dataclass(frozen=True, slots=True, eq=False)
class NameEncoder:
    """Unit vectors that are near each other where names mean the same.

    A name's vector depends on nothing else: not on the names beside it, nor on their number.
    """

    width: int
    longest: int  # word pieces that are read of a name
    digest: str  # of the model's files: vectors of equal digests can be compared
    _unknown: int
    _network: Callable[[], _Network]  # opened by the first names that are encoded

    @classmethod
    def open(cls, folder: Path, *, threads: int | None = None) -> NameEncoder:
        """Check a model folder; its network is opened when the first name is encoded.

        `threads` of the network; None: as many as there are cores.
        """
        manifest = artifacts.read_manifest(folder, kind=KIND, version=VERSION)
        artifacts.verify(folder, manifest)
        config = manifest.config
        try:
            return cls(
                width=int(config["width"]),
                longest=int(config["longest"]),
                digest=manifest.digest,
                _unknown=int(config["unknown"]),
                _network=cache(lambda: _open_network(folder, threads=threads)),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise _cannot_be_opened(folder, error) from error

    def encode(self, names: Sequence[str]) -> npt.NDArray[np.float32]:
        """Unit rows, in order. *Shape:* (len(names), width).

        A name without letters or digits, or none of whose word pieces is known, is a zero row.
        Memory beyond the result is bounded, however many names there are.
        """
        vectors = np.zeros((len(names), self.width), dtype=np.float32)
        for start in range(0, len(names), _BATCH):
            tokens = self._tokens(names[start : start + _BATCH])
            for rows in _runs_of_one_length(tokens):
                batch = np.array([tokens[row] for row in rows], dtype=np.int64)
                (found,) = self._network().session.run([OUTPUT], {INPUT: batch})
                vectors[start + np.array(rows)] = found
        return vectors

    def _tokens(self, names: Sequence[str]) -> list[list[int]]:
        encodings = self._network().tokenizer.encode_batch_fast(
            [plain(name) for name in names], add_special_tokens=False
        )
        return [
            [id for id in encoding.ids if id != self._unknown][: self.longest]
            for encoding in encodings
        ]


def _open_network(folder: Path, *, threads: int | None) -> _Network:
    try:
        # A 10,000-letter name must not slow its neighbours: pieces beyond `longest` are cut by the
        # encoder, and the tokenizer itself neither pads nor cuts.
        tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return _Network(tokenizer, open_session(folder / MODEL, threads=threads))
    except Exception as error:  # both libraries raise bare exceptions of many types
        raise _cannot_be_opened(folder, error) from error


def _cannot_be_opened(folder: Path, error: Exception) -> ArtifactError:
    reason = " ".join(str(error).split())
    return ArtifactError(f"{folder}: cannot be opened ({reason}); fetch or train it again")


@lru_cache(maxsize=4)
def open_name_encoder(folder: Path, *, threads: int | None = None) -> NameEncoder:
    """The encoder of a model folder, opened once per process and number of threads."""
    return NameEncoder.open(folder, threads=threads)


def plain(name: str) -> str:
    """The form that is encoded: folded words, with one space between them."""
    return _SEPARATORS.sub(" ", fold(name)).strip()


def _runs_of_one_length(tokens: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Rows with equally many tokens, shortest first; rows without tokens are left out."""
    by_length = defaultdict[int, list[int]](list)
    for row, ids in enumerate(tokens):
        by_length[len(ids)].append(row)
    by_length.pop(0, None)
    for length, rows in sorted(by_length.items()):
        size = max(1, _TOKENS // length)
        for start in range(0, len(rows), size):
            yield rows[start : start + size]

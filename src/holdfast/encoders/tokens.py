"""Text to a row of numbers for each of its tokens: an exported encoder, on onnxruntime.

A document of any length is read in overlapping windows of one length, a few at a time, so that
nothing is padded and memory stays bounded.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import onnxruntime
from tokenizers import Tokenizer

from holdfast import artifacts
from holdfast.encoders.sessions import open_session
from holdfast.errors import ArtifactError
from holdfast.text.windows import Window, windows

MODEL: Final = "model.onnx"
TOKENIZER: Final = "tokenizer.json"
INPUT: Final = "tokens"  # int64 (windows, length): windows of one length, none of it padding
MARKS: Final = "marks"  # float32 (windows, length, marks): what else is known of each token
OUTPUT: Final = "states"  # float32 (windows, length, width)

_TOKENS: Final = 2048  # of one run of the network
_PIECE: Final = 1 << 16  # letters that are cut into tokens together
_SPACE: Final = re.compile(r"\s")
_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """A text in word pieces, without the special ones. Each word begins with a new piece."""

    ids: npt.NDArray[np.int64]  # (tokens,)
    starts: npt.NDArray[np.int64]  # (tokens,): code points of the text, ascending
    ends: npt.NDArray[np.int64]  # (tokens,): exclusive
    words: npt.NDArray[np.int64]  # (words,): the place of each word's first token, ascending

    def __len__(self) -> int:
        return len(self.ids)

    def at(self, places: npt.NDArray[np.int64]) -> Tokens:
        """Some of the tokens, by their ascending places."""
        return Tokens(
            self.ids[places],
            self.starts[places],
            self.ends[places],
            np.flatnonzero(np.isin(places, self.words)),
        )

    def word_starts(self) -> npt.NDArray[np.int64]:
        """In code points. *Shape:* (words,)"""
        return self.starts[self.words]

    def word_ends(self) -> npt.NDArray[np.int64]:
        """In code points, exclusive. *Shape:* (words,)"""
        lasts = np.append(self.words, len(self.ids))[1:] - 1
        return np.take(self.ends, lasts)


@dataclass(frozen=True, slots=True, eq=False)
class TokenReader:
    """Cuts texts into the word pieces of one encoder."""

    first: int  # the token before a window: [CLS]
    last: int  # the token after it: [SEP]
    blank: int  # the token of a hidden word: [MASK], or `last` where a tokenizer has none
    _tokenizer: Tokenizer

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> TokenReader:
        """Its special tokens are BERT's or RoBERTa's; ArtifactError if it has neither."""
        tokenizer.no_padding()
        tokenizer.no_truncation()
        for pair in (("[CLS]", "[SEP]"), ("<s>", "</s>")):
            first, last = (tokenizer.token_to_id(name) for name in pair)
            if first is not None and last is not None:
                masks = (tokenizer.token_to_id(name) for name in ("[MASK]", "<mask>"))
                blank = next((mask for mask in masks if mask is not None), last)
                return cls(first, last, blank, tokenizer)
        raise ArtifactError("the tokenizer has neither [CLS] and [SEP] nor <s> and </s>")

    def read(self, text: str) -> Tokens:
        """The text's tokens; offsets are those of the text as it is."""
        text = _SURROGATE.sub("\ufffd", text)  # half a character is none that a tokenizer takes
        text = _CONTROL.sub(" ", text)  # which a tokenizer drops, and joins the words around it
        ids, spans, begins = list[int](), list[tuple[int, int]](), list[bool]()
        for start, end in pairwise(_cuts(text)):
            piece = self._tokenizer.encode(text[start:end], add_special_tokens=False)
            ids += piece.ids
            spans += ((start + a, start + b) for a, b in piece.offsets)
            words = piece.word_ids
            begins += (a != b for a, b in zip([None, *words], words, strict=False))
        if not text.isascii():
            spans = _with_marks(text, spans)
        offsets = np.array(spans, dtype=np.int64).reshape(-1, 2)
        return Tokens(
            np.array(ids, dtype=np.int64),
            np.ascontiguousarray(offsets[:, 0]),
            np.ascontiguousarray(offsets[:, 1]),
            np.flatnonzero(np.array(begins, dtype=bool)),
        )

    def framed(self, tokens: Tokens, window: Window) -> npt.NDArray[np.int64]:
        """The window's ids between the special tokens. *Shape:* (length + 2,)"""
        return np.concatenate(([self.first], tokens.ids[window.start : window.end], [self.last]))


@dataclass(frozen=True, slots=True, eq=False)
class TokenEncoder:
    """Rows for tokens that depend on the text around them."""

    width: int
    marks: int  # numbers that the network wants of each token besides; 0: none
    longest: int  # tokens of a window, with the two special ones
    overlap: int  # tokens that neighbouring windows share at least
    digest: str  # of the model's files
    reader: TokenReader
    _network: Path
    _session: onnxruntime.InferenceSession

    @classmethod
    def open(
        cls, folder: Path, manifest: artifacts.Manifest, *, threads: int | None = None
    ) -> TokenEncoder:
        """Open a model folder whose manifest was read, and check its files.

        `threads` of the network; None: as many as there are cores.
        """
        artifacts.verify(folder, manifest)
        try:
            config = manifest.config
            return cls(
                width=int(config["width"]),
                marks=len(config.get("marks", ())),
                longest=int(config["longest"]),
                overlap=int(config["overlap"]),
                digest=manifest.digest,
                reader=TokenReader.of(Tokenizer.from_file(str(folder / TOKENIZER))),
                _network=folder / MODEL,
                _session=open_session(folder / MODEL, threads=threads),
            )
        except Exception as error:  # both libraries raise bare exceptions of many types
            reason = " ".join(str(error).split())
            raise ArtifactError(
                f"{folder}: cannot be opened ({reason}); fetch or train it again"
            ) from error

    def in_one_thread(self) -> TokenEncoder:
        """The encoder opened anew, for callers that bring threads of their own."""
        return replace(self, _session=open_session(self._network, threads=1, arena=True))

    def encode(
        self, tokens: Tokens, marks: npt.NDArray[np.float32] | None = None
    ) -> npt.NDArray[np.float32]:
        """A row per token. *Shape:* (tokens, width); marks (tokens, marks)."""
        rows = list(self.stream(tokens, marks))
        return np.concatenate([np.zeros((0, self.width), dtype=np.float32), *rows])

    def stream(
        self, tokens: Tokens, marks: npt.NDArray[np.float32] | None = None
    ) -> Iterator[npt.NDArray[np.float32]]:
        """The rows of `encode` in their order, some at a time, for texts of any length."""
        found = list(windows(len(tokens), size=self.longest - 2, overlap=self.overlap))
        if not found:
            return
        together = max(1, _TOKENS // (found[0].end - found[0].start + 2))
        for place in range(0, len(found), together):
            batch = found[place : place + together]
            feed: dict[str, Any] = {
                INPUT: np.stack([self.reader.framed(tokens, window) for window in batch])
            }
            if marks is not None:
                feed[MARKS] = _framed_marks(marks, batch)
            (states,) = self._session.run([OUTPUT], feed)
            for window, rows in zip(batch, states, strict=True):
                yield rows[1:-1][window.kept]


def _framed_marks(
    marks: npt.NDArray[np.float32], batch: Sequence[Window]
) -> npt.NDArray[np.float32]:
    """The special tokens have none. *Shape:* (windows, length + 2, marks)"""
    return np.stack([np.pad(marks[w.start : w.end], ((1, 1), (0, 0))) for w in batch])


def _with_marks(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The places of tokens with the combining marks that follow them.

    Tokenizers that drop accents end a token before one that stands for itself.
    """
    found = list[tuple[int, int]]()
    followings = [*(start for start, _ in spans), len(text)][1:]
    for (start, end), following in zip(spans, followings, strict=True):
        while start < end < following and unicodedata.category(text[end])[0] == "M":
            end += 1
        found.append((start, end))
    return found


def _cuts(text: str) -> list[int]:
    """0, places of white space every _PIECE letters or soon after, and the end."""
    cuts = [0]
    while len(text) - cuts[-1] > _PIECE:
        space = _SPACE.search(text, cuts[-1] + _PIECE)
        if space is None:
            break
        cuts.append(space.start())
    return [*cuts, len(text)]

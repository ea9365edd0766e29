"""A cross-encoder without torch: it reads a mention in its context and one name in one pass.

It compares few candidates that something else retrieved, one pass for each: BM25's, or those of a
single-mention dual encoder, which makes it BLINK.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import onnxruntime
from tokenizers import Tokenizer

from holdfast import artifacts
from holdfast.document import Document, Evidence, Mention
from holdfast.encoders.sessions import open_session
from holdfast.encoders.tokens import INPUT, MODEL, TOKENIZER, TokenReader
from holdfast.errors import ArtifactError
from holdfast.systems.collective.model import runs_of_one_length

KIND: Final = "cross-encoder"
VERSION: Final = 1
SCORES: Final = "scores"  # float32 (pairs,)
MARKERS: Final = ("[unused1]", "[unused2]")  # around the mention
_TOKENS: Final = 4096  # of one run of the network
_DECIMALS: Final = 4

Rows = list[int]


@dataclass(frozen=True, slots=True, eq=False)
class PairReader:
    """Makes one row of tokens of a mention in its context and a name."""

    context: int  # characters to each side
    longest_context: int  # tokens to each side
    longest_name: int
    frame: tuple[int, int]  # [CLS] and [SEP]
    markers: tuple[int, int]  # before and after the mention
    _tokenizer: Tokenizer

    @classmethod
    def of(
        cls, tokenizer: Tokenizer, *, context: int, longest_context: int, longest_name: int
    ) -> PairReader:
        reader = TokenReader.of(tokenizer)
        before, after = (tokenizer.token_to_id(marker) for marker in MARKERS)
        if before is None or after is None:
            # A vocabulary without spare tokens: [SEP] and [CLS] stand around the mention.
            before, after = reader.last, reader.first
        return cls(
            context,
            longest_context,
            longest_name,
            (reader.first, reader.last),
            (before, after),
            tokenizer,
        )

    def mention_tokens(self, document: Document, mention: Mention) -> Rows:
        """The context with the mention marked, cut to the tokens nearest to it."""
        before = document.text[max(0, mention.start - self.context) : mention.start]
        after = document.text[mention.end : mention.end + self.context]
        left, own, right = self._ids([before, document.text[mention.start : mention.end], after])
        most = self.longest_context
        return [
            *left[max(0, len(left) - most) :],
            self.markers[0],
            *own[:most],
            self.markers[1],
            *right[:most],
        ]

    def name_tokens(self, names: Sequence[str]) -> list[Rows]:
        return [ids[: self.longest_name] for ids in self._ids(list(names))]

    def pair(self, mention: Rows, name: Rows) -> Rows:
        """Without the outer [CLS] and [SEP]."""
        return [*mention, self.frame[1], *name]

    def _ids(self, texts: list[str]) -> list[Rows]:
        found = self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        return [encoding.ids for encoding in found]


@dataclass(frozen=True, slots=True, eq=False)
class CrossEncoderModel:
    """Scores mentions with names; only scores of one mention can be compared."""

    reader: PairReader
    digest: str
    _session: onnxruntime.InferenceSession

    @classmethod
    def open(cls, folder: Path, *, threads: int | None = None) -> CrossEncoderModel:
        """Open a model folder. `threads` of the network; None: as many as there are cores."""
        manifest = artifacts.read_manifest(folder, kind=KIND, version=VERSION)
        artifacts.verify(folder, manifest)
        try:
            tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
            tokenizer.no_padding()
            tokenizer.no_truncation()
            reader = PairReader.of(
                tokenizer,
                **{
                    key: int(manifest.config[key])
                    for key in ("context", "longest_context", "longest_name")
                },
            )
            return cls(reader, manifest.digest, open_session(folder / MODEL, threads=threads))
        except Exception as error:  # the libraries raise bare exceptions of many types
            reason = " ".join(str(error).split())
            raise ArtifactError(
                f"{folder}: cannot be opened ({reason}); fetch or train it again"
            ) from error

    def score(self, pairs: Sequence[Rows]) -> npt.NDArray[np.float32]:
        """*Shape:* (pairs,), in their order."""
        scores = np.zeros(len(pairs), dtype=np.float32)
        first, last = self.reader.frame
        for rows in runs_of_one_length(pairs, most=_TOKENS):
            batch = np.array([[first, *pairs[row], last] for row in rows], dtype=np.int64)
            scores[rows] = self._session.run([SCORES], {INPUT: batch})[0]
        return scores


class CrossEncoderRanker:
    """Ranks the candidates that another linker gave each mention anew."""

    def __init__(self, model: CrossEncoderModel) -> None:
        self.digest = model.digest
        self._model = model

    def __call__(self, document: Document) -> Document:
        """The document with the same candidates, best first by this model, and ids."""
        reader = self._model.reader
        pairs, counts = list[Rows](), list[int]()
        for mention in document.mentions:
            own = reader.mention_tokens(document, mention)
            names = reader.name_tokens([candidate.name for candidate in mention.candidates])
            pairs.extend(reader.pair(own, name) for name in names)
            counts.append(len(mention.candidates))
        parts = np.split(self._model.score(pairs), np.cumsum(counts)[:-1]) if counts else []
        return document.with_mentions(map(_ranked, document.mentions, parts))

    def pipe(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Rank the candidates of many documents, in order."""
        return map(self, documents)


def _ranked(mention: Mention, scores: npt.NDArray[np.float32]) -> Mention:
    """The mention with its candidates in the order of the scores, which become shares of one."""
    if not mention.candidates:
        return mention
    shares = np.exp(scores - scores.max())
    shares /= shares.sum()
    candidates = tuple(
        replace(
            mention.candidates[place],
            score=round(min(1.0, float(shares[place])), _DECIMALS),
            evidence=(
                *mention.candidates[place].evidence,
                Evidence("cross-encoder", "read with the mention", round(float(scores[place]), 4)),
            ),
        )
        for place in np.argsort(-scores, kind="stable").tolist()
    )
    return replace(mention, candidates=candidates, ids=(candidates[0].entity_id,))

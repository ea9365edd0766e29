"""A trained dual encoder without torch: documents and names to vectors, on onnxruntime."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import onnxruntime
from tokenizers import Tokenizer

from holdfast import artifacts
from holdfast.encoders.sessions import open_session
from holdfast.encoders.tokens import INPUT, TOKENIZER, TokenEncoder, TokenReader, Tokens
from holdfast.errors import ArtifactError, UsageError
from holdfast.models import find_model, manifest_of
from holdfast.systems.collective.spans import Spans, choose_spans, spans_of_tags, spans_of_words

KIND: Final = "dual encoder"
VERSION: Final = 1
NAMES_KIND: Final = "entity encoder"
"""The kind of a folder that has the network of names alone, for several dual encoders."""
SMALL: Final = "-int8"
"""What the folder of a model in 8 bits is called, after the recipe that trains it."""
NAMES: Final = "names.onnx"
VECTORS: Final = "vectors"  # float32 (names, width), unit rows
HEADS: Final = "heads.npz"
_TOKENS: Final = 4096  # of one run of the network over names
_LONG: Final = 1 << 15  # tokens of a text whose states are kept in full

Floats = npt.NDArray[np.float32]


def recipe_of(name: str) -> str:
    """The recipe that trains the model folder of this name, in 32 bits or in 8."""
    return name.removesuffix(SMALL)


@dataclass(frozen=True, slots=True, eq=False)
class Detected:
    """Mentions that were found in a text."""

    spans: Spans  # first and last token, both inclusive; (mentions, 2)
    probabilities: Floats  # (mentions,)


@dataclass(frozen=True, slots=True, eq=False)
class DualEncoderModel:
    """Vectors of mentions and of names; their dot product says how well they fit."""

    encoder: TokenEncoder
    context: int  # characters around a single mention that are read; 0: the whole document
    names: int  # of an entity that are encoded at most
    detection: str  # "bio", "spans", or "" if it finds no mentions
    threshold: float  # probability above which a span is a mention
    longest_name: int  # tokens
    longest_span: int  # words
    names_digest: str  # models that encode names alike have the same, whatever they make of texts
    _heads: Mapping[str, Floats]
    _tokenizer: Tokenizer
    _names: onnxruntime.InferenceSession

    @classmethod
    def open(cls, folder: Path, *, threads: int | None = None) -> DualEncoderModel:
        """Open a model folder. `threads` of the networks; None: as many as there are cores."""
        manifest = artifacts.read_manifest(folder, kind=KIND, version=VERSION)
        encoder = TokenEncoder.open(folder, manifest, threads=threads)
        config = manifest.config
        try:
            with np.load(folder / HEADS) as heads:
                weights = {name: heads[name] for name in heads.files}
            tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
            tokenizer.no_padding()
            tokenizer.no_truncation()
            return cls(
                encoder=encoder,
                context=int(config["context"]),
                names=int(config["names"]),
                detection=str(config["detection"]),
                threshold=float(config["threshold"]),
                longest_name=int(config["longest_name"]),
                longest_span=int(config["longest_span"]),
                names_digest=_names_digest(folder, manifest),
                _heads=weights,
                _tokenizer=tokenizer,
                _names=open_session(_names_folder(folder, manifest) / NAMES, threads=threads),
            )
        except Exception as error:  # the libraries raise bare exceptions of many types
            reason = " ".join(str(error).split())
            raise ArtifactError(
                f"{folder}: cannot be opened ({reason}); fetch or train it again"
            ) from error

    @property
    def digest(self) -> str:
        return self.encoder.digest

    def encode_names(self, names: Sequence[str]) -> Floats:
        """Unit rows, in order; zeros for a name without tokens. *Shape:* (names, width)."""
        encodings = self._tokenizer.encode_batch_fast(list(names), add_special_tokens=False)
        tokens = [encoding.ids[: self.longest_name] for encoding in encodings]
        return encode_name_tokens(
            self._names, tokens, reader=self.encoder.reader, width=self.encoder.width
        )

    def states(self, tokens: Tokens) -> Floats:
        """The states of all tokens. *Shape:* (tokens, width); in 16 bits for very long texts."""
        kind = np.float32 if len(tokens) <= _LONG else np.float16
        found = np.zeros((len(tokens), self.encoder.width), dtype=kind)
        start = 0
        for rows in self.encoder.stream(tokens):
            found[start : start + len(rows)] = rows
            start += len(rows)
        return found

    def mention_vectors(self, tokens: Tokens, spans: Spans, states: Floats | None = None) -> Floats:
        """A row for each mention; `states` of all tokens, where they are at hand.

        *Shape:* spans (mentions, 2), first and last token; result (mentions, width). Memory: the
        states of the tokens that matter, and those of some windows.
        """
        if "ends_weight" in self._heads:
            ends = self._states_at(tokens, spans.ravel(), states)
            ends = ends.reshape(len(spans), 2 * self.encoder.width)
            vectors = ends @ self._heads["ends_weight"].T + self._heads["ends_bias"]
        else:
            vectors = self._means(tokens, spans, states)
        lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        scaled: Floats = (vectors / lengths * float(self._heads["scale"])).astype(np.float32)
        return scaled

    def _states_at(
        self, tokens: Tokens, places: npt.NDArray[np.int64], states: Floats | None
    ) -> Floats:
        if states is not None:
            return states[places].astype(np.float32)
        found = np.zeros((len(places), self.encoder.width), dtype=np.float32)
        start = 0
        for rows in self.encoder.stream(tokens):
            here = np.flatnonzero((places >= start) & (places < start + len(rows)))
            found[here] = rows[places[here] - start]
            start += len(rows)
        return found

    def _means(self, tokens: Tokens, spans: Spans, states: Floats | None) -> Floats:
        lengths = spans[:, 1] - spans[:, 0] + 1
        owner = np.repeat(np.arange(len(spans)), lengths)
        begins = np.cumsum(lengths) - lengths
        places = np.arange(len(owner)) - begins[owner] + spans[owner, 0]
        sums = np.zeros((len(spans), self.encoder.width), dtype=np.float32)
        np.add.at(sums, owner, self._states_at(tokens, places, states))
        means: Floats = np.true_divide(sums, lengths[:, None]).astype(np.float32)
        return means

    def detect(self, tokens: Tokens, states: Floats) -> Detected:
        """Mentions that do not overlap, from the left. *Shape:* states (tokens, width)."""
        scores = self.detection_scores(states)
        if self.detection == "bio":
            spans = spans_of_tags(scores, tokens.words)
            shares = np.exp(scores - scores.max(axis=1, keepdims=True, initial=-np.inf))
            shares /= shares.sum(axis=1, keepdims=True)
            return Detected(spans, shares[spans[:, 0], 1])
        spans = spans_of_words(tokens.words, len(tokens), longest=self.longest_span)
        probabilities = span_probabilities(scores, spans)
        chosen = choose_spans(spans, probabilities, threshold=self.threshold)
        return Detected(spans[chosen], probabilities[chosen])

    def detection_scores(self, states: Floats) -> Floats:
        """Three numbers per token: its tags', or what it adds to a span as first, last, any.

        *Shape:* (tokens, width) to (tokens, 3).
        """
        head = "tags" if self.detection == "bio" else "span"
        if f"{head}_weight" not in self._heads:
            raise UsageError("this dual encoder was trained to link mentions, not to find them")
        scores: Floats = states @ self._heads[f"{head}_weight"].T + self._heads[f"{head}_bias"]
        return scores.astype(np.float32)


def encode_name_tokens(
    network: onnxruntime.InferenceSession,
    tokens: Sequence[Sequence[int]],
    *,
    reader: TokenReader,
    width: int,
) -> Floats:
    """Unit rows, in order; zeros for a name without tokens. *Shape:* (names, width)."""
    vectors = np.zeros((len(tokens), width), dtype=np.float32)
    for rows in runs_of_one_length(tokens, most=_TOKENS):
        batch = np.array([[reader.first, *tokens[row], reader.last] for row in rows])
        vectors[rows] = network.run([VECTORS], {INPUT: batch})[0]
    return vectors


def find_names_model(name: str, *, beside: Path | None = None) -> Path:
    """The folder that has a network of names alone, with its files checked."""
    found = find_model(name, beside=beside)
    artifacts.verify(found, artifacts.read_manifest(found, kind=NAMES_KIND, version=1))
    return found


def _names_folder(folder: Path, manifest: artifacts.Manifest) -> Path:
    """Where the network of names is: in the folder, or in that of another model that shares it."""
    shared = manifest.config.get("names_model")
    return find_names_model(shared, beside=folder) if shared else folder


def _names_digest(folder: Path, manifest: artifacts.Manifest) -> str:
    """Of the networks and tokens that make vectors of names."""
    own = manifest_of(_names_folder(folder, manifest))
    parts = [own.files[NAMES]["sha256"], manifest.files[TOKENIZER]["sha256"]]
    return hashlib.sha256(
        " ".join([*parts, str(manifest.config["longest_name"])]).encode()
    ).hexdigest()


def span_probabilities(scores: Floats, spans: Spans) -> Floats:
    """σ of the first token's score, the last one's, and the sum over all of them.

    *Shape:* scores (tokens, 3); spans (spans, 2); result (spans,).
    """
    sums = np.concatenate([[0.0], np.cumsum(scores[:, 2], dtype=np.float64)])
    odds = scores[spans[:, 0], 0] + scores[spans[:, 1], 1]
    odds = odds + sums[spans[:, 1] + 1] - sums[spans[:, 0]]
    probabilities: Floats = (1 / (1 + np.exp(-np.clip(odds, -60, 60)))).astype(np.float32)
    return probabilities


def runs_of_one_length(tokens: Sequence[Sequence[Any]], *, most: int) -> list[list[int]]:
    """Batches of rows of one length, of at most `most` tokens; rows without any are left out."""
    by_length = defaultdict[int, list[int]](list)
    for row, ids in enumerate(tokens):
        if len(ids):
            by_length[len(ids)].append(row)
    runs = list[list[int]]()
    for length, rows in sorted(by_length.items()):
        size = max(1, most // (length + 2))
        runs.extend(rows[start : start + size] for start in range(0, len(rows), size))
    return runs

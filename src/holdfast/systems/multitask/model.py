"""A trained multi-task model without torch: documents to mentions, types and classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import onnxruntime

from holdfast import artifacts
from holdfast.encoders.sessions import open_session
from holdfast.encoders.tokens import TokenEncoder
from holdfast.errors import ArtifactError
from holdfast.systems.multitask.heads import Features, Floats, Heads, Predicted, check_read
from holdfast.systems.multitask.labels import Labels
from holdfast.systems.multitask.shape import MULTITASK, MultitaskShape, shape_of
from holdfast.systems.multitask.text import Words, read_words, word_states

VERSION: Final = 1
TASKS_MODEL: Final = "tasks.onnx"
HEADS: Final = "heads.npz"
WORDS: Final = "words"  # float32 (sentences, longest, width), padded at the end
LENGTHS: Final = "lengths"  # int32 (sentences,)
FEATURES: Final = "features"  # float32 (sentences, longest, width of all tasks)
SCALE: Final = ".scale"  # ends the name of the scales of a matrix whose rows are in 8 bits
_BATCH: Final = 2048  # tokens whose states are held before their sentences are read
_SENTENCES: Final = 8  # of about one length, read in one run

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class SentenceBlock:
    """Some whole sentences of a document, and the states of their words."""

    first: int  # word of the document
    sentences: Integers  # first words, counted from `first`, and the number of words
    features: Features


@dataclass(frozen=True, slots=True, eq=False)
class MultitaskModel:
    """An encoder of tokens, the encoders of tasks if there are any, and the heads."""

    encoder: TokenEncoder
    shape: MultitaskShape
    labels: Labels
    heads: Heads
    config: Mapping[str, Any]  # of the manifest
    _tasks: onnxruntime.InferenceSession | None

    @classmethod
    def open(
        cls, folder: Path, *, read: str | None = None, threads: int | None = None
    ) -> MultitaskModel:
        """Open a model folder.

        `read` names the task that says where mentions are, if not the one that the manifest names.
        `threads` of the networks; None: as many as there are cores.
        """
        manifest = artifacts.read_manifest(folder, kind=MULTITASK, version=VERSION)
        encoder = TokenEncoder.open(folder, manifest, threads=threads)
        labels = Labels.read(folder)
        try:
            shape = shape_of(manifest.config)
            heads = Heads(shape, _weights(folder / HEADS), str(manifest.config.get("read", "")))
            path = folder / TASKS_MODEL
            tasks = open_session(path, threads=threads) if shape.has_task_encoders else None
        except Exception as error:  # the libraries raise bare exceptions of many types
            reason = " ".join(str(error).split())
            raise ArtifactError(
                f"{folder}: cannot be opened ({reason}); fetch or train it again"
            ) from error
        if read is not None:
            heads = replace(heads, read=read)
        check_read(shape, heads.read)
        return cls(encoder, shape, labels, heads, manifest.config, tasks)

    @property
    def digest(self) -> str:
        return self.encoder.digest

    def read_words(self, text: str) -> Words:
        return read_words(self.encoder.reader, text)

    def predict(self, words: Words, *, top: int = 1) -> Iterator[Predicted]:
        """The mentions of a document, from the left; words are counted from its start.

        Memory is bounded, however long the document is.
        """
        for block in self.blocks(words):
            for one in self.heads.predict(block.features, block.sentences, top=top):
                yield replace(one, first=block.first + one.first, last=block.first + one.last)

    def classify(
        self, words: Words, spans: list[tuple[int, int]], *, top: int = 1
    ) -> list[Predicted]:
        """The types or classes of given spans, in their order.

        A span that goes on in sentences which are read later is judged by its words before them.
        """
        found = dict[int, Predicted]()
        for block in self.blocks(words):
            end = block.first + int(block.sentences[-1])
            own = [n for n, (first, _) in enumerate(spans) if block.first <= first < end]
            local = [
                (spans[n][0] - block.first, min(spans[n][1], end - 1) - block.first) for n in own
            ]
            predicted = self.heads.predict(block.features, block.sentences, spans=local, top=top)
            for number, one in zip(own, predicted, strict=True):
                found[number] = replace(one, first=spans[number][0], last=spans[number][1])
        return [found[number] for number in range(len(spans))]

    def blocks(self, words: Words) -> Iterator[SentenceBlock]:
        """The document's sentences in order, as many together as fit."""
        firsts, bounds = words.tokens.words, words.sentences
        token_bounds = np.append(firsts, len(words.tokens))[bounds]
        held, have, done = list[Floats](), 0, 0  # `have` tokens from sentence `done` on
        for rows in self.encoder.stream(words.tokens):
            held.append(rows)
            have += len(rows)
            begin = int(token_bounds[done])
            last = int(np.searchsorted(token_bounds, begin + have, side="right")) - 1
            if last > done and (have >= _BATCH or last == len(bounds) - 1):
                states = np.concatenate(held)
                end = int(token_bounds[last])
                own = firsts[bounds[done] : bounds[last]] - begin
                of_words = word_states(states[: end - begin], own)
                sentences = bounds[done : last + 1] - bounds[done]
                yield SentenceBlock(
                    int(bounds[done]), sentences, self._features(of_words, sentences)
                )
                held, have, done = [states[end - begin :]], have - (end - begin), last

    def _features(self, states: Floats, sentences: Integers) -> Features:
        tasks = self.shape.tasks
        if self._tasks is None:
            return dict.fromkeys(tasks, states)
        lengths = np.diff(sentences)
        width = 2 * self.shape.lstm_width
        found = np.zeros((len(states), width * len(tasks)), dtype=np.float32)
        order = np.argsort(lengths, kind="stable")
        for start in range(0, len(order), _SENTENCES):
            group = order[start : start + _SENTENCES]
            inside = np.arange(lengths[group].max()) < lengths[group][:, None]
            places = (sentences[group][:, None] + np.arange(inside.shape[1]))[inside]
            padded = np.zeros((*inside.shape, states.shape[1]), dtype=np.float32)
            padded[inside] = states[places]
            feed = {WORDS: padded, LENGTHS: lengths[group].astype(np.int32)}
            found[places] = self._tasks.run([FEATURES], feed)[0][inside]
        own = {task: found[:, n * width : (n + 1) * width] for n, task in enumerate(tasks)}
        if self.shape.shortcut:
            return {task: np.concatenate([part, states], axis=1) for task, part in own.items()}
        return own


def _weights(path: Path) -> dict[str, Floats]:
    """The arrays by name, in 32 bits."""
    with np.load(path) as stored:
        arrays = {name: stored[name] for name in stored.files}
    return {
        name: (value * arrays[f"{name}{SCALE}"] if f"{name}{SCALE}" in arrays else value).astype(
            np.float32
        )
        for name, value in arrays.items()
        if not name.endswith(SCALE)
    }

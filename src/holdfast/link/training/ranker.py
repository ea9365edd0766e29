"""Fits the ranker of holdfast.link.ranking.ranker: softmax over candidates and "none of these".

Plain numpy: a few thousand mentions of 25 candidates fit in half a minute.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast.document import Document
from holdfast.errors import InputError
from holdfast.link.ranking.candidates import MOST, CandidateFinder
from holdfast.link.ranking.features import FEATURES, OF_KNOWLEDGE, FeatureMaker, Matrix, Texts
from holdfast.link.ranking.queries import Query, queries_of
from holdfast.link.ranking.ranker import Ranker
from holdfast.types import mask_of, mask_of_mention

_LEAST_SCALE: Final = 0.05

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FitConfig:
    """How long and how hard to fit."""

    units: int = 16  # of the hidden layer
    epochs: int = 20
    batch: int = 256
    most_steps: int = 1500  # fewer epochs, if they would take more
    rate: float = 0.01  # of Adam
    decay: float = 1e-3  # pulls weights to zero
    dropped_gold: float = 0.1  # share of mentions that lose their answer, so that "none" is learned
    # Share of mentions that are fitted as if nothing were known of entities but their names: such
    # is a vocabulary that no corpus was annotated with.
    forgetful: float = 0.0
    members: int = 5  # networks with different seeds whose scores are averaged
    seed: int = 13


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """Mentions with their candidates, padded to MOST of them."""

    features: npt.NDArray[np.float32]  # (mentions, MOST, features)
    is_gold: npt.NDArray[np.bool_]  # (mentions, MOST)
    is_there: npt.NDArray[np.bool_]  # (mentions, MOST); False is padding
    document: npt.NDArray[np.int64]  # (mentions,); which mentions share one

    def of(self, chosen: npt.NDArray[np.bool_]) -> Examples:
        """Some of the mentions."""
        return Examples(
            self.features[chosen],
            self.is_gold[chosen],
            self.is_there[chosen],
            self.document[chosen],
        )


@dataclass(frozen=True, slots=True)
class GoldMentions:
    """Mentions of one document, or one mention without any, and what they mean."""

    document_id: str
    queries: tuple[Query, ...]
    answers: tuple[frozenset[str], ...]  # the ids of each; any of them is right
    text: str = ""
    wanted: tuple[int, ...] = ()  # the types that each may have, as bits; none given: all


def read_documents(
    documents: Iterable[Document], *, abbreviations: bool = True, typed: bool = False
) -> Iterator[GoldMentions]:
    """Every gold mention that has an answer. `typed`: their types are known."""
    for document in documents:
        gold = document.with_mentions(m for m in document.mentions if m.is_linked)
        queries = tuple(queries_of(gold, abbreviations=abbreviations))
        answers = tuple(frozenset(mention.ids) for mention in gold.mentions)
        every = mask_of(None)
        wanted = tuple(mask_of_mention(m.type, every) for m in gold.mentions) if typed else ()
        yield GoldMentions(document.id, queries, answers, document.text, wanted)


def collect_examples(
    readings: Iterable[GoldMentions], finder: CandidateFinder, maker: FeatureMaker
) -> Examples:
    """The mentions as the linker will meet them: no document sees the names that it used itself."""
    matrices, answers = list[Matrix](), list[npt.NDArray[np.bool_]]()
    owners, numbers = list[int](), dict[str, int]()
    for reading in readings:
        but = reading.document_id
        owners += [numbers.setdefault(but, len(numbers))] * len(reading.queries)
        texts = [query.text for query in reading.queries]
        wanted = reading.wanted or [mask_of(None)] * len(texts)
        found = finder.find(texts, wanted=wanted, but=but)
        bare = maker.of_queries(texts, found, but=but)
        here = Texts([reading.text], [len(texts)])
        matrices += maker.add_documents(bare, reading.queries, found, here)
        answers += [
            np.array([finder.kb.id_at(entity) in ids for entity in candidates.entity.tolist()])
            for ids, candidates in zip(reading.answers, found, strict=True)
        ]
    examples = Examples(
        np.zeros((len(answers), MOST, len(FEATURES)), dtype=np.float32),
        np.zeros((len(answers), MOST), dtype=bool),
        np.zeros((len(answers), MOST), dtype=bool),
        np.array(owners, dtype=np.int64),
    )
    for row, (matrix, is_gold) in enumerate(zip(matrices, answers, strict=True)):
        examples.features[row, : len(is_gold)] = matrix
        examples.is_gold[row, : len(is_gold)] = is_gold
        examples.is_there[row, : len(is_gold)] = True
    return examples


def fit_ranker(examples: Examples, settings: FitConfig) -> Ranker:
    """Maximise the probability of the gold candidates, or of none where there is no gold one.

    Small networks differ by a point from seed to seed; the mean of several does not. The mean is
    one network again, with all their hidden units side by side.
    """
    members = [_fit_one(examples, settings, settings.seed + i) for i in range(settings.members)]
    return Ranker(
        mean=members[0].mean,
        scale=members[0].scale,
        linear=np.mean([member.linear for member in members], axis=0),
        hidden=np.concatenate([member.hidden for member in members], axis=1),
        hidden_bias=np.concatenate([member.hidden_bias for member in members]),
        output=np.concatenate([member.output for member in members]) / len(members),
        bias=float(np.mean([member.bias for member in members])),
    )


def _fit_one(examples: Examples, settings: FitConfig, seed: int) -> Ranker:
    if not examples.is_there.any():
        raise InputError("nothing to fit a ranker on: no training mention has a candidate")
    random = np.random.default_rng(seed)
    seen = examples.features[examples.is_there].astype(np.float64)
    # What hardly varied here may vary later, and must not outweigh everything then.
    mean, scale = seen.mean(axis=0), np.maximum(seen.std(axis=0), _LEAST_SCALE)
    scaled = (examples.features - mean) / scale
    forgotten = np.flatnonzero(random.random(len(scaled)) < settings.forgetful)
    known = np.array([FEATURES.index(feature) for feature in OF_KNOWLEDGE])
    scaled[forgotten[:, None], :, known] = (-mean / scale)[known, None]
    is_there = examples.is_there.copy()
    lost = random.random(len(scaled)) < settings.dropped_gold
    is_there[lost] &= ~examples.is_gold[lost]
    width = len(FEATURES)
    weights = [
        np.zeros(width),
        random.normal(0, 0.3 / width**0.5, (width, settings.units)),
        np.zeros(settings.units),
        random.normal(0, 0.3, settings.units),
        np.zeros(1),
    ]
    adam = _Adam(weights, settings)
    steps = -(-len(scaled) // settings.batch)
    for _ in range(max(1, min(settings.epochs, settings.most_steps // steps))):
        order = random.permutation(len(scaled))
        for start in range(0, len(order), settings.batch):
            rows = order[start : start + settings.batch]
            adam.step(_gradients(weights, scaled[rows], examples.is_gold[rows], is_there[rows]))
    linear, hidden, hidden_bias, output, bias = weights
    return Ranker(mean, scale, linear, hidden, hidden_bias, output, float(bias[0]))


def _gradients(
    weights: Sequence[Floats],
    x: Floats,
    is_gold: npt.NDArray[np.bool_],
    is_there: npt.NDArray[np.bool_],
) -> list[Floats]:
    """Of the mean negative log probability of a right answer."""
    linear, hidden, hidden_bias, output, bias = weights
    units = np.maximum(x @ hidden + hidden_bias, 0.0)
    logits = np.where(is_there, x @ linear + units @ output + bias, -np.inf)
    highest = np.maximum(logits.max(axis=1, keepdims=True), 0.0)
    exp, none = np.exp(logits - highest), np.exp(-highest)
    probability = exp / (none + exp.sum(axis=1, keepdims=True))
    right = np.where(is_gold & is_there, exp, 0.0)
    total = right.sum(axis=1, keepdims=True)
    # Without a gold candidate the right answer is "none", which has no weights of its own.
    target = np.divide(right, total, out=np.zeros_like(right), where=total > 0)
    error = (probability - target) / len(x)
    # One row per candidate: products of whole matrices are many times faster than of stacks.
    flat, errors = x.reshape(-1, x.shape[-1]), error.reshape(-1)
    active = units.reshape(len(flat), -1)
    below = errors[:, None] * output * (active > 0)
    return [
        errors @ flat,
        flat.T @ below,
        below.sum(axis=0),
        errors @ active,
        errors.sum(keepdims=True),
    ]


class _Adam:
    """The usual optimiser; changes the weights in place."""

    def __init__(self, weights: Sequence[Floats], settings: FitConfig) -> None:
        self._weights = weights
        self._settings = settings
        self._first = [np.zeros_like(w) for w in weights]
        self._second = [np.zeros_like(w) for w in weights]
        self._steps = 0

    def step(self, gradients: Sequence[Floats]) -> None:
        self._steps += 1
        for weight, gradient, first, second in zip(
            self._weights, gradients, self._first, self._second, strict=True
        ):
            pulled = gradient + self._settings.decay * weight
            first += 0.1 * (pulled - first)
            second += 0.001 * (pulled**2 - second)
            mean = first / (1 - 0.9**self._steps)
            spread = np.sqrt(second / (1 - 0.999**self._steps)) + 1e-8
            weight -= self._settings.rate * mean / spread


def fit_calibrated(
    examples: Examples, settings: FitConfig, *, rival: Ranker | None = None
) -> Ranker:
    """A ranker of all examples whose probabilities are right for examples it has not seen.

    Its temperature is that of two rankers, each fitted on every second document, on the others.
    `rival` was fitted on other documents. It is returned itself if it finds the examples more
    probable than those two find what they have not seen, as where there are few examples.
    """
    is_odd = examples.document % 2 == 1
    tried = np.geomspace(0.5, 4.0, 60)
    losses = np.zeros(len(tried))
    unseen = 0
    for half in (is_odd, ~is_odd):
        if half.any() and not half.all():
            ranker = fit_ranker(examples.of(~half), settings)
            losses += half.sum() * _losses(ranker, examples.of(half), tried)
            unseen += int(half.sum())
    if rival is not None and (not unseen or _loss(rival, examples) <= losses.min() / unseen):
        return rival
    whole = fit_ranker(examples, settings)
    return replace(whole, temperature=float(tried[int(np.argmin(losses))]))


def _losses(ranker: Ranker, examples: Examples, temperatures: Floats) -> Floats:
    return np.array([_loss(replace(ranker, temperature=float(t)), examples) for t in temperatures])


def _loss(ranker: Ranker, examples: Examples) -> float:
    """The mean negative log probability of a right answer."""
    logits = np.where(examples.is_there, ranker.logits(examples.features), -np.inf)
    highest = np.maximum(logits.max(axis=1, keepdims=True, initial=-np.inf), 0.0)
    weights, none = np.exp(logits - highest), np.exp(-highest[:, 0])
    gold = np.where(examples.is_gold, weights, 0.0).sum(axis=1)
    right = np.where(examples.is_gold.any(axis=1), gold, none) / (none + weights.sum(axis=1))
    return float(-np.log(np.maximum(right, 1e-12)).mean()) if len(right) else 0.0

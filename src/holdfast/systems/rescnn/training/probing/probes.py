"""What a linker needs of word order and of sight: two linkers, trained alike, then hindered.

Nothing is hindered while they learn. Then they link mentions of another split with tokens
shuffled, or the transformer with attention limited to a window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from holdfast import artifacts
from holdfast.corpora.named.biosyn import (
    LenientMention,
    LenientName,
    read_lenient_dictionary,
    read_lenient_mentions,
)
from holdfast.errors import UsageError
from holdfast.evaluate.gold_mentions import score_lenient
from holdfast.progress import Progress
from holdfast.systems.rescnn.training.lenient import lenient_cases
from holdfast.systems.rescnn.training.probing.linkers import (
    RATES,
    WEIGHTS,
    ProbeConfig,
    TrainedLinker,
    digests,
    train_linker,
    training_batches,
)
from holdfast.systems.rescnn.training.probing.rows import AS_IS, NOTE, RESCNN, TRANSFORMER, ProbeRow
from holdfast.systems.rescnn.training.train import Encode, Vectors, token_ids
from holdfast.training.bert import TransformerLinker

Forward = Callable[[Tensor, Tensor], Tensor]

CHUNKS: Final = {"shuffled unigrams": 1, "shuffled bigrams": 2, "shuffled trigrams": 3}
WINDOWS: Final = {"window of 3": 3, "window of 5": 5}
SPLITS: Final = ("dev", "test")

_FOLDER: Final = "corpora/ncbi_disease/biosyn"
_TOKENS: Final = 4096  # of one run of a network


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of a table: a linker, and what is done to it."""

    linker: str
    name: str = AS_IS
    chunk: int = 0  # tokens that stay together when names are shuffled; 0: not shuffled
    window: int | None = None  # of attention; None: all of it


PROBES: Final = {
    "word-order": tuple(
        Setting(linker, name, chunk=chunk)
        for linker in (RESCNN, TRANSFORMER)
        for name, chunk in {AS_IS: 0, **CHUNKS}.items()
    ),
    "attention-window": (
        Setting(RESCNN),
        Setting(TRANSFORMER),
        *(Setting(TRANSFORMER, name, window=window) for name, window in WINDOWS.items()),
    ),
}


def run_probe(
    probe: str,
    config: ProbeConfig,
    *,
    data: Path,
    encoder: Path,  # a pretrained encoder: MiniLM
    split: str,  # what is linked: dev or test
    work: Path,  # checkpoints, shared by all probes; a run that was killed goes on from there
    progress: Progress,
) -> dict[str, Any]:
    """Train both linkers unless `work` has them, and measure every setting of the probe."""
    folder = _checked(data, split)
    mentions = list(read_lenient_mentions(folder / f"{split}.concept.tsv"))
    dictionary = list(read_lenient_dictionary(folder / f"{split}_dictionary.txt"))
    settings = PROBES[probe]
    stages = _stages(progress, len(RATES) + len(settings))
    linkers = {
        name: train_linker(
            name, config, folder=folder, encoder=encoder, work=work, progress=next(stages)
        )
        for name in RATES
    }
    rows = list(_measure(settings, linkers, mentions, dictionary, seed=config.seed, stages=stages))
    return {
        "probe": probe,
        "protocol": "lenient",
        "corpus": "ncbi-disease",
        "split": split,
        "n_scored": rows[0].report.counts["n_scored"],
        "dictionary_names": len(dictionary),
        "training_pairs": sum(
            len(group.mentions) for group in training_batches(folder, config).groups
        ),
        **asdict(config),
        "linkers": [_described(linker) for linker in linkers.values()],
        "rows": [row.to_json() for row in rows],
        "differs": NOTE,
        "data_sha256": digests(folder, "train", split),
        "encoder_sha256": artifacts.sha256_of(encoder / WEIGHTS),
    }


def _checked(data: Path, split: str) -> Path:
    """The folder of the lenient protocol's files; UsageError if it or the split is not there."""
    if split not in SPLITS:
        raise UsageError(f"no split is called {split!r} here; there is {' and '.join(SPLITS)}")
    if not data.is_dir():
        raise UsageError(f"{data}: no such data folder; name it with --data or HOLDFAST_DATA")
    return data / _FOLDER


def shuffled(tokens: Sequence[int], chunk: int, rng: np.random.Generator) -> list[int]:
    """The tokens in chunks, counted from the first, and the chunks in random order.

    The last chunk is shorter where the number of tokens asks for it.
    """
    chunks = [tokens[start : start + chunk] for start in range(0, len(tokens), chunk)]
    return [token for i in rng.permutation(len(chunks)) for token in chunks[i]]


class ProbedEncoder:
    """Tokens to unit rows by one network; what was encoded once is not encoded again."""

    def __init__(self, forward: Forward, *, width: int) -> None:
        self._forward = forward
        self._width = width
        self._known: dict[tuple[int, ...], Vectors] = {}

    def encode(
        self, names: Sequence[Sequence[int]], progress: Callable[[float], None] = lambda _: None
    ) -> Vectors:
        """In order. *Shape:* (len(names), width)."""
        keys = [tuple(tokens) for tokens in names]
        missing = sorted({key for key in keys if key not in self._known}, key=lambda k: (len(k), k))
        done = 0
        while done < len(missing):
            # Shortest first, so the names of a run are nearly of one length.
            run = missing[done : done + max(1, _TOKENS // max(1, len(missing[done])))]
            self._known.update(zip(run, self._run(run), strict=True))
            done += len(run)
            progress(done / len(missing))
        vectors = np.zeros((len(keys), self._width), dtype=np.float32)
        for row, key in enumerate(keys):
            vectors[row] = self._known[key]
        return vectors

    def _run(self, names: Sequence[Sequence[int]]) -> Vectors:
        tokens = torch.tensor([token for name in names for token in name], dtype=torch.long)
        with torch.inference_mode():
            return self._forward(tokens, torch.tensor([len(name) for name in names])).numpy()


def _measure(
    settings: Sequence[Setting],
    linkers: dict[str, TrainedLinker],
    mentions: Sequence[LenientMention],
    dictionary: Sequence[LenientName],
    *,
    seed: int,
    stages: Iterator[Progress],
) -> Iterator[ProbeRow]:
    """A row per setting; a linker as it is comes before it is hindered."""
    bases: dict[str, float] = {}
    networks: dict[tuple[str, int | None], ProbedEncoder] = {}
    for setting in settings:
        linker, stage = linkers[setting.linker], next(stages)
        network = networks.setdefault(
            (setting.linker, setting.window), _network(linker, setting.window)
        )
        stage(f"{setting.linker}, {setting.name}", 0.0)
        encode = _encode(linker.tokenizer, network, setting, seed=seed, progress=stage)
        report = score_lenient(lenient_cases(encode, mentions, dictionary))
        base = bases.setdefault(setting.linker, report["accuracy_at_1"])
        yield ProbeRow(setting.linker, setting.name, report, base)


def _network(linker: TrainedLinker, window: int | None) -> ProbedEncoder:
    """Of ResCNN there is no attention to limit: its filters have their own reach."""
    model = linker.model
    if isinstance(model, TransformerLinker):
        return ProbedEncoder(partial(model.forward, window=window), width=model.config.width)
    return ProbedEncoder(model.forward, width=model.config.width)


def _encode(
    tokenizer: Tokenizer, network: ProbedEncoder, setting: Setting, *, seed: int, progress: Progress
) -> Encode:
    """Every name is shuffled on its own: a mention and its equal in the dictionary end up unequal.

    The same seed shuffles alike for every linker with the same tokens.
    """
    rng = np.random.default_rng([seed, setting.chunk])

    def encode(names: Sequence[str]) -> Vectors:
        tokens = token_ids(tokenizer, names)
        if setting.chunk:
            tokens = [shuffled(name, setting.chunk, rng) for name in tokens]
        return network.encode(
            tokens, lambda done: progress(f"{setting.linker}, {setting.name}", done)
        )

    return encode


def _described(linker: TrainedLinker) -> dict[str, Any]:
    return {
        "linker": linker.name,
        "parameters": linker.model.size(),  # without the token embeddings
        "learning_rate": RATES[linker.name],
        "weights_sha256": linker.digest,
    }


def _stages(progress: Progress, count: int) -> Iterator[Progress]:
    """A progress for each stage, all of equal weight."""

    def stage(index: int, what: str, done: float) -> None:
        progress(what, (index + done) / count)

    return (partial(stage, index) for index in range(count))

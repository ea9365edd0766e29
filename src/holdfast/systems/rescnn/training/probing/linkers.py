"""The two linkers that are probed, trained alike on what the NCBI train split calls diseases.

ResCNN and a transformer learn from the same batches: a mention of the train split and another
name of its disease. Token embeddings are MiniLM's for both, and stay as they are.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import torch
from tokenizers import Tokenizer

from holdfast import artifacts
from holdfast.corpora.named.biosyn import read_lenient_dictionary, read_lenient_mentions
from holdfast.progress import Progress
from holdfast.systems.rescnn.training.batches import BatchConfig, NameBatches
from holdfast.systems.rescnn.training.corpus import lenient_groups, seed_weights
from holdfast.systems.rescnn.training.model import ResCNN, ResCNNConfig
from holdfast.systems.rescnn.training.probing.rows import RESCNN, TRANSFORMER
from holdfast.systems.rescnn.training.train import NamesConfig, train
from holdfast.systems.rescnn.training.vocabulary import pretrained_embeddings
from holdfast.training.bert import TransformerLinker, pretrained_transformer
from holdfast.training.checkpoint import KIND, VERSION
from holdfast.training.loop import RUN
from holdfast.training.pretrained import pretrained_tokenizer

Linker = ResCNN | TransformerLinker
WEIGHTS: Final = "model.safetensors"
# The rates are each network's own: one starts from nothing, the other from pretrained weights.
RATES: Final = {RESCNN: 1e-3, TRANSFORMER: 1e-4}
_REPORT_EVERY: Final = 5
_SAVE_EVERY: Final = 50


@dataclass(frozen=True, slots=True)
class ProbeConfig:
    steps: int = 200
    pairs: int = 64  # in one batch, each of another disease
    seed: int = 0
    threads: int = 2


@dataclass(frozen=True, slots=True)
class TrainedLinker:
    name: str
    model: Linker
    tokenizer: Tokenizer
    digest: str  # sha256 of the weights


def train_linker(
    name: str,
    config: ProbeConfig,
    *,
    folder: Path,  # the files of the lenient protocol
    encoder: Path,
    work: Path,
    progress: Progress,
) -> TrainedLinker:
    """Token embeddings stay as they are; the same seed draws the same batches for both."""
    torch.manual_seed(config.seed)
    tokenizer = pretrained_tokenizer(encoder)
    model = _rescnn(encoder, tokenizer) if name == RESCNN else pretrained_transformer(encoder)
    learning = _learning(name, config)
    settings = {
        "linker": name,
        "pairs": config.pairs,
        "learning": asdict(learning),
        "encoder": artifacts.sha256_of(encoder / WEIGHTS),
        "data": digests(folder, "train"),
    }
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:12]
    place = work / f"{name.lower()}-{digest}"

    def report(text: str) -> None:
        step = re.search(r"step (\d+)", text)
        progress(f"training {name}: {text}", int(step[1]) / config.steps if step else 0.0)

    progress(f"training {name}: from the start", 0.0)
    # The loop asks nothing of a ResCNN that a transformer linker has not.
    train(model, tokenizer, training_batches(folder, config), learning, folder=place, report=report)
    manifest = artifacts.read_manifest(place / RUN, kind=KIND, version=VERSION)
    return TrainedLinker(name, model.eval(), tokenizer, manifest.files[WEIGHTS]["sha256"])


def _learning(name: str, config: ProbeConfig) -> NamesConfig:
    return NamesConfig(
        steps=config.steps,
        learning_rate=RATES[name],
        embedding_rate=0.0,
        warm_up=config.steps // 10,
        report_every=_REPORT_EVERY,
        save_every=_SAVE_EVERY,
        seed=config.seed,
        threads=config.threads,
    )


def _rescnn(encoder: Path, tokenizer: Tokenizer) -> ResCNN:
    """The paper's sizes; MiniLM's token embeddings, scaled to deviate by 1."""
    rows = pretrained_embeddings(encoder, tokenizer)
    model = ResCNN(ResCNNConfig(len(rows), embedding=rows.shape[1]))
    with torch.no_grad():
        model.embedding.weight.copy_(rows / rows.std())
    return model


def training_batches(folder: Path, config: ProbeConfig) -> NameBatches:
    """Mentions of train, each with another name or mention of its disease."""
    dictionary = read_lenient_dictionary(folder / "train_dictionary.txt")
    mentions = read_lenient_mentions(folder / "train.concept.tsv")
    groups = [group for group in lenient_groups(dictionary, mentions) if group.mentions]
    return NameBatches(
        groups,
        weights=seed_weights(groups, mentions=1.0),
        config=BatchConfig(
            groups=config.pairs, seeds=1.0, neighbours=0, augmented=0.0, mention_first=1.0
        ),
        neighbours={},
    )


def digests(folder: Path, *splits: str) -> dict[str, str]:
    files = (name for s in splits for name in (f"{s}.concept.tsv", f"{s}_dictionary.txt"))
    return {name: artifacts.sha256_of(folder / name) for name in files}

"""The name encoder that ships, from vocabularies and corpora to a model folder.

Word pieces are learned from the knowledge base's names; then two stages of the same loop:
pre-alignment on synonyms, and fine-tuning on how corpora call the same concepts, with synonyms
still in sight.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Final

import numpy as np
import torch
from tokenizers import Tokenizer

from holdfast import artifacts
from holdfast.corpora.named import load_training
from holdfast.document import Document
from holdfast.encoders.names import plain
from holdfast.errors import UsageError
from holdfast.kb import KnowledgeBase
from holdfast.systems.rescnn.training.batches import BatchConfig, NameBatches
from holdfast.systems.rescnn.training.corpus import mention_groups, with_mentions
from holdfast.systems.rescnn.training.export import export_encoder
from holdfast.systems.rescnn.training.mining import mine_neighbours
from holdfast.systems.rescnn.training.model import ResCNN, ResCNNConfig
from holdfast.systems.rescnn.training.synonyms import Group, synonym_groups
from holdfast.systems.rescnn.training.train import LONGEST, NamesConfig, train
from holdfast.systems.rescnn.training.vocabulary import build_tokenizer, pretrained_embeddings

_SINGLE: Final = 0.1  # how often a concept with one name is drawn, against one with several

Split = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Shares:
    """Where the seeds of a batch come from; the shares add up to 1."""

    synonyms: float  # concepts of the knowledge base
    mentions: float = 0.0  # the same, as often as corpora mention them
    wordings: float = 0.0  # concepts that only a corpus names


_ALIGN: Final = NamesConfig(steps=4500)
_ALIGN_SHARES: Final = Shares(0.82, wordings=0.18)
_ALIGN_BATCHES: Final = BatchConfig()
_TUNE: Final = NamesConfig(steps=3000, learning_rate=6e-4, embedding_rate=6e-4)
_TUNE_SHARES: Final = Shares(0.45, mentions=0.40, wordings=0.15)
_TUNE_BATCHES: Final = BatchConfig(mention_first=0.7)


@dataclass(frozen=True, slots=True)
class NameModelConfig:
    """Everything that decides what is learned."""

    name: str = "encoder"  # of the recipe
    sources: tuple[str, ...] = (
        "MeSH",
        "HGNC",
        "NCBI Taxonomy",
        "Gene Ontology",
        "Cell Ontology",
        "UBERON",
        "Human Phenotype Ontology",
        "MONDO",
        "Disease Ontology",
    )
    # How often pre-alignment draws a concept of each kind.
    shares: Mapping[str, float] = field(
        default_factory=lambda: {
            "Disease": 0.42,
            "Chemical": 0.30,
            "Phenotype": 0.06,
            "Gene": 0.06,
            "Process": 0.04,
            "Species": 0.04,
            "Anatomy": 0.04,
            "Other": 0.02,
            "CellType": 0.02,
        }
    )
    vocabulary: int = 28_000
    wordings: tuple[Split, ...] = (("medmentions-st21pv", "train"),)
    training: tuple[Split, ...] = ()  # whose mentions are names
    evaluated: tuple[Split, ...] = ()  # whose documents are not learned from
    align: NamesConfig = _ALIGN
    align_shares: Shares = _ALIGN_SHARES
    align_batches: BatchConfig = _ALIGN_BATCHES
    tune: NamesConfig = _TUNE
    tune_shares: Shares = _TUNE_SHARES
    tune_batches: BatchConfig = _TUNE_BATCHES


def train_name_model(
    config: NameModelConfig,
    *,
    kb: KnowledgeBase,
    encoder: Path,  # a pretrained encoder, for its token embeddings
    data: Path,  # the corpora
    texts: Iterable[str] = (),  # more to learn word pieces from
    work: Path,  # checkpoints; a run that was killed goes on from there
    out: Path,
    report: Callable[[str], None] = print,
) -> artifacts.Manifest:
    """Train, and write the model folder `out`."""
    groups = synonym_groups(kb, config.sources)
    report(f"{len(groups):,} concepts with {sum(len(g.names) for g in groups):,} names")
    groups = with_mentions(groups, _documents(config.training, config, data, report))
    wordings = mention_groups(_documents(config.wordings, config, data, report), kind="wording")
    tokenizer = _tokenizer(groups, texts, config.vocabulary, work)
    model = _model(config, tokenizer, encoder)
    silent = [replace(group, mentions=()) for group in groups]
    for name, stage, shares, batches, known in (
        ("align", config.align, config.align_shares, config.align_batches, silent),
        ("tune", config.tune, config.tune_shares, config.tune_batches, groups),
    ):
        drawn = NameBatches(
            [*known, *wordings],
            weights=_weights(known, len(wordings), shares, config.shares),
            config=batches,
        )
        where = work / name
        train(model, tokenizer, drawn, stage, folder=where, mine=mine_neighbours, report=report)
    described = _description(config, kb)
    return export_encoder(model, tokenizer, out, longest=LONGEST, description=described)


def _model(config: NameModelConfig, tokenizer: Tokenizer, encoder: Path) -> ResCNN:
    """A new network whose token embeddings are those of a pretrained encoder."""
    torch.manual_seed(config.align.seed)
    model = ResCNN(ResCNNConfig(tokenizer.get_vocab_size()))
    rows = pretrained_embeddings(encoder, tokenizer)
    with torch.no_grad():
        model.embedding.weight.copy_(rows / rows.std())
    return model


def _documents(
    splits: Sequence[Split],
    config: NameModelConfig,
    data: Path,
    report: Callable[[str], None],
) -> list[Document]:
    """Those of the splits, without any that is evaluated."""
    corpora = load_training(splits, evaluated=config.evaluated, data=data)
    if not corpora.weights_may_ship:
        raise UsageError(f"weights trained on {splits} may not ship")
    for part in corpora.parts:
        report(str(part))
    return list(corpora.documents)


def _weights(
    groups: Sequence[Group], wordings: int, shares: Shares, kinds: Mapping[str, float]
) -> list[float]:
    """How often each group is a seed: those of the knowledge base, then `wordings` others."""
    by_kind = np.array(_shares(groups, kinds))
    by_use = np.array([float(len(group.mentions)) for group in groups])
    known = shares.synonyms * by_kind / max(by_kind.sum(), 1e-12)
    known += shares.mentions * by_use / max(by_use.sum(), 1.0)
    return [*known.tolist(), *([shares.wordings / max(1, wordings)] * wordings)]


def _tokenizer(groups: Sequence[Group], texts: Iterable[str], size: int, work: Path) -> Tokenizer:
    path = work / "tokenizer.json"
    if not path.exists():
        names = (plain(name) for group in groups for name in group.names)
        tokenizer = build_tokenizer(chain(names, map(plain, texts)), size=size)
        work.mkdir(parents=True, exist_ok=True)
        path.write_text(tokenizer.to_str(), encoding="utf-8")
    return Tokenizer.from_file(str(path))


def _shares(groups: Sequence[Group], shares: Mapping[str, float]) -> list[float]:
    """A weight per group, so that kinds are drawn by their shares."""
    once = [1.0 if len(group.names) > 1 else _SINGLE for group in groups]
    total = defaultdict[str, float](float)
    for group, weight in zip(groups, once, strict=True):
        total[group.kind] += weight
    return [
        shares.get(group.kind, 0.0) * weight / total[group.kind]
        for group, weight in zip(groups, once, strict=True)
    ]


def _description(config: NameModelConfig, kb: KnowledgeBase) -> dict[str, object]:
    sources = [source for source in kb.sources if source.name in config.sources]
    corpora = [f"{name} {split}" for name, split in (*config.training, *config.wordings)]
    return {
        "licence": "Apache-2.0",
        "training_data": [f"{s.name} {s.version} ({s.licence})" for s in sources] + corpora,
        "token_embeddings": "all-MiniLM-L6-v2 (Apache-2.0), averaged over pieces, then trained",
        "recipes": [config.name],
        "settings": asdict(config),
    }

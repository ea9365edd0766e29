"""The name encoder that ships, from vocabularies and corpora to a model folder.

Word pieces are learned from the knowledge base's names; then two stages of the same loop:
pre-alignment on synonyms, and fine-tuning on how corpora call diseases and chemicals.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain
from pathlib import Path
from typing import Final

import numpy as np
import torch
from tokenizers import Tokenizer

from holdfast import artifacts
from holdfast.corpora.named import load_training
from holdfast.corpora.named.biosyn import LenientName
from holdfast.errors import UsageError
from holdfast.kb import KnowledgeBase
from holdfast.names.encoder import plain
from holdfast.training.batches import BatchConfig, NameBatches
from holdfast.training.corpus import document_mentions, lenient_groups, seed_weights
from holdfast.training.export import export_encoder
from holdfast.training.mining import mine_neighbours
from holdfast.training.names import LONGEST, NamesConfig, train
from holdfast.training.rescnn import ResCNN, ResCNNConfig
from holdfast.training.synonyms import Group, synonym_groups
from holdfast.training.vocabulary import build_tokenizer, pretrained_embeddings

_PREFIX: Final = "MESH:"
_SINGLE: Final = 0.1  # how often a concept with one name is drawn, against one with several
_TUNED: Final = (frozenset({"Disease", "Phenotype"}), frozenset({"Chemical"}))
_OTHER: Final = 20_000  # concepts of other kinds that fine-tuning keeps in sight

Split = tuple[str, str]


_ALIGN: Final = NamesConfig(steps=2650)
_ALIGN_BATCHES: Final = BatchConfig()
# Short and gentle, among random concepts: mined neighbours and a higher rate did worse on NCBI dev.
_TUNE: Final = NamesConfig(steps=150, learning_rate=1e-4, embedding_rate=1e-4, warm_up=20)
_TUNE_BATCHES: Final = BatchConfig(seeds=0.5, neighbours=0, augmented=0.2)


@dataclass(frozen=True, slots=True)
class NameModelConfig:
    """Everything that decides what is learned."""

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
    training: tuple[Split, ...] = (
        ("ncbi-disease", "train"),
        ("ncbi-disease", "dev"),
        ("bc5cdr", "train"),
        ("bc5cdr", "dev"),
        ("biored", "train"),
    )
    evaluated: tuple[Split, ...] = (
        ("ncbi-disease", "test"),
        ("bc5cdr", "test"),
        ("biored", "dev"),
    )
    align: NamesConfig = _ALIGN
    align_batches: BatchConfig = _ALIGN_BATCHES
    tune: NamesConfig = _TUNE
    tune_batches: BatchConfig = _TUNE_BATCHES
    # Of the seeds of fine-tuning: diseases, chemicals, and anything else; and within the first
    # two, how many start from a corpus's mention.
    tune_shares: tuple[float, float, float] = (0.55, 0.35, 0.10)
    tune_mentions: float = 0.6
    tune_pool: int = 50_000  # concepts of each kind that no text mentions, to contrast with


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
    tokenizer = _tokenizer(groups, texts, config.vocabulary, work)
    torch.manual_seed(config.align.seed)
    model = ResCNN(ResCNNConfig(tokenizer.get_vocab_size()))
    rows = pretrained_embeddings(encoder, tokenizer)
    with torch.no_grad():
        model.embedding.weight.copy_(rows / rows.std())
    batches = NameBatches(
        groups, weights=_shares(groups, config.shares), config=config.align_batches
    )
    train(model, tokenizer, batches, config.align, folder=work / "align", report=report)
    batches = _tuning_batches(groups, config, data=data, report=report)
    train(
        model,
        tokenizer,
        batches,
        config.tune,
        folder=work / "tune",
        mine=mine_neighbours,
        report=report,
    )
    return export_encoder(
        model, tokenizer, out, longest=LONGEST, description=_description(config, kb)
    )


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


def _tuning_batches(
    groups: Sequence[Group], config: NameModelConfig, *, data: Path, report: Callable[[str], None]
) -> NameBatches:
    """Diseases and chemicals of MeSH with what the corpora call them, and some of the rest."""
    corpora = load_training(config.training, evaluated=config.evaluated, data=data)
    if not corpora.weights_may_ship:
        raise UsageError(f"weights trained on {config.training} may not ship")
    for part in corpora.parts:
        report(str(part))
    rng = np.random.default_rng(config.tune.seed)
    tuned, weights = list[Group](), list[float]()
    for kinds, share in zip(_TUNED, config.tune_shares, strict=False):
        mentions = document_mentions(corpora.documents, only=kinds, prefix=_PREFIX)
        called = lenient_groups(_dictionary(groups, kinds), mentions, kind=min(kinds))
        silent = [group for group in called if not group.mentions]
        kept = [group for group in called if group.mentions] + _some(silent, config.tune_pool, rng)
        tuned += kept
        weights += [share * w for w in seed_weights(kept, mentions=config.tune_mentions)]
    every = set[str]().union(*_TUNED)
    rest = _some([g for g in groups if len(g.names) > 1 and g.kind not in every], _OTHER, rng)
    tuned += rest
    weights += [config.tune_shares[-1] / max(1, len(rest))] * len(rest)
    return NameBatches(tuned, weights=weights, config=config.tune_batches, neighbours={})


def _some(groups: Sequence[Group], count: int, rng: np.random.Generator) -> list[Group]:
    return [groups[i] for i in np.sort(rng.permutation(len(groups))[:count])]


def _dictionary(groups: Sequence[Group], kinds: Collection[str]) -> Iterator[LenientName]:
    """Every name of the concepts of these kinds; MeSH's ids are bare, as mentions have them."""
    for group in groups:
        if group.kind in kinds:
            ids = frozenset(id.removeprefix(_PREFIX) for id in group.ids)
            yield from (LenientName(name, ids) for name in group.names)


def _description(config: NameModelConfig, kb: KnowledgeBase) -> dict[str, object]:
    sources = [source for source in kb.sources if source.name in config.sources]
    corpora = [f"{name} {split}" for name, split in config.training]
    return {
        "licence": "Apache-2.0",
        "training_data": [f"{s.name} {s.version} ({s.licence})" for s in sources] + corpora,
        "token_embeddings": "all-MiniLM-L6-v2 (Apache-2.0), averaged over pieces, then trained",
        "recipe": asdict(config),
    }

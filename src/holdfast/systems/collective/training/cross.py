"""Trains a cross-encoder to find the right one among retrieved candidates, and exports it.

A mention that is often made teaches little more each time, and every pair costs a pass: a run
draws from the distinct pairs of surface and entity, each in one of its contexts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import Tensor, nn

from holdfast import artifacts
from holdfast.document import Document
from holdfast.encoders.tokens import INPUT, MODEL, TOKENIZER
from holdfast.errors import UsageError
from holdfast.progress import Log
from holdfast.systems.collective.cross import KIND, SCORES, VERSION, PairReader, Rows
from holdfast.systems.collective.training.data import joined_names
from holdfast.training.export.graph import Graph
from holdfast.training.export.tokens import add_states, add_text_vector
from holdfast.training.history import Entry
from holdfast.training.loop import LoopConfig, Loss, ParameterGroup, Task, train
from holdfast.training.token_encoder import TokenEncoder, open_token_encoder


@dataclass(frozen=True, slots=True)
class CrossConfig:
    encoder: str = "minilm"
    steps: int = 600
    batch: int = 4  # mentions of a step
    candidates: int = 5  # of a mention in training, the gold one with them
    learning_rate: float = 1e-4
    head_rate: float = 1e-3
    warm_up: float = 0.06
    context: int = 128  # characters to each side of a mention
    longest_context: int = 24  # tokens to each side
    longest_name: int = 16  # tokens
    look_every: int = 150  # steps between looks at dev
    save_every: int = 100
    seed: int = 0
    threads: int = 0  # 0: as many as torch takes by itself


@dataclass(frozen=True, slots=True)
class CrossExample:
    """A mention, its candidates' names and which of them is right."""

    mention: Rows  # tokens
    names: tuple[Rows, ...]
    gold: int  # the place of the right one; -1: it was not retrieved
    key: tuple[str, str] = ("", "")  # surface and entity


class CrossEncoder(nn.Module):
    def __init__(self, encoder: TokenEncoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.score = nn.Linear(encoder.width, 1)

    def forward(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        """*Shape:* tokens (all,), lengths (pairs,) to (pairs,)."""
        scores: Tensor = self.score(self.encoder(tokens, lengths).texts)[:, 0]
        return scores


def cases_of(
    documents: Sequence[Document],
    reader: PairReader,
    retrieve: Callable[[Document], list[list[tuple[str, str]]]],  # (entity id, name) per mention
) -> list[CrossExample]:
    """One for each mention with candidates."""
    cases = list[CrossExample]()
    for document in documents:
        for mention, near in zip(document.mentions, retrieve(document), strict=True):
            if near:
                gold = next((i for i, (id, _) in enumerate(near) if id in mention.ids), -1)
                cases.append(
                    CrossExample(
                        reader.mention_tokens(document, mention),
                        tuple(reader.name_tokens([name for _, name in near])),
                        gold,
                        (document.text_of(mention).lower(), near[gold][0]),
                    )
                )
    return cases


class CrossTask(Task[tuple[CrossExample, int]]):
    """Learns to put the gold candidate first; an example is a case with a seed for its rivals."""

    selected_by = "accuracy"

    def __init__(
        self,
        model: CrossEncoder,
        training: Sequence[CrossExample],
        development: Sequence[CrossExample],
        reader: PairReader,
        config: CrossConfig,
    ) -> None:
        self.model: CrossEncoder = model
        self._groups = _by_key(training)
        self._development = development
        self._reader = reader
        self._config = config
        if not self._groups:
            raise UsageError("no mention has its entity and another one among its candidates")

    def parameter_groups(self) -> Sequence[ParameterGroup]:
        inner = [p for p in self.model.encoder.parameters() if p.requires_grad]
        return (
            ParameterGroup(inner, self._config.learning_rate),
            ParameterGroup(list(self.model.score.parameters()), self._config.head_rate),
        )

    def draw(self, step: int, count: int) -> Sequence[tuple[CrossExample, int]]:
        """Each surface of an entity is as likely as any other, however often it occurs."""
        rng = np.random.default_rng([self._config.seed, step])
        chosen = [self._groups[at] for at in rng.integers(len(self._groups), size=count).tolist()]
        return [
            (group[int(rng.integers(len(group)))], int(rng.integers(1 << 31))) for group in chosen
        ]

    def loss(self, examples: Sequence[tuple[CrossExample, int]]) -> Loss:
        """The gold candidate stands first among those it is held to."""
        pairs, counts = list[Rows](), list[int]()
        for case, seed in examples:
            others = [i for i in range(len(case.names)) if i != case.gold]
            drawn = np.random.default_rng(seed).permutation(others)
            kept = (case.gold, *drawn[: self._config.candidates - 1].tolist())
            pairs.extend(self._reader.pair(case.mention, case.names[i]) for i in kept)
            counts.append(len(kept))
        parts = self.model(*joined_names(pairs)).split(counts)
        first = torch.zeros((), dtype=torch.long)
        losses = torch.stack([F.cross_entropy(part, first) for part in parts])
        return Loss(losses.sum(), len(examples))

    def evaluate(self) -> Mapping[str, float]:
        return {"accuracy": cross_accuracy(self.model, self._development, self._reader)}


def train_cross_encoder(
    model: CrossEncoder,
    training: Sequence[CrossExample],
    development: Sequence[CrossExample],
    reader: PairReader,
    config: CrossConfig,
    *,
    folder: Path,
    about: Mapping[str, Any] = MappingProxyType({}),
    report: Log = print,
) -> tuple[Entry, ...]:
    """Train in place, from the folder's checkpoint if there is one, and keep the best on dev."""
    loop = LoopConfig(
        steps=config.steps,
        batch=config.batch,
        warm_up=config.warm_up,
        evaluate_every=config.look_every,
        report_every=0,
        save_every=config.save_every,
        seed=config.seed,
        threads=config.threads,
    )
    task = CrossTask(model, training, development, reader, config)
    kept = ("encoder", "candidates", "learning_rate", "head_rate", "context", "longest_context")
    settings = {key: asdict(config)[key] for key in (*kept, "longest_name")}
    return train(task, loop, folder=folder, about={**settings, **about}, report=report)


def cross_accuracy(model: CrossEncoder, cases: Sequence[CrossExample], reader: PairReader) -> float:
    """How often the right candidate is first, over the cases where it was retrieved."""
    model.eval()
    known = [case for case in cases if case.gold >= 0]
    right = 0
    with torch.no_grad():
        for case in known:
            pairs = [reader.pair(case.mention, name) for name in case.names]
            right += int(model(*joined_names(pairs)).argmax()) == case.gold
    return right / max(1, len(known))


def export_cross_encoder(
    model: CrossEncoder,
    tokenizer: Tokenizer,
    folder: Path,
    *,
    config: CrossConfig,
    small: bool = False,
    description: Mapping[str, Any],
) -> artifacts.Manifest:
    """Write the folder that `holdfast.systems.collective.cross` opens, or replace it."""
    model.eval()
    graph = Graph(quantised=small)
    states = add_states(graph, model.encoder)
    whole = add_text_vector(graph, model.encoder, states, pooling="first")
    graph.add("Squeeze", graph.exact_linear(whole, model.score), graph.numbers(1), output=SCORES)
    proto = graph.finish(inputs={INPUT: ("texts", "length")}, output=SCORES, shape=("texts",))
    settings = {
        "context": config.context,
        "longest_context": config.longest_context,
        "longest_name": config.longest_name,
        "bits": 8 if small else 32,
        **description,
    }
    with artifacts.publish(folder) as scratch:
        onnx.save_model(proto, str(scratch / MODEL))
        (scratch / TOKENIZER).write_text(tokenizer.to_str(), encoding="utf-8")
        return artifacts.write_manifest(scratch, kind=KIND, version=VERSION, config=settings)


def open_cross_encoder(config: CrossConfig) -> CrossEncoder:
    """With the pretrained weights that the configuration names."""
    torch.manual_seed(config.seed)
    return CrossEncoder(open_token_encoder(config.encoder))


def _by_key(cases: Sequence[CrossExample]) -> list[list[CrossExample]]:
    groups = defaultdict[tuple[str, str], list[CrossExample]](list)
    for case in cases:
        if case.gold >= 0 and len(case.names) > 1:
            groups[case.key].append(case)
    return list(groups.values())

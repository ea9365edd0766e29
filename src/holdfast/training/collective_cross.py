"""Trains a cross-encoder to find the right one among retrieved candidates, and exports it.

A mention that is often made teaches little more each time, and every pair costs a pass: a run
draws from the distinct pairs of surface and entity, each in one of its contexts.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor, nn

from holdfast import artifacts
from holdfast.detect.token_encoder import INPUT, MODEL, TOKENIZER
from holdfast.document import Document
from holdfast.errors import UsageError
from holdfast.link.collective_cross import KIND, SCORES, VERSION, PairReader, Rows
from holdfast.training.checkpoint import Progress, resume, save_checkpoint
from holdfast.training.collective_data import joined_names
from holdfast.training.collective_encoder import TokenEncoder, open_token_encoder
from holdfast.training.collective_graph import add_states, add_text_vector
from holdfast.training.collective_start import BEST
from holdfast.training.onnx_graph import Graph

_CLIP: Final = 1.0


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
class Case:
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
) -> list[Case]:
    """One for each mention with candidates."""
    cases = list[Case]()
    for document in documents:
        for mention, near in zip(document.mentions, retrieve(document), strict=True):
            if near:
                gold = next((i for i, (id, _) in enumerate(near) if id in mention.ids), -1)
                cases.append(
                    Case(
                        reader.mention_tokens(document, mention),
                        tuple(reader.name_tokens([name for _, name in near])),
                        gold,
                        (document.text_of(mention).lower(), near[gold][0]),
                    )
                )
    return cases


def train_cross_encoder(
    model: CrossEncoder,
    training: Sequence[Case],
    development: Sequence[Case],
    reader: PairReader,
    config: CrossConfig,
    *,
    folder: Path,
    about: Mapping[str, Any] = MappingProxyType({}),
    report: Callable[[str], None] = print,
) -> Progress:
    """Train in place, from the folder's checkpoint if there is one, and keep the best on dev."""
    torch.manual_seed(config.seed)
    if config.threads:
        torch.set_num_threads(config.threads)
    optimizer = _optimizer(model, config)
    told = {**asdict(config), **about}
    progress = resume(folder / "run", model, optimizer, config=told, report=report)
    seconds = progress.seconds
    groups = _by_key(training)
    if not groups:
        raise UsageError("no mention has its entity and another one among its candidates")
    losses = list[float]()
    for step in range(progress.step, config.steps):
        started = time.process_time()
        rng = np.random.default_rng([config.seed, step])
        drawn = _draw(groups, config, rng)
        losses.append(_learn(model, drawn, reader, optimizer, config, step=step, rng=rng))
        seconds += time.process_time() - started
        done = step + 1
        is_last = done == config.steps
        if is_last or done % config.look_every == 0:
            right = cross_accuracy(model, development, reader)
            if right >= max((e["accuracy"] for e in progress.log), default=0.0):
                folder.mkdir(parents=True, exist_ok=True)
                save_file(dict(model.state_dict()), folder / BEST)
            entry = {"step": done, "seconds": seconds, "loss": float(np.mean(losses))}
            progress = replace(progress, log=(*progress.log, entry | {"accuracy": right}))
            losses.clear()
            report("  ".join(f"{key} {value:.4g}" for key, value in progress.log[-1].items()))
        progress = replace(progress, step=done, seconds=seconds)
        if is_last or done % config.save_every == 0:
            save_checkpoint(folder / "run", model, optimizer, progress=progress, config=told)
    if (folder / BEST).exists():
        model.load_state_dict(load_file(folder / BEST))
    return progress


def cross_accuracy(model: CrossEncoder, cases: Sequence[Case], reader: PairReader) -> float:
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
    """Write the folder that `holdfast.link.collective_cross` opens, or replace it."""
    model.eval()
    graph = Graph(quantised=small)
    states = add_states(graph, model.encoder)
    whole = add_text_vector(graph, model.encoder, states, pooling="first")
    graph.add("Squeeze", graph.exact_linear(whole, model.score), graph.numbers(1), output=SCORES)
    proto = graph.finish(inputs={INPUT: ("texts", "length")}, output=SCORES, shape=("texts",))
    told = {
        "context": config.context,
        "longest_context": config.longest_context,
        "longest_name": config.longest_name,
        "bits": 8 if small else 32,
        **description,
    }
    with artifacts.publish(folder) as scratch:
        onnx.save_model(proto, str(scratch / MODEL))
        (scratch / TOKENIZER).write_text(tokenizer.to_str(), encoding="utf-8")
        return artifacts.write_manifest(scratch, kind=KIND, version=VERSION, config=told)


def open_cross_encoder(config: CrossConfig) -> CrossEncoder:
    """With the pretrained weights that the configuration names."""
    torch.manual_seed(config.seed)
    return CrossEncoder(open_token_encoder(config.encoder))


def _by_key(cases: Sequence[Case]) -> list[list[Case]]:
    groups = defaultdict[tuple[str, str], list[Case]](list)
    for case in cases:
        if case.gold >= 0 and len(case.names) > 1:
            groups[case.key].append(case)
    return list(groups.values())


def _draw(
    groups: Sequence[Sequence[Case]], config: CrossConfig, rng: np.random.Generator
) -> list[Case]:
    chosen = rng.integers(len(groups), size=config.batch).tolist()
    return [groups[at][int(rng.integers(len(groups[at])))] for at in chosen]


def _learn(
    model: CrossEncoder,
    cases: Sequence[Case],
    reader: PairReader,
    optimizer: torch.optim.Optimizer,
    config: CrossConfig,
    *,
    step: int,
    rng: np.random.Generator,
) -> float:
    """One step; the loss before it. The gold candidate stands first among those it is held to."""
    for group in optimizer.param_groups:
        group["lr"] = group["initial_lr"] * _rate(step, config)
    model.train()
    pairs, counts = list[Rows](), list[int]()
    for case in cases:
        others = [i for i in range(len(case.names)) if i != case.gold]
        drawn = rng.permutation(others)[: config.candidates - 1].tolist()
        pairs.extend(reader.pair(case.mention, case.names[i]) for i in (case.gold, *drawn))
        counts.append(1 + len(drawn))
    parts = model(*joined_names(pairs)).split(counts)
    first = torch.zeros((), dtype=torch.long)
    loss = torch.stack([F.cross_entropy(part, first) for part in parts]).mean()
    optimizer.zero_grad()
    torch.autograd.backward(loss)
    torch.nn.utils.clip_grad_norm_(model.parameters(), _CLIP)
    optimizer.step()
    return loss.item()


def _optimizer(model: CrossEncoder, config: CrossConfig) -> torch.optim.Optimizer:
    inner = [p for p in model.encoder.parameters() if p.requires_grad]
    groups = [
        {"params": inner, "lr": config.learning_rate, "initial_lr": config.learning_rate},
        {
            "params": list(model.score.parameters()),
            "lr": config.head_rate,
            "initial_lr": config.head_rate,
        },
    ]
    return torch.optim.AdamW(groups, weight_decay=0.01, fused=True)


def _rate(step: int, config: CrossConfig) -> float:
    rising = max(1, int(config.warm_up * config.steps))
    if step < rising:
        return (step + 1) / rising
    return (config.steps - step) / max(1, config.steps - rising)

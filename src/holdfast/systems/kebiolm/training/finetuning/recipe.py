"""Compares encoders on a task: each is fine-tuned with several seeds, and answers the test split.

A finished run is kept as a file, so that a comparison that was stopped goes on with the next.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import torch
from torch import nn

from holdfast import artifacts
from holdfast.errors import UsageError
from holdfast.evaluate.kebiolm.fine_tuning import ANSWERS, KIND, VERSION
from holdfast.experiments.recipe import Recipe
from holdfast.experiments.settings import read_parts
from holdfast.files import write_durably
from holdfast.models import find_model
from holdfast.progress import Log
from holdfast.systems.kebiolm.training.finetuning.data import load_sentences
from holdfast.systems.kebiolm.training.finetuning.train import TuneConfig, fine_tune
from holdfast.systems.kebiolm.training.pretraining.model import KnowledgeTokens
from holdfast.systems.kebiolm.training.pretraining.saved import is_knowledge, open_knowledge
from holdfast.training.token_encoder import (
    MINILM,
    TransformerTokens,
    open_token_encoder,
    open_tokenizer,
)

PLAIN: Final = " plain"
"""What is written after the name of a model whose entity memory is left out."""


@dataclass(frozen=True, slots=True)
class CompareConfig:
    """What is compared on what."""

    task: str = "ncbi"
    encoders: tuple[str, ...] = (MINILM, "kebiolm-twin", f"kebiolm{PLAIN}", "kebiolm")
    seeds: int = 1
    most_sentences: int = 5000  # of training, at most


def compare_recipe(
    recipe: Recipe, *, data: Path, out: Path, report: Log, encoder: Path | None = None
) -> None:
    """Fine-tune and answer; `encoder` is a Hugging Face folder to take instead of the recipe's."""
    config, own = read_parts(recipe, TuneConfig, CompareConfig)
    encoders = own.encoders if encoder is None else (str(encoder),)
    work = out.with_name(f"{out.name}-checkpoints")
    answers = dict[str, Any]()
    for name in encoders:
        for seed in range(own.seeds):
            report(f"{own.task}, {_shown(name)}, seed {seed}")
            found = _run(name, seed, config, own, data=data, work=work, report=report)
            answers.setdefault(_shown(name), {})[str(seed)] = found
    with artifacts.publish(out) as scratch:
        (scratch / ANSWERS).write_text(json.dumps(answers), encoding="utf-8")
        about = {
            "recipes": [recipe.name],
            "task": own.task,
            "settings": {**asdict(config), "most_sentences": own.most_sentences},
        }
        artifacts.write_manifest(scratch, kind=KIND, version=VERSION, config=about)


def _run(
    name: str,
    seed: int,
    config: TuneConfig,
    own: CompareConfig,
    *,
    data: Path,
    work: Path,
    report: Log,
) -> dict[str, Any]:
    """One training, or what it answered if it is done."""
    folder = work / f"{_shown(name).replace(' ', '-')}-{seed}"
    asked = {"task": own.task, "encoder": _digest(name), "most": own.most_sentences}
    asked |= {**asdict(config), "threads": 0}
    done = folder / "done.json"
    if done.exists():
        stored: dict[str, Any] = json.loads(done.read_text(encoding="utf-8"))
        if stored["asked"] != json.loads(json.dumps(asked)):
            raise UsageError(f"{done}: a run with other settings; delete it to begin anew")
        return {key: value for key, value in stored.items() if key != "asked"}
    tokenizer = open_tokenizer(_folder(name))
    sentences = load_sentences(
        own.task, tokenizer, data=data, longest=config.longest, most=own.most_sentences
    )
    sizes = {"longest": config.longest, "dev_sentences": config.dev_sentences}
    about = {"task": own.task, "encoder": _digest(name), "most": own.most_sentences, **sizes}
    torch.manual_seed(seed)
    best, rows = fine_tune(
        open_encoder(name), sentences, config, seed=seed, folder=folder, about=about, report=report
    )
    found = {"dev_f1": best, "labels": sentences.labels, "rows": rows.tolist()}
    write_durably(done, json.dumps({"asked": asked, **found}).encode())
    for left in ("run", "best.safetensors"):
        path = folder / left
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    return found


def open_encoder(name: str) -> nn.Module:
    """An encoder with its entity memory, or without it if the name ends in "plain".

    The embeddings of tokens are trained too: markers of entities are tokens that were never seen.
    """
    folder = _folder(name)
    if folder != MINILM and is_knowledge(Path(folder)) and not name.endswith(PLAIN):
        knowledge = open_knowledge(Path(folder))
        if knowledge.model.shape.knowledge:
            whole = KnowledgeTokens(knowledge.model)
            knowledge.model.network.embedding.weight.requires_grad = True
            return whole
    encoder = open_token_encoder(folder)
    if isinstance(encoder, TransformerTokens):
        encoder.network.embedding.weight.requires_grad = True
    return encoder


def _folder(name: str) -> str:
    bare = name.removesuffix(PLAIN)
    if bare == MINILM or (Path(bare) / "config.json").exists():
        return bare
    return str(find_model(bare))


def _digest(name: str) -> str:
    """What identifies the encoder: a digest of a model's files, or the name."""
    folder = Path(_folder(name))
    if not (folder / artifacts.MANIFEST).exists():
        return _shown(name)
    text = (folder / artifacts.MANIFEST).read_text(encoding="utf-8")
    suffix = PLAIN if name.endswith(PLAIN) else ""
    return f"{json.loads(text)['sha256']}{suffix}"


def _shown(name: str) -> str:
    """Without the folders that it lies in."""
    return Path(name).name

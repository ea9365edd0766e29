"""Trains a name encoder from its recipe, over the open knowledge base."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from holdfast import artifacts
from holdfast.corpora.named.splits import parse_splits
from holdfast.experiments.recipe import Recipe
from holdfast.experiments.recipe_kb import kb_of
from holdfast.experiments.settings import read_config
from holdfast.systems.rescnn.training.name_model import NameModelConfig, train_name_model
from holdfast.training.pretrained import find_encoder

_TEXTS: Final = "text/elife/abstracts.jsonl.gz"


def train_encoder(
    recipe: Recipe,
    *,
    data: Path,
    out: Path,
    report: Callable[[str], None],
    encoder: Path | None = None,
) -> artifacts.Manifest:
    """Train what the recipe describes and write the model folder `out`.

    Checkpoints are kept beside it, so that a run that was stopped goes on. `encoder` is the
    Hugging Face folder whose token embeddings it begins with; MiniLM's by default.
    """
    config = replace(
        read_config(NameModelConfig, recipe),
        name=recipe.name,
        training=tuple(parse_splits(recipe.trained.on)),
        evaluated=tuple(parse_splits(recipe.trained.held_out)),
    )
    return train_name_model(
        config,
        kb=kb_of(recipe, data=data),
        encoder=encoder or find_encoder(),
        data=data,
        texts=_texts(data / _TEXTS),
        work=out.with_name(f"{out.name}-checkpoints"),
        out=out,
        report=report,
    )


def _texts(path: Path) -> Iterator[str]:
    """Abstracts for word pieces; nothing where they are not at hand."""
    if path.exists():
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            for line in stream:
                yield json.loads(line)["abstract"]

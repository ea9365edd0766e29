"""Documents to choose by that no model of a recipe has learned from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from holdfast.corpora.named import load_training
from holdfast.corpora.named.splits import parse_splits
from holdfast.document import Document
from holdfast.experiments.recipe import Recipe
from holdfast.models import manifest_of


@dataclass(frozen=True, slots=True)
class Unseen:
    """The documents, and what the models have learned from."""

    documents: Sequence[Document]
    training_data: tuple[str, ...]


def unseen_documents(
    recipe: Recipe, folders: Iterable[Path], *, data: Path, report: Callable[[str], None]
) -> Unseen:
    """The recipe's `select`, without documents that are evaluated or that a model has seen."""
    learned = training_data_of(folders)
    seen = [*recipe.evaluated, *parse_splits(learned)]
    unseen = load_training(parse_splits([recipe.trained.select]), evaluated=seen, data=data)
    for part in unseen.parts:
        report(str(part))
    return Unseen(tuple(unseen.documents), tuple(learned))


def training_data_of(folders: Iterable[Path]) -> list[str]:
    """The splits that models have learned from, each once."""
    learned = (split for folder in folders for split in manifest_of(folder).config["training_data"])
    return list(dict.fromkeys(learned))

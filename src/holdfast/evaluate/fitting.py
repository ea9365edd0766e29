"""The name encoders that rankers are fitted with: for each document, one that has not seen it.

A ranker must learn how far to trust the encoder that it will work with. That one was tuned on
corpora, and is better on documents that it was tuned on than it will be on others; one that was
tuned on none is worse. Tuned on one half of the documents, an encoder is on the other half what the
finished one is on new documents.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from holdfast.corpora.named.halves import half_of_id
from holdfast.errors import UsageError
from holdfast.evaluate.recipe import Recipe
from holdfast.evaluate.run import model_folder
from holdfast.names.encoder import NameEncoder

HALVES: Final = ("encoder-half-1", "encoder-half-2")
REST: Final = "encoder-train"


@dataclass(frozen=True, slots=True)
class FittingEncoders:
    """Encoders by what they were tuned on."""

    first: NameEncoder  # half 1 of the train splits
    second: NameEncoder  # half 2
    train: NameEncoder  # both halves, and no development document

    @classmethod
    def alike(cls, encoder: NameEncoder) -> FittingEncoders:
        """One encoder that has seen no document at all."""
        return cls(encoder, encoder, encoder)

    def unseen_by(self, document_id: str, split: str) -> NameEncoder:
        """One that was not tuned on the document, which stands in a split of this name."""
        if split != "train":
            return self.train
        return self.second if half_of_id(document_id) == 1 else self.first


def fitting_encoders(recipe: Recipe, folder: Path | None) -> FittingEncoders | None:
    """Those that the recipe's linker is fitted with; None if it does without any.

    `folder` holds the only one, where one is named.
    """
    if "dense" in recipe.without:
        return None
    if folder is not None:
        return FittingEncoders.alike(_open(folder))
    first, second, train = (_open(model_folder(name)) for name in (*HALVES, REST))
    return FittingEncoders(first, second, train)


def _open(folder: Path) -> NameEncoder:
    if not folder.exists():
        raise UsageError(f"{folder}: not there; first `holdfast train {folder.name}`")
    return NameEncoder.open(folder)

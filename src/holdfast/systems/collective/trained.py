"""The dual encoders that were trained here, by the recipes of this project: none ships.

Training writes each in 32 and in 8 bits; the latter is taken, which is a quarter as large.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Final

from holdfast import artifacts
from holdfast.errors import UsageError
from holdfast.kb.store import KnowledgeBase
from holdfast.link.joined import WIDTH, JoinedLinker
from holdfast.link.ranking.shipped import shipped_linker
from holdfast.systems.collective.linker import CollectiveAnnotator, CollectiveLinker
from holdfast.systems.collective.model import SMALL

_TOP: Final = 5


def trained_linker(
    kb: KnowledgeBase, *, recipe: str, only: Collection[str] | None = None, top: int = _TOP
) -> CollectiveLinker:
    """Links marked mentions."""
    return CollectiveLinker.open(trained_folder(recipe), kb, only=only, top=top)


def joined_linker(
    kb: KnowledgeBase, *, recipe: str, only: Collection[str] | None = None, top: int = _TOP
) -> JoinedLinker:
    """Links marked mentions, by names as well."""
    named = shipped_linker(kb, only=only, top=WIDTH)
    return JoinedLinker(named, trained_linker(kb, recipe=recipe, only=only, top=WIDTH), top=top)


def trained_annotator(
    kb: KnowledgeBase, *, recipe: str, only: Collection[str] | None = None, top: int = _TOP
) -> CollectiveAnnotator:
    """Finds mentions and links them."""
    return CollectiveAnnotator.open(trained_folder(recipe), kb, only=only, top=top)


def trained_folder(recipe: str) -> Path:
    """Where the recipe's model is, in 8 bits."""
    folder = artifacts.home() / "models" / f"{recipe}{SMALL}"
    if not folder.exists():
        raise UsageError(f"{folder}: not there; first `holdfast train {recipe}`")
    return folder

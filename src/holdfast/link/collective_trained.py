"""The dual encoders that were trained here, by the recipes of this project: none ships."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Final

from holdfast import artifacts
from holdfast.errors import UsageError
from holdfast.kb.store import KnowledgeBase
from holdfast.link.collective import CollectiveAnnotator, CollectiveLinker
from holdfast.link.joined import WIDTH, JoinedLinker
from holdfast.link.shipped import shipped_linker

LINKER: Final = "collective-bc5cdr"
ANNOTATOR: Final = "collective-bc5cdr-end-to-end-spans"
_TOP: Final = 5


def trained_linker(
    kb: KnowledgeBase, *, only: Collection[str] | None = None, top: int = _TOP
) -> CollectiveLinker:
    """Links marked mentions."""
    return CollectiveLinker.open(_folder(LINKER), kb, only=only, top=top)


def joined_linker(
    kb: KnowledgeBase, *, only: Collection[str] | None = None, top: int = _TOP
) -> JoinedLinker:
    """Links marked mentions, by names as well."""
    named = shipped_linker(kb, only=only, top=WIDTH)
    return JoinedLinker(named, trained_linker(kb, only=only, top=WIDTH), top=top)


def trained_annotator(
    kb: KnowledgeBase, *, only: Collection[str] | None = None
) -> CollectiveAnnotator:
    """Finds mentions and links them."""
    return CollectiveAnnotator.open(_folder(ANNOTATOR), kb, only=only, top=_TOP)


def _folder(recipe: str) -> Path:
    folder = artifacts.home() / "models" / recipe
    if not folder.exists():
        raise UsageError(f"{folder}: not there; first `holdfast train {recipe}`")
    return folder

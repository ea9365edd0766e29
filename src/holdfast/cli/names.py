"""Makes a knowledge base ready for a model, with a bar where that takes a while."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from holdfast.cli.progress import progress_bar
from holdfast.kb import KnowledgeBase
from holdfast.link.dense_names import dense_index_of
from holdfast.link.shipped import shipped_encoder
from holdfast.models import Chosen

_QUICK: Final = 20_000  # names that take the name encoder no time worth a bar


def prepare(kb: KnowledgeBase, chosen: Chosen) -> None:
    """Encode what the model compares texts with, unless that was done before."""
    if chosen.encodes_names:
        prepare_names(kb)
    if chosen.dual_encoder is not None:
        _prepare_entities(kb, chosen.dual_encoder)


def prepare_names(kb: KnowledgeBase) -> None:
    """Encode and index them, unless that was done before."""
    if kb.names < _QUICK:
        dense_index_of(kb, shipped_encoder())
        return
    with progress_bar(kb.name) as progress:
        dense_index_of(kb, shipped_encoder(), progress=_part_of("encoding names", progress))


def _prepare_entities(kb: KnowledgeBase, folder: Path) -> None:
    from holdfast.link.collective_entities import entity_vectors_of
    from holdfast.link.collective_model import DualEncoderModel

    model = DualEncoderModel.open(folder)
    with progress_bar(kb.name) as progress:
        show = _part_of("encoding entities", progress)
        entity_vectors_of(kb, model, most=model.names, progress=show)


def _part_of(what: str, progress: Callable[[str, float], None]) -> Callable[[float], None]:
    return lambda part: progress(what, part)

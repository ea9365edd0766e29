"""The models that come with the package: the name encoder, and the linker fitted with it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache
from pathlib import Path
from typing import Final

from holdfast.encoders.names import NameEncoder
from holdfast.kb.store import KnowledgeBase
from holdfast.link.ranking.dense_names import name_vectors_of
from holdfast.link.ranking.linker import RankedLinker

WEIGHTS: Final = Path(__file__).parents[2] / "weights"
ENCODER: Final = WEIGHTS / "names"
LINKER: Final = WEIGHTS / "linker"


@cache
def shipped_encoder() -> NameEncoder:
    return NameEncoder.open(ENCODER)


def shipped_linker(
    kb: KnowledgeBase,
    *,
    only: Collection[str] | None = None,
    top: int = 5,
    progress: Callable[[float], None] | None = None,
) -> RankedLinker:
    """The linker that `holdfast link` uses.

    With a knowledge base that it meets for the first time it first makes a dense index of its
    names, which `progress` reports; where that cannot be kept it links with less.
    """
    dense = name_vectors_of(kb, shipped_encoder(), progress=progress)
    return RankedLinker.open(LINKER, kb, dense=dense, only=only, top=top)

"""Makes a knowledge base's names ready for the linker, with a bar where that takes a while."""

from __future__ import annotations

from typing import Final

from holdfast.cli.progress import progress_bar
from holdfast.kb import KnowledgeBase
from holdfast.link.dense_names import dense_index_of
from holdfast.link.shipped import shipped_encoder

_QUICK: Final = 20_000  # names that take no time worth a bar


def prepare_names(kb: KnowledgeBase) -> None:
    """Encode and index them, unless that was done before."""
    if kb.names < _QUICK:
        dense_index_of(kb, shipped_encoder())
        return
    with progress_bar(kb.name) as progress:
        dense_index_of(
            kb, shipped_encoder(), progress=lambda part: progress("encoding names", part)
        )

"""The model folders that ship, opened once for all tests that need one."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Final

from holdfast.detect.tagger import Tagger
from holdfast.detect.trained import TrainedDetector
from holdfast.encoders.names import NameEncoder, open_name_encoder
from holdfast.kb import KnowledgeBase
from holdfast.models import WEIGHTS

DETECTOR: Final = WEIGHTS / "detector"
LINKER: Final = WEIGHTS / "linker"
ENCODER: Final = WEIGHTS / "encoder"


@cache
def shipped_tagger() -> Tagger:
    return Tagger.open(DETECTOR)


def shipped_encoder() -> NameEncoder:
    return open_name_encoder(ENCODER)


def shipped_detector(kb: KnowledgeBase, *, only: Collection[str] | None = None) -> TrainedDetector:
    """The detector of the default model over a knowledge base."""
    return TrainedDetector(kb, tagger=shipped_tagger(), only=only)

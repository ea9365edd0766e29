"""The kind of the name encoder: no step, but what a name ranker compares names by."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from holdfast.errors import UsageError
from holdfast.kb.store import KnowledgeBase
from holdfast.progress import Progress
from holdfast.step import Options, Roles, Step


class NameEncoderKind:
    """ResCNN: a name in, a vector out."""

    name = "name encoder"
    trainer = "holdfast.systems.rescnn.training.recipe:train_encoder"

    def roles(self, config: Mapping[str, Any]) -> Roles:  # noqa: ARG002
        return Roles()

    def prepare(self, folder: Path, kb: KnowledgeBase, progress: Progress) -> None:
        """The ranker that uses it encodes the names."""

    def open(self, folder: Path, kb: KnowledgeBase, options: Options) -> Step:  # noqa: ARG002
        raise UsageError(f"{folder}: holds a {self.name}, which cannot link by itself")

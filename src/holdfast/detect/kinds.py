"""The kinds of detectors: by the names of the knowledge base alone, or by a trained tagger too."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from holdfast.kb.store import KnowledgeBase
from holdfast.progress import Progress
from holdfast.step import MENTIONS, Each, Options, Roles, Step, roles
from holdfast.types import TYPES


class DictionaryKind:
    """Every name that the knowledge base lists; nothing is trained."""

    name = "dictionary detector"
    trainer = ""

    def roles(self, config: Mapping[str, Any]) -> Roles:  # noqa: ARG002
        return roles(adds=[MENTIONS], nests=True)

    def prepare(self, folder: Path, kb: KnowledgeBase, progress: Progress) -> None:
        """It needs the indexes of the knowledge base only."""

    def open(self, folder: Path, kb: KnowledgeBase, options: Options) -> Step:  # noqa: ARG002
        from holdfast.detect.dictionary import DictionaryDetector

        return Each(DictionaryDetector(kb, only=options.only, nested=options.nested))


class TaggerKind:
    """A network that tags words in which the knowledge base's names are marked."""

    name = "detector"
    trainer = "holdfast.detect.training.train:train_detector"

    def roles(self, config: Mapping[str, Any]) -> Roles:
        own = [type for type in config.get("types", ()) if type not in TYPES]
        return roles(adds=[MENTIONS], nests=True, types=own)

    def prepare(self, folder: Path, kb: KnowledgeBase, progress: Progress) -> None:
        """It needs the indexes of the knowledge base only."""

    def open(self, folder: Path, kb: KnowledgeBase, options: Options) -> Step:
        from holdfast.detect.tagger import Tagger
        from holdfast.detect.trained import TrainedDetector

        tagger = Tagger.open(folder, threads=options.threads)
        return TrainedDetector(
            kb,
            tagger=tagger,
            only=options.only,
            nested=options.nested,
            threads=options.threads,
        )

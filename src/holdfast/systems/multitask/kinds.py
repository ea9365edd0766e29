"""The kinds of the multi-task system: the model, readings of it, and it with a name linker."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from holdfast.errors import ArtifactError
from holdfast.kb.store import KnowledgeBase
from holdfast.link.kinds import RankerKind
from holdfast.models import find_model, manifest_of
from holdfast.progress import Progress
from holdfast.step import LINKS, MENTIONS, TYPES, Options, Roles, Step, roles
from holdfast.systems.multitask.shape import (
    LINKING,
    MULTITASK,
    READING,
    SWITCHED,
    TYPING,
    shape_of,
)

_TRAINER: Final = "holdfast.systems.multitask.training.recipe:train_multitask_recipe"


class MultitaskKind:
    """Recognises, types and links in one pass, or does those of them that it was trained for."""

    name = MULTITASK
    trainer = _TRAINER

    def roles(self, config: Mapping[str, Any]) -> Roles:
        shape = shape_of(config)
        adds = [] if shape.needs_mentions else [MENTIONS]
        adds += [TYPES] if TYPING in shape.tasks else []
        adds += [LINKS] if LINKING in shape.tasks else []
        return roles(needs=[MENTIONS] if shape.needs_mentions else [], adds=adds)

    def prepare(self, folder: Path, kb: KnowledgeBase, progress: Progress) -> None:
        """Its classes are its own."""

    def open(self, folder: Path, kb: KnowledgeBase, options: Options) -> Step:
        from holdfast.systems.multitask.annotator import MultitaskAnnotator

        return MultitaskAnnotator.open(
            folder, kb, only=options.only, top=options.top, threads=options.threads
        )


class ReadingKind:
    """A model per token whose mentions are where another of its tasks says."""

    name = READING
    trainer = ""  # written beside the model that it reads

    def roles(self, config: Mapping[str, Any]) -> Roles:
        return MultitaskKind().roles(config)

    def prepare(self, folder: Path, kb: KnowledgeBase, progress: Progress) -> None:
        """Its classes are its own."""

    def open(self, folder: Path, kb: KnowledgeBase, options: Options) -> Step:
        from holdfast.systems.multitask.annotator import MultitaskAnnotator

        return MultitaskAnnotator.open(
            part_of(folder, "model", MULTITASK),
            kb,
            only=options.only,
            top=options.top,
            read=str(manifest_of(folder).config["read"]),
            threads=options.threads,
        )


class SwitchedKind:
    """A model and a name ranker; a switch that was fitted decides which of them links a mention."""

    name = SWITCHED
    trainer = "holdfast.systems.multitask.training.fallback:train_switch"

    def roles(self, config: Mapping[str, Any]) -> Roles:  # noqa: ARG002
        return roles(adds=[MENTIONS, TYPES, LINKS])

    def prepare(self, folder: Path, kb: KnowledgeBase, progress: Progress) -> None:
        """Encode and index the names of the knowledge base, for the ranker."""
        RankerKind().prepare(part_of(folder, "linker", RankerKind.name), kb, progress)

    def open(self, folder: Path, kb: KnowledgeBase, options: Options) -> Step:
        from holdfast.systems.multitask.annotator import MultitaskAnnotator
        from holdfast.systems.multitask.model import MultitaskModel
        from holdfast.systems.multitask.switch import Switch

        model = part_of(folder, "model", MULTITASK)
        linker = part_of(folder, "linker", RankerKind.name)
        return MultitaskAnnotator(
            MultitaskModel.open(model, threads=options.threads),
            kb,
            names=RankerKind().open(linker, kb, options),
            switch=Switch.from_json(manifest_of(folder).config["switch"]),
            only=options.only,
            top=options.top,
        )


def part_of(folder: Path, key: str, kind: str) -> Path:
    """The folder of a part that the manifest names; ArtifactError if it is of another kind."""
    part = find_model(str(manifest_of(folder).config.get(key, "")), beside=folder)
    if manifest_of(part).kind != kind:
        raise ArtifactError(
            f"{folder}: its {key} is a {manifest_of(part).kind} instead of a {kind}"
        )
    return part

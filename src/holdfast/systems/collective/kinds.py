"""The kinds of the collective system: the dual encoder, its rivals, and two linkers joined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from holdfast.errors import ArtifactError, UsageError
from holdfast.kb.store import KnowledgeBase
from holdfast.link.kinds import RankerKind
from holdfast.models import find_model, manifest_of
from holdfast.progress import Progress
from holdfast.step import LINKS, MENTIONS, Options, Roles, Step, roles

if TYPE_CHECKING:
    from holdfast.systems.collective.linker import CollectiveLinker

_TRAINER: Final = "holdfast.systems.collective.training.recipe:train_collective"
_ENCODING: Final = "encoding entities"


class DualEncoderKind:
    """Mentions and entities as vectors; with detection, it finds mentions in the same pass."""

    name = "dual encoder"
    trainer = _TRAINER

    def roles(self, config: Mapping[str, Any]) -> Roles:
        if config.get("detection"):
            return roles(adds=[MENTIONS, LINKS])
        return roles(needs=[MENTIONS], adds=[LINKS])

    def prepare(self, folder: Path, kb: KnowledgeBase, progress: Progress) -> None:
        """Encode the names of the knowledge base's entities."""
        from holdfast.systems.collective.entities import entity_vectors_of
        from holdfast.systems.collective.model import DualEncoderModel

        model = DualEncoderModel.open(folder)
        entity_vectors_of(
            kb, model, most=model.names, must_keep=True, progress=partial(progress, _ENCODING)
        )

    def open(self, folder: Path, kb: KnowledgeBase, options: Options) -> Step:
        from holdfast.systems.collective.linker import CollectiveAnnotator

        linker = open_linker(folder, kb, options)
        if linker.model.detection:
            return CollectiveAnnotator(linker, only=options.only)
        return linker


def open_linker(folder: Path, kb: KnowledgeBase, options: Options) -> CollectiveLinker:
    """The dual encoder as a linker of given mentions, also where it could find them itself."""
    from holdfast.systems.collective.linker import CollectiveLinker

    detects = bool(manifest_of(folder).config.get("detection"))
    return CollectiveLinker.open(
        folder,
        kb,
        only=None if detects else options.only,  # what is found is typed by its entity first
        top=options.top,
        threads=options.threads,
        progress=partial(options.progress, _ENCODING),
    )


class EntityEncoderKind:
    """The network of names that several dual encoders share: no step of its own."""

    name = "entity encoder"
    trainer = ""

    def roles(self, config: Mapping[str, Any]) -> Roles:  # noqa: ARG002
        return Roles()

    def prepare(self, folder: Path, kb: KnowledgeBase, progress: Progress) -> None:
        """The dual encoders that share it encode the names."""

    def open(self, folder: Path, kb: KnowledgeBase, options: Options) -> Step:  # noqa: ARG002
        raise UsageError(f"{folder}: holds an {self.name}, which cannot link by itself")


class CrossEncoderKind:
    """Ranks the candidates of another linker anew, each read together with the mention."""

    name = "cross-encoder"
    trainer = _TRAINER

    def roles(self, config: Mapping[str, Any]) -> Roles:  # noqa: ARG002
        return roles(needs=[LINKS], adds=[LINKS])

    def prepare(self, folder: Path, kb: KnowledgeBase, progress: Progress) -> None:
        """It reads names as they come."""

    def open(self, folder: Path, kb: KnowledgeBase, options: Options) -> Step:  # noqa: ARG002
        from holdfast.systems.collective.cross import CrossEncoderModel, CrossEncoderRanker

        return CrossEncoderRanker(CrossEncoderModel.open(folder, threads=options.threads))


class Bm25Kind:
    """Entities whose names share words with the mention; nothing is learned."""

    name = "bm25 linker"
    trainer = ""

    def roles(self, config: Mapping[str, Any]) -> Roles:  # noqa: ARG002
        return roles(needs=[MENTIONS], adds=[LINKS])

    def prepare(self, folder: Path, kb: KnowledgeBase, progress: Progress) -> None:
        """The index is made in memory."""

    def open(self, folder: Path, kb: KnowledgeBase, options: Options) -> Step:  # noqa: ARG002
        from holdfast.systems.collective.bm25 import Bm25Linker

        return Bm25Linker(kb, only=options.only, top=options.top)


class JoinedKind:
    """A name ranker and a dual encoder over the same mentions, their probabilities multiplied."""

    name = "joined linkers"
    trainer = "holdfast.systems.collective.training.joined:train_joined"

    def roles(self, config: Mapping[str, Any]) -> Roles:  # noqa: ARG002
        return roles(needs=[MENTIONS], adds=[LINKS])

    def prepare(self, folder: Path, kb: KnowledgeBase, progress: Progress) -> None:
        """Encode names for both."""
        named, read = _linkers_of(folder)
        RankerKind().prepare(named, kb, progress)
        DualEncoderKind().prepare(read, kb, progress)

    def open(self, folder: Path, kb: KnowledgeBase, options: Options) -> Step:
        from holdfast.systems.collective.joined import WIDTH, JoinedLinker

        named, read = _linkers_of(folder)
        wider = replace(options, top=WIDTH)
        return JoinedLinker(
            RankerKind().open(named, kb, wider),
            open_linker(read, kb, wider),
            weight=float(manifest_of(folder).config["weight"]),
            top=options.top,
        )


def _linkers_of(folder: Path) -> list[Path]:
    """The folders of the name ranker and of the dual encoder."""
    names = manifest_of(folder).config.get("linkers", ())
    found = [find_model(name, beside=folder) for name in names]
    kinds = [manifest_of(part).kind for part in found]
    if kinds != [RankerKind.name, DualEncoderKind.name]:
        raise ArtifactError(
            f"{folder}: joins {', '.join(kinds) or 'nothing'} instead of a {RankerKind.name} and "
            f"a {DualEncoderKind.name}"
        )
    return found

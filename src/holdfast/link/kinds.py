"""The kinds of linkers that go by names: with nothing learned, or ranked by what was learned."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.kb.store import KnowledgeBase
from holdfast.models import find_model, manifest_of
from holdfast.progress import Progress
from holdfast.step import LINKS, MENTIONS, Each, Options, Roles, Step, roles

if TYPE_CHECKING:
    from holdfast.encoders.names import NameEncoder


class NameLinkerKind:
    """Equal names, then names that look alike; nothing is learned."""

    name = "name linker"
    trainer = ""

    def roles(self, config: Mapping[str, Any]) -> Roles:  # noqa: ARG002
        return roles(needs=[MENTIONS], adds=[LINKS])

    def prepare(self, folder: Path, kb: KnowledgeBase, progress: Progress) -> None:
        """It needs the indexes of the knowledge base only."""

    def open(self, folder: Path, kb: KnowledgeBase, options: Options) -> Step:  # noqa: ARG002
        from holdfast.link.names import NameLinker

        return Each(NameLinker(kb, only=options.only, top=options.top))


class RankerKind:
    """Candidates by name, ranked by what was learned from annotated documents."""

    name = "name ranker"
    trainer = "holdfast.link.training.train:train_ranked_linker"

    def roles(self, config: Mapping[str, Any]) -> Roles:  # noqa: ARG002
        return roles(needs=[MENTIONS], adds=[LINKS])

    def prepare(self, folder: Path, kb: KnowledgeBase, progress: Progress) -> None:
        """Encode and index the names of the knowledge base."""
        from holdfast.link.ranking.dense_names import dense_index_of

        if encoder := encoder_of(folder):
            dense_index_of(kb, encoder, progress=partial(progress, "encoding names"))

    def open(self, folder: Path, kb: KnowledgeBase, options: Options) -> Step:
        from holdfast.link.ranking.dense_names import name_vectors_of
        from holdfast.link.ranking.linker import RankedLinker

        encoder = encoder_of(folder, threads=options.threads)
        report = partial(options.progress, "encoding names")
        dense = name_vectors_of(kb, encoder, progress=report) if encoder else None
        return RankedLinker.open(folder, kb, dense=dense, only=options.only, top=options.top)


def encoder_of(folder: Path, *, threads: int | None = None) -> NameEncoder | None:
    """The name encoder that a ranker was fitted for; None if it does without."""
    from holdfast.encoders.names import open_name_encoder

    encoder = manifest_of(folder).config.get("encoder")
    if not encoder:
        return None
    return open_name_encoder(find_model(encoder["model"], beside=folder), threads=threads)

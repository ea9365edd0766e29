"""The kinds of KeBioLM: relation models, which are steps, and what only other trainers use."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from holdfast.errors import UsageError
from holdfast.kb.store import KnowledgeBase
from holdfast.progress import Progress
from holdfast.step import LINKS, RELATIONS, Options, Roles, Step, roles
from holdfast.systems.kebiolm.relations.pairs import RELATION_MODEL


class RelationKind:
    """Says which linked entities of a document are related, as far as the document says so."""

    name = RELATION_MODEL
    trainer = "holdfast.systems.kebiolm.training.relations.recipe:train_relation_recipe"

    def roles(self, config: Mapping[str, Any]) -> Roles:  # noqa: ARG002
        return roles(needs=[LINKS], adds=[RELATIONS])

    def prepare(self, folder: Path, kb: KnowledgeBase, progress: Progress) -> None:
        """It looks at a document's own entities alone."""

    def open(self, folder: Path, kb: KnowledgeBase, options: Options) -> Step:
        from holdfast.systems.kebiolm.relations.relater import Relater

        return Relater.open(folder, kb, threads=options.threads)


class _NoStep:
    """A model folder that no document goes through."""

    name = ""

    def roles(self, config: Mapping[str, Any]) -> Roles:  # noqa: ARG002
        return Roles()

    def prepare(self, folder: Path, kb: KnowledgeBase, progress: Progress) -> None:
        """It is used by trainers and measurements alone."""

    def open(self, folder: Path, kb: KnowledgeBase, options: Options) -> Step:  # noqa: ARG002
        raise UsageError(f"{folder}: holds a {self.name}, which cannot link by itself")


class TransEKind(_NoStep):
    """Vectors of entities and relations, learned from a knowledge base's triples."""

    name = "transe"
    trainer = "holdfast.systems.kebiolm.training.transe_recipe:train_transe_recipe"


class AnnotatedTextKind(_NoStep):
    """Text that a linker annotated, to pre-train on."""

    name = "annotated text"
    trainer = "holdfast.systems.kebiolm.training.pretraining.annotate:annotate_recipe"


class KnowledgeModelKind(_NoStep):
    """KeBioLM: a BERT with an entity memory, to begin other trainings with."""

    name = "knowledge language model"
    trainer = "holdfast.systems.kebiolm.training.pretraining.recipe:pretrain_recipe"


class ComparisonKind(_NoStep):
    """Encoders fine-tuned on one task at equal cost, and what each answered."""

    name = "fine-tuned comparison"
    trainer = "holdfast.systems.kebiolm.training.finetuning.recipe:compare_recipe"

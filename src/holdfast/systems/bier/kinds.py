"""The kinds of BIER: the model that adds types, and the linker's candidates weighed by types."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from holdfast.errors import UsageError
from holdfast.kb.store import KnowledgeBase
from holdfast.models import find_model, manifest_of
from holdfast.progress import Progress
from holdfast.step import LINKS, MENTIONS, TYPES, Options, Roles, Step, roles

AGREEMENT: Final = "type agreement"


class TypingKind:
    """Says what kind of thing each mention is; also the model that reads descriptions."""

    name = "typing model"
    trainer = "holdfast.systems.bier.training.recipe:train_typing_recipe"

    def roles(self, config: Mapping[str, Any]) -> Roles:
        reads = config.get("reads", "mentions")
        return roles(needs=[MENTIONS], adds=[TYPES]) if reads == "mentions" else roles()

    def prepare(self, folder: Path, kb: KnowledgeBase, progress: Progress) -> None:
        """Its types are its own."""

    def open(self, folder: Path, kb: KnowledgeBase, options: Options) -> Step:  # noqa: ARG002
        from holdfast.systems.bier.adder import TypeAdder
        from holdfast.systems.bier.model import TypingModel

        return TypeAdder(TypingModel.open(folder, threads=options.threads))


class LabelClassifierKind:
    """A classifier of labels over the encoder of a typing model; measured, and no step."""

    name = "label classifier"
    trainer = "holdfast.systems.bier.training.classifier:train_classifier"

    def roles(self, config: Mapping[str, Any]) -> Roles:  # noqa: ARG002
        return roles()

    def prepare(self, folder: Path, kb: KnowledgeBase, progress: Progress) -> None:
        """It knows no knowledge base."""

    def open(self, folder: Path, kb: KnowledgeBase, options: Options) -> Step:  # noqa: ARG002
        raise UsageError(f"{folder}: a label classifier is measured; it adds nothing to documents")


class TypeAgreementKind:
    """Candidates of the linker before it, weighed by how well their types fit the mention's."""

    name = AGREEMENT
    trainer = "holdfast.systems.bier.training.agreement:train_agreement"

    def roles(self, config: Mapping[str, Any]) -> Roles:  # noqa: ARG002
        return roles(needs=[LINKS], adds=[LINKS])

    def prepare(self, folder: Path, kb: KnowledgeBase, progress: Progress) -> None:
        """The types of candidates are read from the hierarchy as they come."""

    def open(self, folder: Path, kb: KnowledgeBase, options: Options) -> Step:
        from holdfast.systems.bier.agreement import AgreementWeights, TypeAgreement
        from holdfast.systems.bier.model import TypingModel

        manifest = manifest_of(folder)
        model = find_model(str(manifest.config["model"]), beside=folder)
        return TypeAgreement(
            kb,
            TypingModel.open(model, threads=options.threads),
            AgreementWeights(**manifest.config["weights"]),
            digest=manifest.digest,
        )

"""The one table of kinds of model folders.

A new system has a folder under `systems/`, a kind, and a line here: see docs/add_a_component.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from holdfast import artifacts
from holdfast.detect.kinds import DictionaryKind, TaggerKind
from holdfast.errors import ArtifactError
from holdfast.link.kinds import NameLinkerKind, RankerKind
from holdfast.models import manifest_of
from holdfast.step import Kind, Roles
from holdfast.systems.bier.kinds import LabelClassifierKind, TypeAgreementKind, TypingKind
from holdfast.systems.collective.kinds import (
    Bm25Kind,
    CrossEncoderKind,
    DualEncoderKind,
    EntityEncoderKind,
    JoinedKind,
)
from holdfast.systems.kebiolm.kinds import (
    AnnotatedTextKind,
    ComparisonKind,
    KnowledgeModelKind,
    RelationKind,
    TransEKind,
)
from holdfast.systems.multitask.kinds import MultitaskKind, ReadingKind, SwitchedKind
from holdfast.systems.rescnn.kind import NameEncoderKind

KINDS: Final[dict[str, Kind]] = {
    kind.name: kind
    for kind in (
        DictionaryKind(),
        TaggerKind(),
        NameLinkerKind(),
        RankerKind(),
        NameEncoderKind(),
        DualEncoderKind(),
        EntityEncoderKind(),
        CrossEncoderKind(),
        Bm25Kind(),
        JoinedKind(),
        MultitaskKind(),
        ReadingKind(),
        SwitchedKind(),
        TypingKind(),
        LabelClassifierKind(),
        TypeAgreementKind(),
        RelationKind(),
        TransEKind(),
        AnnotatedTextKind(),
        KnowledgeModelKind(),
        ComparisonKind(),
    )
}


def kind_of(folder: Path) -> Kind:
    """The kind of a model folder; ArtifactError if this Holdfast does not know it."""
    name = manifest_of(folder).kind
    if name not in KINDS:
        raise ArtifactError(
            f"{folder}: holds a {name}, which is no model that this Holdfast knows; there is: "
            f"{', '.join(KINDS)}"
        )
    return KINDS[name]


def roles_of(folder: Path) -> Roles:
    """What the model in a folder needs and adds."""
    manifest: artifacts.Manifest = manifest_of(folder)
    return kind_of(folder).roles(manifest.config)

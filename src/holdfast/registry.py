"""One visible table of what can be put into a pipeline, by name.

To add a component, write it in its folder and give it a line here: see docs/add_a_component.md.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol, TypeVar, cast

from holdfast.detect.dictionary import DictionaryDetector
from holdfast.document import Document
from holdfast.errors import UsageError
from holdfast.kb.store import KnowledgeBase
from holdfast.link.names import NameLinker
from holdfast.link.species_genes import genes_by_species

LINKING_RECIPE: Final = "collective-bc5cdr"
"""The recipe of the dual encoder that links, once it was trained here."""
FINDING_RECIPE: Final = "collective-bc5cdr-end-to-end-spans"
"""The same of the one that finds and links."""

Component = TypeVar("Component")
Step = Callable[[Document], Document]


class MakeDetector(Protocol):
    def __call__(self, kb: KnowledgeBase, *, only: Collection[str] | None) -> Step: ...


class MakeNestingDetector(Protocol):
    """Of a detector that can also find mentions inside others."""

    def __call__(
        self, kb: KnowledgeBase, *, only: Collection[str] | None, nested: bool
    ) -> Step: ...


class MakeLinker(Protocol):
    def __call__(self, kb: KnowledgeBase, *, only: Collection[str] | None, top: int) -> Step: ...


def _ranked(kb: KnowledgeBase, *, only: Collection[str] | None, top: int) -> Step:
    from holdfast.link.ranking.shipped import shipped_linker  # its libraries take a while to import

    return genes_by_species(shipped_linker, kb, only=only, top=top)


def _trained(kb: KnowledgeBase, *, only: Collection[str] | None, nested: bool = False) -> Step:
    from holdfast.detect.trained import TrainedDetector  # its libraries take a while to import

    return TrainedDetector(kb, only=only, nested=nested)


def _collective_linker(kb: KnowledgeBase, *, only: Collection[str] | None, top: int) -> Step:
    from holdfast.systems.collective.trained import trained_linker  # its libraries take a while

    return trained_linker(kb, recipe=LINKING_RECIPE, only=only, top=top)


def _joined(kb: KnowledgeBase, *, only: Collection[str] | None, top: int) -> Step:
    from holdfast.systems.collective.trained import joined_linker  # its libraries take a while

    return genes_by_species(partial(joined_linker, recipe=LINKING_RECIPE), kb, only=only, top=top)


def _collective_annotator(kb: KnowledgeBase, *, only: Collection[str] | None, top: int = 1) -> Step:
    from holdfast.systems.collective.trained import trained_annotator  # its libraries take a while

    return trained_annotator(kb, recipe=FINDING_RECIPE, only=only, top=top)


DETECTORS: Final[dict[str, MakeDetector]] = {
    "dictionary": DictionaryDetector,
    "trained": _trained,
    "collective": _collective_annotator,
}
LINKERS: Final[dict[str, MakeLinker]] = {
    "ranked": _ranked,
    "names": NameLinker,
    "collective": _collective_linker,
    "joined": _joined,
}
ANNOTATORS: Final[dict[str, MakeLinker]] = {"collective": _collective_annotator}
"""Detectors that link what they find; as detectors alone, for another linker to link."""


@dataclass(frozen=True, slots=True)
class Model:
    """A detector and a linker that work together, by their names in the tables above."""

    detector: str
    linker: str | None  # None: the detector is one of ANNOTATORS
    about: str  # one line, for `holdfast models`
    dual_encoder: str = ""  # the recipe that trains the dual encoder it takes, if any

    @property
    def encodes_names(self) -> bool:
        """Whether it needs the vectors of the knowledge base's names."""
        return self.linker in ("ranked", "joined")


MODELS: Final[dict[str, Model]] = {
    "default": Model("trained", "ranked", "found by a tagger, ranked by the document"),
    "dictionary": Model("dictionary", "ranked", "names found in the text, ranked by the document"),
    "names": Model("dictionary", "names", "names found in the text, nothing learned"),
    "collective": Model(
        "collective", None, "found and linked in one pass, once trained here", FINDING_RECIPE
    ),
    "joined": Model(
        "trained", "joined", "as default, with a dual encoder, once trained here", LINKING_RECIPE
    ),
}
"""What `holdfast link --model` and `load(model=…)` take, besides folders that were trained."""


def nesting(detector: MakeDetector) -> MakeNestingDetector:
    """The detector, if it can also find mentions inside others; else a UsageError."""
    if "nested" not in inspect.signature(detector).parameters:
        raise UsageError("what finds mentions here finds none inside others; take another model")
    return cast("MakeNestingDetector", detector)


def component(table: Mapping[str, Component], name: str) -> Component:
    """The table's component of that name; UsageError lists those there are."""
    if name not in table:
        raise UsageError(f"no component is called {name!r}; there is: {', '.join(table)}")
    return table[name]

"""One visible table of what can be put into a pipeline, by name.

To add a component, write it in its folder and give it a line here: see docs/add_a_component.md.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Final, Protocol, TypeVar

from holdfast.detect.dictionary import DictionaryDetector
from holdfast.document import Document
from holdfast.errors import UsageError
from holdfast.kb.store import KnowledgeBase
from holdfast.link.names import NameLinker

Component = TypeVar("Component")
Step = Callable[[Document], Document]


class MakeDetector(Protocol):
    def __call__(self, kb: KnowledgeBase, *, only: Collection[str] | None) -> Step: ...


class MakeLinker(Protocol):
    def __call__(self, kb: KnowledgeBase, *, only: Collection[str] | None, top: int) -> Step: ...


def _ranked(kb: KnowledgeBase, *, only: Collection[str] | None, top: int) -> Step:
    from holdfast.link.shipped import shipped_linker  # its libraries take a while to import

    return shipped_linker(kb, only=only, top=top)


DETECTORS: Final[dict[str, MakeDetector]] = {
    "dictionary": DictionaryDetector,
}
LINKERS: Final[dict[str, MakeLinker]] = {
    "ranked": _ranked,
    "names": NameLinker,
}


def component(table: Mapping[str, Component], name: str) -> Component:
    """The table's component of that name; UsageError lists those there are."""
    if name not in table:
        raise UsageError(f"no component is called {name!r}; there is: {', '.join(table)}")
    return table[name]

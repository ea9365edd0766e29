"""From text to linked mentions: the page to read first.

    text ─► Document ─► detect ─► Mention ─► link ─► Candidate + why

A pipeline is a list of steps, and a step is a function from Document to Document. `load` makes
the usual one; any other is `Pipeline([step, …])`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from holdfast import types
from holdfast.document import Document
from holdfast.errors import UsageError
from holdfast.kb.store import KnowledgeBase, open_kb
from holdfast.link.rules import read_rules
from holdfast.models import choose_model, prepare
from holdfast.registry import DETECTORS, LINKERS, Step, component

if TYPE_CHECKING:
    from holdfast.kb.build import Progress

DEFAULT_KB: Final = "open"
DEFAULT_MODEL: Final = "default"
OF_MODEL: Final = ""  # the detector or linker that belongs to the model


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Steps that a document goes through, one after the other."""

    steps: Sequence[Step]

    def __call__(self, text: str | Document) -> Document:
        """The document with all that the steps found. A bare text becomes a Document first."""
        document = _as_document(text)
        for step in self.steps:
            document = step(document)
        return document

    def pipe(self, documents: Iterable[str | Document]) -> Iterator[Document]:
        """Many documents, in order; steps that can work on several at once do."""
        flowing: Iterator[Document] = map(_as_document, documents)
        for step in self.steps:
            together = getattr(step, "pipe", None)
            flowing = map(step, flowing) if together is None else together(flowing)
        return flowing


def _as_document(text: str | Document) -> Document:
    return Document("", text) if isinstance(text, str) else text


def load(
    kb: str | Path | KnowledgeBase = DEFAULT_KB,
    *,
    model: str | Path = DEFAULT_MODEL,
    only: Collection[str] | None = None,
    detector: str | None = OF_MODEL,
    linker: str = OF_MODEL,
    top: int = 5,
    nested: bool = False,
    rules: str | Path | None = None,
    progress: Progress | None = None,
) -> Pipeline:
    """The pipeline that `holdfast link` runs.

    kb        a name that `holdfast kb get` or `kb build` made, a folder, or an open one
    model     a name that `holdfast models` lists, or the folder of a trained linker
    only      types of mentions, e.g. ("disease", "chemical"); by default all but "other"
    detector  what finds mentions, by its name in holdfast.registry; by default the model's;
              None: they are marked already
    linker    what links them, by its name in holdfast.registry; by default the model's
    top       how many candidates each mention keeps
    nested    also find mentions of another type inside a longer one
    rules     a file that blocks, pins or adds names: see holdfast.link.rules
    progress  told what the model makes of a knowledge base that it meets for the first time,
              and which part of it is done
    """
    chosen = choose_model(model)
    find = component(DETECTORS, detector) if detector else chosen.detector
    link = component(LINKERS, linker) if linker else chosen.linker
    if link is None and (detector is None or find is not chosen.detector):
        raise UsageError(f"the model {str(model)!r} links only what it finds itself; take another")
    base = kb if isinstance(kb, KnowledgeBase) else open_kb(kb)
    wanted = None if only is None else parse_types(only)
    said = None if rules is None else read_rules(Path(rules), base)
    if progress is not None:
        prepare(base, chosen, progress)
    steps = list[Step]()
    if detector is not None:
        annotate = chosen.annotator if link is None and not nested else None
        inside = {"nested": True} if nested else {}
        steps.append(
            annotate(base, only=wanted, top=top) if annotate else find(base, only=wanted, **inside)
        )
        steps += [said.find] if said else []
    if link is not None:
        steps.append(link(base, only=wanted, top=top))
    steps += [said.decide] if said else []
    return Pipeline(steps)


def parse_types(names: Collection[str]) -> tuple[str, ...]:
    """Types in any spelling as holdfast.types has them. An unknown one is a UsageError."""
    chosen = []
    for name in names:
        canonical = types.canonical_type(name.strip())
        if canonical not in types.TYPES:
            known = ", ".join(type for type in types.TYPES)
            raise UsageError(f"no type is called {name!r}; there is: {known}")
        chosen.append(canonical)
    return tuple(dict.fromkeys(chosen))

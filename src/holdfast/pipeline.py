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

from holdfast.document import Document
from holdfast.errors import UsageError
from holdfast.kb.mapping import IdMapper
from holdfast.kb.own_types import own_types, parse_types, with_own_types
from holdfast.kb.store import KnowledgeBase, open_kb
from holdfast.link.mapped import MapIds
from holdfast.link.min_score import MinScore
from holdfast.link.rules import read_rules
from holdfast.link.variants.linker import variant_linker
from holdfast.models import choose_model, prepare
from holdfast.registry import DETECTORS, LINKERS, Step, component, nesting

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
        if isinstance(documents, str | bytes | Document) or not isinstance(documents, Iterable):
            raise UsageError(
                f"pipe reads several texts or Documents, not {_shown(documents)}; for one, call "
                "the pipeline itself"
            )
        flowing: Iterator[Document] = map(_as_document, documents)
        for step in self.steps:
            together = getattr(step, "pipe", None)
            flowing = map(step, flowing) if together is None else together(flowing)
        return flowing


def _unseen(_what: str, _done: float) -> None:
    """Takes progress that nobody asked for."""


def _as_document(text: str | Document) -> Document:
    if isinstance(text, str):
        return Document("", text)
    if not isinstance(text, Document):
        raise UsageError(f"a pipeline reads a text or a Document, not {_shown(text)}")
    return text


def _shown(value: object) -> str:
    """A value of the wrong type, shortened, with its type."""
    text = repr(value)
    return f"{text if len(text) <= 60 else text[:57] + '...'} ({type(value).__name__})"


def load(
    kb: str | Path | KnowledgeBase = DEFAULT_KB,
    *,
    model: str | Path = DEFAULT_MODEL,
    only: Collection[str] | None = None,
    detector: str | None = OF_MODEL,
    linker: str = OF_MODEL,
    top: int = 5,
    min_score: float = 0.0,
    nested: bool = False,
    rules: str | Path | None = None,
    map_to: str | None = None,
    progress: Progress | None = None,
) -> Pipeline:
    """The pipeline that `holdfast link` runs.

    kb        a name that `holdfast kb get` or `kb build` made, a folder, or an open one
    model     a name that `holdfast models` lists, or the folder of a trained linker
    only      types of mentions, e.g. ("disease", "chemical"), also such that only the knowledge
              base has; by default all but "other"
    detector  what finds mentions, by its name in holdfast.registry; by default the model's;
              None: they are marked already
    linker    what links them, by its name in holdfast.registry; by default the model's
    top       how many candidates each mention keeps
    min_score links whose candidate scores less become NIL; the candidates stay
    nested    also find mentions of another type inside a longer one
    rules     a file that blocks, pins or adds names: see holdfast.link.rules
    map_to    a vocabulary's prefix, e.g. "UMLS": links are given in its ids: holdfast.link.mapped
    progress  told what the model makes of a knowledge base that it meets for the first time,
              and which part of it is done
    """
    strict = MinScore(min_score)
    chosen = choose_model(model)
    find = component(DETECTORS, detector) if detector else chosen.detector
    link = component(LINKERS, linker) if linker else chosen.linker
    if link is None and (detector is None or find is not chosen.detector):
        raise UsageError(f"the model {str(model)!r} links only what it finds itself; take another")
    base = kb if isinstance(kb, KnowledgeBase) else open_kb(kb)
    wanted = None if only is None else parse_types(only, own_types(base))
    mapped = None if map_to is None else MapIds(IdMapper(base, map_to))
    said = None if rules is None else read_rules(Path(rules), base)
    if link is None or link is chosen.linker:
        prepare(base, chosen, progress or _unseen, must_keep=False)
    base = with_own_types(base, wanted)
    steps = list[Step]()
    if detector is not None:
        annotate = chosen.annotator if link is None else None
        if nested:
            steps.append(nesting(find)(base, only=wanted, nested=True))
        else:
            steps.append(
                annotate(base, only=wanted, top=top) if annotate else find(base, only=wanted)
            )
        steps += [said.find] if said else []
    if link is not None:
        steps.append(link(base, only=wanted, top=top))
    variants = variant_linker(base, only=wanted, top=top)
    steps += [variants] if variants else []
    steps += [strict] if min_score else []
    steps += [said.decide] if said else []
    steps += [mapped] if mapped else []
    return Pipeline(steps)

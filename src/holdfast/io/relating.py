"""What `holdfast relate` does: read, link unless that is done, relate and print."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from rich.console import Console

from holdfast.corpora import ReadReport
from holdfast.document import Document
from holdfast.errors import UsageError
from holdfast.io.inputs import open_inputs
from holdfast.io.output import print_documents
from holdfast.io.progress import counted, progress_bar
from holdfast.io.show.relations import print_relations
from holdfast.kb.store import KnowledgeBase, open_kb
from holdfast.pipeline import Pipeline, load, load_relations, relates
from holdfast.text.safe import one_line

FORMATS: Final = ("text", "json", "pubtator", "bioc")
_BOUNDED: Final = "relations_bounded"  # as holdfast.systems.kebiolm.relations.relater writes it


@dataclass(frozen=True, slots=True)
class RelateRequest:
    """The options of `holdfast relate`; docs/cli.md says what each means."""

    inputs: tuple[str, ...] = ()
    kb: str = "open"
    model: str = "relations-bc5cdr-int8"
    linker: str = "default"
    linked: bool = False
    format: str = "text"
    min_score: float = 0.0
    source_format: str | None = None
    lenient: bool = False


def run_relate(request: RelateRequest) -> None:
    """Relate what is asked for and print it; wrong use is noticed before anything is loaded."""
    if not request.inputs:
        raise UsageError("name a text, files or -")
    if request.format not in FORMATS:
        raise UsageError(
            f"no output format of relations is called {request.format!r}; there is: "
            f"{', '.join(FORMATS)}"
        )
    if not 0.0 <= request.min_score <= 1.0:
        raise UsageError(f"--min-score {request.min_score}: it lies between 0 and 1")
    kb = open_kb(request.kb)
    pipeline = _load(request, kb)
    report = ReadReport()
    notes = list[str]()
    source, lenient = request.source_format, request.lenient
    with open_inputs(request.inputs, format=source, lenient=lenient) as texts:
        read = texts.documents(report, marked=request.linked)
        bare = (replace(document, relations=()) for document in read)
        related = _kept(pipeline.pipe(bare), request.min_score, notes)
        shown = counted(related, "documents related", printed=True)
        if request.format == "text":
            print_relations(shown, kb)
        else:
            print_documents(shown, request.format, one=texts.is_one_text)
    for line in (*notes, *report.summary()):
        Console(stderr=True).print(line, highlight=False, markup=False, soft_wrap=True)


def _load(request: RelateRequest, kb: KnowledgeBase) -> Pipeline:
    with progress_bar(kb.name, quiet=1.0) as progress:
        if request.linked:
            return load_relations(kb, model=request.model, progress=progress)
        if not relates(request.model):
            raise UsageError(
                f"--model {request.model}: relates nothing; it is the model that relates, and "
                "--linker the one that finds and links"
            )
        return load(kb, model=[request.linker, request.model], progress=progress)


def _kept(documents: Iterable[Document], least: float, notes: list[str]) -> Iterator[Document]:
    """The documents with relations that score enough; a bound on pairs is noted."""
    for document in documents:
        for key, value in document.metadata:
            if key == _BOUNDED:
                notes.append(one_line(f"{document.id or 'the text'}: {value}"))
        kept = (r for r in document.relations if r.score is None or r.score >= least)
        yield replace(document, relations=tuple(kept))

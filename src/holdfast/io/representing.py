"""What `holdfast represent` and `holdfast neighbours` do."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from holdfast.blocks import in_blocks
from holdfast.corpora import ReadReport
from holdfast.document import Document, Span
from holdfast.errors import UsageError
from holdfast.io.inputs import open_inputs
from holdfast.io.progress import counted
from holdfast.models import DEFAULT_TYPES, find_model
from holdfast.pipeline import load
from holdfast.systems.bier.model import TOP, TypingModel
from holdfast.systems.bier.search import Neighbour, SparseIndex
from holdfast.systems.bier.stored import (
    MentionBlock,
    Represented,
    StoredMention,
    read_represented,
    write_represented,
)
from holdfast.systems.bier.type_list import read_weights

_DOCUMENTS: Final = 16
_SHARED: Final = 8  # types that are told of a neighbour


@dataclass(frozen=True, slots=True)
class RepresentRequest:
    """The options of `holdfast represent`; docs/cli.md says what each means."""

    inputs: tuple[str, ...]
    out: Path
    kb: str = "open"
    model: str = "default"
    type_model: str = DEFAULT_TYPES
    marked: bool = False  # take the mentions that the files mark
    top: int = TOP
    dense: bool = True
    source_format: str | None = None


def run_represent(request: RepresentRequest) -> int:
    """Write the vectors of all mentions of the inputs; how many there are."""
    model = TypingModel.open(find_model(request.type_model))
    with open_inputs(request.inputs, format=request.source_format, lenient=False) as texts:
        documents = texts.documents(ReadReport(), marked=request.marked)
        if not request.marked:
            documents = load(request.kb, model=request.model).pipe(documents)
        counted_documents = counted(documents, "documents represented", printed=False)
        return write_represented(
            request.out,
            represented_blocks(counted_documents, model, top=request.top),
            types=model.types.names,
            digest=model.digest,
            keeps_dense=request.dense,
        )


def represented_blocks(
    documents: Iterable[Document], model: TypingModel, *, top: int = TOP
) -> Iterator[MentionBlock]:
    """The mentions of some documents at a time, with their vectors."""
    for block in in_blocks(documents, _DOCUMENTS):
        rows = [
            row
            for document in block
            for row in model.rows_of(document.text, [m.spans for m in document.mentions])
        ]
        if rows:
            found = model.encode(rows, top=top)
            places = [place for document in block for place in places_of(document)]
            yield MentionBlock(places, found.sparse, found.dense)


def places_of(document: Document) -> Iterator[StoredMention]:
    for m in document.mentions:
        yield StoredMention(document.id, m.start, m.end, document.text_of(m), m.type, m.ids)


@dataclass(frozen=True, slots=True)
class NeighboursRequest:
    """The options of `holdfast neighbours`; docs/cli.md says what each means."""

    mention: str
    vectors: Path
    context: str | None = None
    type_model: str = DEFAULT_TYPES
    k: int = 10
    weights: Path | None = None


@dataclass(frozen=True, slots=True)
class FoundNeighbours:
    """The nearest stored mentions, and the query's own types."""

    stored: Represented
    neighbours: tuple[Neighbour, ...]
    types: tuple[tuple[str, float], ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "types": [{"name": name, "score": round(score, 4)} for name, score in self.types],
            "neighbours": [self._neighbour(one) for one in self.neighbours],
        }

    def _neighbour(self, one: Neighbour) -> dict[str, Any]:
        place = self.stored.places[one.row]
        shared = [
            {"type": self.stored.types[s.type], "product": round(s.product, 4)}
            for s in one.shared[:_SHARED]
        ]
        return {
            "text": place.text,
            "document": place.document,
            "start": place.start,
            "end": place.end,
            "label": place.label,
            "ids": list(place.ids),
            "score": round(one.score, 4),
            "shared": shared,
        }


def find_neighbours(request: NeighboursRequest) -> FoundNeighbours:
    """Encode the mention and search the stored set."""
    stored = read_represented(request.vectors)
    model = TypingModel.open(find_model(request.type_model))
    if stored.digest != model.digest and stored.types != model.types.names:
        raise UsageError(
            f"{request.vectors}: its types are not those of {request.type_model!r}; represent it "
            "again, or name the model it was made with"
        )
    text = request.context if request.context is not None else request.mention
    start = text.find(request.mention)
    if not request.mention.strip():
        raise UsageError("give the words whose neighbours are wanted")
    if start < 0:
        raise UsageError(f"the context does not hold the mention {request.mention!r}")
    span = Span(start, start + len(request.mention))
    query = model.encode(model.rows_of(text, [(span,)])).sparse
    vectors = stored.sparse
    if request.weights is not None:
        weights = read_weights(request.weights, stored.types)
        query, vectors = query.weighted(np.sqrt(weights)), vectors.weighted(np.sqrt(weights))
    found = SparseIndex(vectors).nearest(query.types[0], query.values[0], request.k)
    types = zip(query.types[0].tolist(), query.values[0].tolist(), strict=True)
    told = tuple((stored.types[type], value) for type, value in types)[:_SHARED]
    return FoundNeighbours(stored, tuple(found), told)


def print_neighbours(found: FoundNeighbours, *, as_json: bool) -> None:
    """For a person, or as one JSON object."""
    if as_json:
        print(json.dumps(found.to_json(), ensure_ascii=False))
        return
    from rich.console import Console
    from rich.table import Table

    from holdfast.text.safe import one_line

    console = Console(highlight=False, markup=False)
    console.print(one_line(", ".join(f"{name} {score:.2f}" for name, score in found.types)))
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("mention", "label", "document", "score", "near because of"):
        table.add_column(column, overflow="fold")
    for one in found.to_json()["neighbours"]:
        shared = ", ".join(f"{s['type']} {s['product']:.2f}" for s in one["shared"])
        cells = (one["text"], one["label"], one["document"], f"{one['score']:.2f}", shared)
        table.add_row(*map(one_line, cells))
    console.print(table)

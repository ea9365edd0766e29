"""Holdfast as one of the tools that are compared: its own knowledge base is built from the rows.

    PYTHON benchmarks/peers/holdfast_tool.py MODEL

See protocol.py. HOLDFAST_HOME must be the folder of the index.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import holdfast
from holdfast.kb.build import Source, build_kb
from holdfast.kb.records import Entry
from holdfast.kb.store import KnowledgeBase
from holdfast.pipeline import Pipeline, load, prepare_kb
from protocol import Document, Found, Ranking, concepts, serve

TOP = 10
KB = "kb/rows"


class Holdfast:
    package = "holdfast"

    def __init__(self, model: str) -> None:
        self._model = model

    def build(self, rows: Path, folder: Path) -> None:
        build_kb(folder / KB, name="rows", parts=[(Source("rows"), entries(rows))])
        prepare_kb(KnowledgeBase(folder / KB), model=self._model)

    def open(self, folder: Path) -> None:
        self._kb = KnowledgeBase(folder / KB)
        self.forget()

    def link(self, documents: Sequence[Document]) -> list[Ranking]:
        asked = [
            holdfast.Document(
                "", d["text"], mentions=tuple(holdfast.Mention.at(s, e) for s, e in d["mentions"])
            )
            for d in documents
        ]
        return [
            [(candidate.entity_id, candidate.score) for candidate in mention.candidates]
            for document in self._linker.pipe(asked)
            for mention in document.mentions
        ]

    def detect(self, documents: Sequence[Document]) -> list[Found]:
        asked = [holdfast.Document("", document["text"]) for document in documents]
        return [
            [(m.start, m.end, m.ids[0]) for m in document.mentions if m.is_linked]
            for document in self._finder.pipe(asked)
        ]

    def forget(self) -> None:
        """Pipelines remember strings; new ones remember none."""
        self._linker: Pipeline = load(self._kb, model=self._model, marked=True, top=TOP)
        self._finder: Pipeline = load(self._kb, model=self._model, top=1)


def entries(rows: Path) -> Iterator[Entry]:
    for concept in concepts(rows):
        first, *others = concept["names"]
        yield Entry(concept["id"], first, synonyms=tuple(others), types=tuple(concept["types"]))


if __name__ == "__main__":
    serve(Holdfast(sys.argv[1]))

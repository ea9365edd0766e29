"""scispaCy's candidate generator as one of the tools that are compared; see protocol.py.

It answers a string with candidates and finds nothing in a text: scispaCy's recognisers are models
that are not in the package registry. nmslib searches as broadly as scispaCy asks it to when it
loads an index of its own.

    PYTHON benchmarks/peers/scispacy_tool.py [CONSTRUCTION]

CONSTRUCTION is nmslib's efConstruction. scispaCy's own, 2,000, takes hours for the names of
MeSH on two cores; the time falls about as the number does. `scispacy_construction.py` measures what
that costs in recall.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import scispacy_generator
from protocol import Document, Found, Ranking, concepts, serve, strings_of

TOP = 10
BREADTH = 200
NAMES = "names.jsonl"


class Scispacy:
    package = "scispacy"

    def __init__(self, construction: int | None) -> None:
        self._construction = construction
        self._generation = unguarded(importlib.import_module("scispacy.candidate_generation"))

    def build(self, rows: Path, folder: Path) -> None:
        with (folder / NAMES).open("w", encoding="utf-8") as stream:
            for concept in concepts(rows):
                first, *others = concept["names"]
                line = {"concept_id": concept["id"], "canonical_name": first, "aliases": others}
                stream.write(json.dumps(line) + "\n")
        scispacy_generator.build(
            self._generation, self._kb(folder), folder, construction=self._construction
        )

    def open(self, folder: Path) -> None:
        self._generator = scispacy_generator.load(self._generation, self._kb(folder), folder)
        self._generator.ann_index.setQueryTimeParams({"efSearch": BREADTH})

    def link(self, documents: Sequence[Document]) -> list[Ranking]:
        """All mentions at once, which is its fastest way."""
        strings = [string for document in documents for string in strings_of(document)]
        return [scispacy_generator.rank(found) for found in self._generator(strings, TOP)]

    def detect(self, documents: Sequence[Document]) -> list[Found]:
        raise NotImplementedError("the generator does not detect")

    def forget(self) -> None:
        """It remembers nothing."""

    def _kb(self, folder: Path) -> Any:
        linking: Any = importlib.import_module("scispacy.linking_utils")
        return linking.KnowledgeBase(str(folder / NAMES))


def unguarded(generation: Any) -> Any:
    """The module without its guard against float16 files, which are not written here."""
    generation.scipy_supports_sparse_float16 = lambda: True
    return generation


if __name__ == "__main__":
    serve(Scispacy(int(sys.argv[1]) if len(sys.argv) > 1 else None))

"""gilda as one of the tools that are compared; see protocol.py.

It keeps no index of its own: the terms are read and normalised each time it is opened. Its models
that tell homonyms apart are downloads, and stay empty.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from protocol import Document, Found, Ranking, best_first, concepts, serve, strings_of

TERMS = "terms.jsonl"


class Gilda:
    package = "gilda"

    def build(self, rows: Path, folder: Path) -> None:
        """Normalise the names once, which is most of the work of opening."""
        normalize = importlib.import_module("gilda.process").normalize
        with (folder / TERMS).open("w", encoding="utf-8") as stream:
            for concept in concepts(rows):
                names = [(normalize(name), name) for name in concept["names"]]
                stream.write(json.dumps([concept["id"], names]) + "\n")

    def open(self, folder: Path) -> None:
        self._annotate = importlib.import_module("gilda.ner").annotate
        grounder = importlib.import_module("gilda.grounder").Grounder
        self._grounder: Any = grounder(list(terms(folder / TERMS)))
        self._grounder.gilda_disambiguators = {}
        self._grounder.adeft_disambiguators = {}

    def link(self, documents: Sequence[Document]) -> list[Ranking]:
        return [
            ranking(self._grounder.ground(string, context=document["text"]))
            for document in documents
            for string in strings_of(document)
        ]

    def detect(self, documents: Sequence[Document]) -> list[Found]:
        return [
            [
                (found.start, found.end, id_of(found.matches[0]))
                for found in self._annotate(document["text"], grounder=self._grounder)
            ]
            for document in documents
        ]

    def forget(self) -> None:
        """It remembers nothing."""


def terms(path: Path) -> Iterator[Any]:
    term = importlib.import_module("gilda.term").Term
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            id, names = json.loads(line)
            prefix, _, local = id.partition(":")
            preferred = names[0][1]
            for number, (normal, name) in enumerate(names):
                yield term(
                    norm_text=normal,
                    text=name,
                    db=prefix,
                    id=local,
                    entry_name=preferred,
                    status="synonym" if number else "name",
                    source="rows",
                )


def id_of(match: Any) -> str:
    return f"{match.term.db}:{match.term.id}"


def ranking(matches: Sequence[Any]) -> Ranking:
    """The best score of each concept."""
    scores = dict[str, float]()
    for match in matches:
        scores[id_of(match)] = max(match.score, scores.get(id_of(match), 0.0))
    return best_first(scores)


if __name__ == "__main__":
    serve(Gilda())

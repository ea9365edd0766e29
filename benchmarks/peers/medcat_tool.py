"""MedCAT as one of the tools that are compared; see protocol.py.

It has its own tokenizer of regular expressions, and no trained context: word vectors are random
and few, so that a name of several concepts is told apart by its status alone, and how MedCAT links
by context is not judged. A given mention is linked by what MedCAT finds in its words.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from protocol import Document, Found, Ranking, concepts, serve, strings_of

PACK = "pack"
WORDS = ("the", "of", "and", "patient", "disease", "treatment")
WIDTH = 7  # of the random word vectors
SEED = 13


class MedCat:
    package = "medcat"

    def build(self, rows: Path, folder: Path) -> None:
        frame: Any = importlib.import_module("pandas").DataFrame(list(lines(rows)))
        config = importlib.import_module("medcat.config").Config()
        maker = importlib.import_module("medcat.model_creation.cdb_maker").CDBMaker(config)
        cdb = maker.prepare_csvs([frame])
        cat = importlib.import_module("medcat.cat").CAT(cdb=cdb, vocab=vocabulary(), config=config)
        cat.save_model_pack(
            str(folder), pack_name=PACK, make_archive=False, add_hash_to_pack_name=False
        )

    def open(self, folder: Path) -> None:
        cat = importlib.import_module("medcat.cat").CAT
        self._cat: Any = cat.load_model_pack(str(folder / PACK))
        linking = self._cat.config.components.linking
        linking.train = False
        linking.similarity_threshold = -1.0  # no context was trained that could be similar

    def link(self, documents: Sequence[Document]) -> list[Ranking]:
        return [self._ranking(string) for document in documents for string in strings_of(document)]

    def _ranking(self, string: str) -> Ranking:
        """The concept of the longest part of the string that is found; MedCAT names but one."""
        found = self._entities(string)
        if not found:
            return []
        best = max(found, key=lambda entity: entity["end"] - entity["start"])
        return [(best["cui"], 1.0)]

    def detect(self, documents: Sequence[Document]) -> list[Found]:
        return [
            [(found["start"], found["end"], found["cui"]) for found in self._entities(d["text"])]
            for d in documents
        ]

    def forget(self) -> None:
        """It remembers nothing."""

    def _entities(self, text: str) -> list[dict[str, Any]]:
        return list(self._cat.get_entities(text)["entities"].values())


def lines(rows: Path) -> Iterator[dict[str, str]]:
    """The table that MedCAT makes a concept database from."""
    for concept in concepts(rows):
        for number, name in enumerate(concept["names"]):
            yield {
                "cui": concept["id"],
                "name": name,
                "ontologies": "ROWS",
                "name_status": "A" if number else "P",
                "type_ids": "|".join(concept["types"]),
                "description": "",
            }


def vocabulary() -> Any:
    random: Any = importlib.import_module("numpy").random.default_rng(SEED)
    vocab = importlib.import_module("medcat.vocab").Vocab()
    for word in WORDS:
        vocab.add_word(word, cnt=1, vec=random.random(WIDTH))
    return vocab


if __name__ == "__main__":
    serve(MedCat())

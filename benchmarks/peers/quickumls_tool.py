"""QuickUMLS as one of the tools that are compared; see protocol.py.

The vocabulary is written as the two files of UMLS that it installs from. Its language model and
stop words are downloads: a blank English pipeline of spaCy, which gives no parts of speech, and
spaCy's own stop words stand in. All is lower case, as its installer offers; threshold and window
are its defaults.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from protocol import Document, Found, Ranking, best_first, concepts, serve, strings_of

RELEASE = "release"
INDEX = "index"
LANGUAGE = "blank"  # a folder of spaCy
NLTK = "nltk"
TYPE = "T999"  # of every concept: none is filtered out


class QuickUmls:
    package = "quickumls"

    def build(self, rows: Path, folder: Path) -> None:
        self._stand_in(folder)
        write_release(rows, folder / RELEASE)
        (folder / INDEX).mkdir()
        sys.argv = ["install", "-L", str(folder / RELEASE), str(folder / INDEX)]
        importlib.import_module("quickumls.install").main()
        for path in (folder / RELEASE).iterdir():  # not needed to match
            path.unlink()

    def open(self, folder: Path) -> None:
        self._stand_in(folder)
        core: Any = importlib.import_module("quickumls")
        self._matcher = core.QuickUMLS(str(folder / INDEX), accepted_semtypes={TYPE})

    def link(self, documents: Sequence[Document]) -> list[Ranking]:
        return [self._ranking(string) for document in documents for string in strings_of(document)]

    def _ranking(self, string: str) -> Ranking:
        """The concepts of the longest part of the string that matches, which is most often all."""
        groups = self._matcher.match(string)
        if not groups:
            return []
        best = max(groups, key=lambda group: group[0]["end"] - group[0]["start"])
        scores = dict[str, float]()
        for match in best:
            scores[match["cui"]] = max(score(match), scores.get(match["cui"], 0.0))
        return best_first(scores)

    def detect(self, documents: Sequence[Document]) -> list[Found]:
        return [
            [
                (best["start"], best["end"], best["cui"])
                for best in (group[0] for group in self._matcher.match(document["text"]))
            ]
            for document in documents
        ]

    def forget(self) -> None:
        """It remembers nothing."""

    def _stand_in(self, folder: Path) -> None:
        """Put what can be had in the place of what QuickUMLS would download."""
        spacy: Any = importlib.import_module("spacy")
        spacy.blank("en").to_disk(folder / LANGUAGE)
        constants: Any = importlib.import_module("quickumls.constants")
        constants.SPACY_LANGUAGE_MAP["ENG"] = str(folder / LANGUAGE)
        words = folder / NLTK / "corpora" / "stopwords"
        words.mkdir(parents=True, exist_ok=True)
        stop_words: Any = importlib.import_module("spacy.lang.en.stop_words").STOP_WORDS
        (words / "english").write_text("\n".join(sorted(stop_words)), encoding="utf-8")
        nltk: Any = importlib.import_module("nltk")
        nltk.data.path.insert(0, str(folder / NLTK))


def score(match: Mapping[str, Any]) -> float:
    """What QuickUMLS itself orders the concepts of one match by."""
    return float(match["similarity"] + match["preferred"])


def write_release(rows: Path, folder: Path) -> None:
    """MRCONSO.RRF and MRSTY.RRF, with the columns that the installer reads."""
    folder.mkdir()
    with (
        (folder / "MRCONSO.RRF").open("w", encoding="utf-8") as names,
        (folder / "MRSTY.RRF").open("w", encoding="utf-8") as types,
    ):
        for concept in concepts(rows):
            id = concept["id"]
            types.write(f"{id}|{TYPE}||||\n")
            for number, name in enumerate(concept["names"]):
                preferred = "N" if number else "Y"
                text = " ".join(name.replace("|", " ").split())
                names.write(f"{id}|ENG|||||{preferred}||||||||{text}||||\n")


if __name__ == "__main__":
    serve(QuickUmls())

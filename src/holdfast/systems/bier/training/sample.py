"""A random sample of triples, for people to judge."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast.kb.store import KnowledgeBase
from holdfast.systems.bier.training.annotate import AnnotatedDocument, FoundMention
from holdfast.systems.bier.type_list import TypeList

FILE: Final = "sample.tsv"
_SIZE: Final = 100
_AROUND: Final = 90  # letters of context to each side
COLUMNS: Final = ("document", "mention", "context", "concepts", "types", "judgement")


@dataclass(frozen=True, slots=True)
class _Chosen:
    document: str
    mention: str
    context: str
    concepts: tuple[str, ...]
    types: tuple[int, ...]


class Sample:
    """Keeps so many of all that is offered, each with the same chance, whatever the number."""

    def __init__(self, size: int = _SIZE, *, seed: int = 0) -> None:
        self._size = size
        self._random = np.random.default_rng(seed)
        self._seen = 0
        self._kept: list[_Chosen] = []

    def offer(
        self,
        document: AnnotatedDocument,
        mention: FoundMention,
        concepts: Sequence[str],
        types: npt.NDArray[np.int32],
    ) -> None:
        place = int(self._random.integers(self._seen + 1))
        self._seen += 1
        if len(self._kept) >= self._size and place >= self._size:
            return
        start, end = mention.start, mention.end
        text = document.text
        context = f"{text[max(0, start - _AROUND) : start]}[{text[start:end]}]"
        chosen = _Chosen(
            document.id,
            text[start:end],
            " ".join(f"{context}{text[end : end + _AROUND]}".split()),
            tuple(concepts),
            tuple(types.tolist()),
        )
        if len(self._kept) < self._size:
            self._kept.append(chosen)
        else:
            self._kept[place] = chosen

    def write(self, folder: Path, types: TypeList, kb: KnowledgeBase) -> None:
        """One line each, with an empty column for the judgement."""
        with (folder / FILE).open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
            writer.writerow(COLUMNS)
            for one in self._kept:
                concepts = ", ".join(f"{id} {_label(kb, id)}" for id in one.concepts)
                names = ", ".join(types.names[number] for number in one.types)
                mention = " ".join(one.mention.split())
                writer.writerow([one.document, mention, one.context, concepts, names, ""])


def _label(kb: KnowledgeBase, id: str) -> str:
    row = kb.row_of(id)
    return "" if row is None else kb.label_at(row)

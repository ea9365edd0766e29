"""Character trigrams of a mention's words: what a neighbour by spelling alone would say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

_PAD = "  "


def trigram_neighbours(queries: Sequence[str], stored: Sequence[str]) -> npt.NDArray[np.int64]:
    """The place of the nearest stored mention of each query by the cosine of trigram counts.

    Case aside; of equal ones, the first. *Shape:* (queries,)
    """
    known = {text: place for place, text in reversed(list(enumerate(map(str.casefold, stored))))}
    texts = list(known)
    columns = dict[str, int]()
    rows = [_counted(text, columns, grow=True) for text in texts]
    matrix = np.zeros((len(texts), len(columns)), dtype=np.float32)
    for place, row in enumerate(rows):
        matrix[place, list(row)] = list(row.values())
    matrix /= np.maximum(np.sqrt(np.square(matrix).sum(axis=1, keepdims=True)), 1e-12)
    places = np.array([known[text] for text in texts])
    order = np.argsort(places)
    matrix, places = matrix[order], places[order]
    found = dict[str, int]()
    for text in dict.fromkeys(map(str.casefold, queries)):
        row = _counted(text, columns, grow=False)
        scores = matrix[:, list(row)] @ np.array(list(row.values()), dtype=np.float32)
        found[text] = int(places[scores.argmax()]) if row else int(places[0])
    return np.array([found[text.casefold()] for text in queries], dtype=np.int64)


def _counted(text: str, columns: dict[str, int], *, grow: bool) -> Counter[int]:
    padded = f"{_PAD}{text}{_PAD}"
    counts = Counter[int]()
    for at in range(len(padded) - 2):
        gram = padded[at : at + 3]
        if grow:
            columns.setdefault(gram, len(columns))
        if gram in columns:
            counts[columns[gram]] += 1
    return counts

"""What a smaller efConstruction costs scispaCy's index in recall, and what it saves in time.

    PYTHON benchmarks/peers/scispacy_construction.py NAMES [--concepts 5000] [--quicker 200]

PYTHON is that of scispaCy's environment. NAMES is `names.jsonl` in the index that `holdfast bench
peers` keeps for scispaCy. Both indexes are built of the first concepts, and asked for the ten names
nearest to misspelt ones; recall is counted against comparing all vectors. Prints JSON. Expect 6
minutes of two idle cores.
"""

from __future__ import annotations

import argparse
import importlib
import json
import tempfile
from itertools import islice
from pathlib import Path
from typing import Any, Final

import scispacy_generator
from scispacy_tool import BREADTH, TOP, unguarded

_EVERY: Final = 20  # one of so many names is asked for
_ROUNDING: Final = 1e-5  # of cosines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", type=Path)
    parser.add_argument("--concepts", type=int, default=5000)
    parser.add_argument("--quicker", type=int, default=200)
    asked = parser.parse_args()
    generation = unguarded(importlib.import_module("scispacy.candidate_generation"))
    linking: Any = importlib.import_module("scispacy.linking_utils")
    with tempfile.TemporaryDirectory(prefix="holdfast-peers-") as scratch:
        names = Path(scratch) / "names.jsonl"
        with asked.names.open(encoding="utf-8") as lines:
            names.write_text("".join(islice(lines, asked.concepts)), encoding="utf-8")
        kb = linking.KnowledgeBase(str(names))
        rows = []
        for construction in (None, asked.quicker):  # scispaCy's own first: the other one stays
            cache = Path(scratch) / str(construction)
            scispacy_generator.build(generation, kb, cache, construction=construction)
            generator = scispacy_generator.load(generation, kb, cache)
            built = json.loads((cache / scispacy_generator.BUILT).read_text(encoding="utf-8"))
            row = {"construction": construction or 2000, "build_seconds": built["seconds"]}
            rows.append({**row, "recall_at_10": recall(generator)})
            print(json.dumps(rows[-1]), flush=True)
    print(json.dumps({"names": len(kb.alias_to_cuis), "rows": rows}))


def recall(generator: Any) -> float:
    """The share of the ten nearest names that the index finds; equally near ones count."""
    aliases = generator.ann_concept_aliases_list
    misspelt = [name[: len(name) // 2] + name[len(name) // 2 + 1 :] for name in aliases[::_EVERY]]
    vectors = generator.vectorizer.transform(misspelt)
    vectors = vectors[vectors.getnnz(axis=1) > 0]
    every = generator.vectorizer.transform(aliases)
    generator.ann_index.setQueryTimeParams({"efSearch": BREADTH})
    found = generator.ann_index.knnQueryBatch(vectors, k=TOP)
    hits = total = 0
    for row, (_, distances) in enumerate(found):
        cosines = (every @ vectors[row].T).toarray().ravel()
        cosines[::-1].sort()
        hits += sum(1 - distance >= cosines[TOP - 1] - _ROUNDING for distance in distances)
        total += TOP
    return round(hits / total, 4)


if __name__ == "__main__":
    main()

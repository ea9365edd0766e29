"""Are phenotypes found in sentences? tests/data/phenotypes.tsv, over HPO and the open vocabularies.

    python benchmarks/phenotypes.py --results results

The knowledge bases `hpo` and `open` must be in the home folder (`holdfast kb get open hpo`).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from holdfast import Document, load, open_kb
from holdfast.bench.listed_names import is_same
from holdfast.experiments.results import circumstances, write_result
from holdfast.kb import KnowledgeBase

SENTENCES = Path(__file__).parents[1] / "tests" / "data" / "phenotypes.tsv"
SETTINGS = (("hpo", None), ("open", ("phenotype",)), ("open", None))


@dataclass(frozen=True, slots=True)
class Case:
    """A sentence, where its phenotype stands, and which one it is."""

    kind: str  # "exact": the term's own name; "lay": other words
    entity_id: str
    text: str
    start: int
    end: int


def read_cases(path: Path) -> Iterator[Case]:
    """One for each line; the mention stands in brackets, which are taken out."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            kind, id, sentence = line.split("\t")
            before, _, rest = sentence.partition("[")
            name, _, after = rest.partition("]")
            text = before + name + after
            yield Case(kind, id, text, len(before), len(before) + len(name))


def measure(cases: list[Case], kb: KnowledgeBase, only: tuple[str, ...] | None) -> dict[str, Any]:
    """The shares that are found whole, and linked to the phenotype or an equivalent."""
    documents = load(kb, only=only, top=1).pipe([Document("", case.text) for case in cases])
    found: dict[str, list[tuple[bool, bool]]] = {}
    missed = []
    for case, document in zip(cases, documents, strict=True):
        whole = [m for m in document.mentions if (m.start, m.end) == (case.start, case.end)]
        is_linked = any(is_same(kb, case.entity_id, id) for m in whole for id in m.ids)
        found.setdefault(case.kind, []).append((bool(whole), is_linked))
        if not is_linked:
            said = [f"{document.text_of(m)}: {', '.join(m.ids)}" for m in document.mentions]
            missed.append(
                {"kind": case.kind, "id": case.entity_id, "text": case.text, "said": said}
            )
    shares = {
        f"{what}_{kind}": round(sum(flags[place] for flags in answers) / len(answers), 4)
        for kind, answers in found.items()
        for place, what in enumerate(("found", "linked"))
    }
    counts = {f"n_{kind}": len(answers) for kind, answers in found.items()}
    return {"kb": kb.name, "only": only, **counts, **shares, "missed": missed}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path)
    arguments = parser.parse_args()
    cases = list(read_cases(SENTENCES))
    rows = [measure(cases, open_kb(kb), only) for kb, only in SETTINGS]
    measured = {"benchmark": "phenotypes", "rows": rows, **circumstances()}
    if arguments.results is not None:
        write_result(measured, arguments.results, "phenotypes")
    print(json.dumps(measured, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()

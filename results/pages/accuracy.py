"""Tables of accuracy: one row per recipe, the parts of the linker, and F1 by type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from holdfast.types import TYPES
from pages.markdown import Result, headline_key, markdown_table, percent, with_interval

_PARTS: Final = (
    ("dense names alone", "ablation-{}-1-dense"),
    ("character n-grams alone", "ablation-{}-2-sparse"),
    ("both", "ablation-{}-3-hybrid"),
    ("+ abbreviations", "ablation-{}-4-abbreviations"),
    ("+ memory of the document", "ablation-{}-5-memory"),
    ("+ context and composites", "strict-{}-ranked"),
    ("+ training mentions as names", "strict-{}-ranked-training"),
)
_CORPORA: Final = {"ncbi": "NCBI-disease", "bc5cdr-disease": "BC5CDR diseases"}
_PIPELINES: Final = ("default", "dictionary")
_PROTOCOLS: Final = {
    "mention": "mentions found",
    "typed": "… with their type",
    "strong": "… with their entity (strong)",
    "partial": "… in part, with their entity",
    "document": "entities of documents",
}
_PROBABILITIES: Final = {"calibration_error": "calibration error", "nil_auroc": "NIL AUROC"}


def accuracy_table(results: Iterable[Result]) -> list[str]:
    """One row per recipe: our figure with its interval, its size, and the references beside it."""
    rows = [
        (
            f"`{r['recipe']}`",
            r["title"],
            _figure(r),
            f"{r['n_scored']:,}" if "n_scored" in r else "",
            f"{r['kb']}" + (f" ({r['kb_names']:,} names)" if r["kb_names"] else ""),
            "; ".join(_reference(ref) for ref in r["references"]),
        )
        for r in results
    ]
    return markdown_table(("recipe", "what", "ours", "n", "knowledge base", "beside"), rows)


def parts_table(results: Mapping[str, Result]) -> list[str]:
    """What each part of the linker adds; empty if no part was measured on its own."""
    rows = []
    for words, name in _PARTS:
        found = [results.get(name.format(corpus)) for corpus in _CORPORA]
        if all(found):
            rows.append((words, *(with_interval(measured) for measured in found if measured)))
    return markdown_table(("strict accuracy at 1", *_CORPORA.values()), rows) if rows else []


def types_table(results: Mapping[str, Result], corpus: str) -> list[str]:
    """End-to-end F1 by protocol and type, the default before the dictionary.

    Empty if either of the two was not measured.
    """
    pair = [results.get(f"strong-{corpus}-{model}") for model in _PIPELINES]
    first, other = pair
    if not first or not other:
        return []
    types = [t for t in TYPES if f"f1_{t.lower()}" in first and f"f1_{t.lower()}" in other]
    keys = ["f1", *(f"f1_{type.lower()}" for type in types)]
    rows = []
    for protocol, words in _PROTOCOLS.items():
        found = [_of_protocol(result, protocol) for result in (first, other)]
        if all(report is not None for report in found):
            cells = ([percent(report[key]) for report in found if report] for key in keys)
            rows.append((words, *(" / ".join(cell) for cell in cells)))
    header = (f"F1, {' / '.join(_PIPELINES)}", "all", *(type.lower() for type in types))
    return markdown_table(header, rows)


def _of_protocol(result: Result, protocol: str) -> Result | None:
    reports = (result, *result["also"])
    return next((report for report in reports if report["protocol"] == protocol), None)


def _figure(result: Result) -> str:
    figures = [f"{headline_key(result)} {with_interval(result)}"]
    for type in (t.lower() for t in TYPES if f"accuracy_at_1_{t.lower()}" in result):
        figures.append(f"{type} {percent(result[f'accuracy_at_1_{type}'])}")
    figures += [
        f"{what} {result[key]:.3f}" for key, what in _PROBABILITIES.items() if key in result
    ]
    return "; ".join(figures)


def _reference(reference: Result) -> str:
    note = f" ({reference['differs']})" if reference.get("differs") else ""
    return f"{_numbers(reference)} {reference['by']}{note}"


def _numbers(reference: Result) -> str:
    """A reference's figures in percent, with their names where there are several."""
    found = {key: percent(value) for key, value in reference.items() if isinstance(value, float)}
    if len(found) == 1:
        return next(iter(found.values()))
    return ", ".join(f"{key} {value}" for key, value in found.items())

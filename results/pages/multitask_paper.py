"""Table 2 of the multi-task paper: what was measured here, the paper's F1 in brackets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pages.markdown import Result, markdown_table, percent, with_interval

INTRODUCTION: Final = (
    "MiniLM where the paper has SciBERT, five times as large, and a document in windows of 382 "
    "word pieces, or 160 in some rows, where the paper has three sentences. A cell has precision, "
    "recall and F1 with its interval; the paper's F1 is in round brackets. Tokens right: the "
    "accuracy of the tags of the task that is named. Only rows that are measured are shown."
)

# How a task's reports are called, by protocol and as the prefix of per-token figures.
_PROTOCOLS: Final = {"recognition": "mention", "typing": "typed", "linking": "strong"}
_PREFIXES: Final = {"recognition": "", "typing": "typing_", "linking": "linking_"}

# Words for a row, and the recipes that measured its tasks; one recipe may measure several.
_ALL: Final = ("recognition", "typing", "linking")
_Row = tuple[str, Mapping[str, str]]


def _same(recipe: str) -> Mapping[str, str]:
    return dict.fromkeys(_ALL, recipe)


def _each(stem: str) -> Mapping[str, str]:
    return {task: f"{stem}-{task}" for task in _ALL}


def _by_linking(stem: str) -> Mapping[str, str]:
    """A model per token, whose folder of its own reads mentions off linking."""
    return {**_each(stem), "linking": stem}


_TABLES: Final[Mapping[str, tuple[_Row, ...]]] = {
    "BC5CDR test, trained on train": (
        ("BiLSTM-CRF", _each("multitask-bc5cdr-bilstm")),
        ("single-task, per token", _each("multitask-bc5cdr-single-token")),
        ("multi-task, per token", _by_linking("multitask-bc5cdr-multi-token")),
        ("hierarchical, per token", _by_linking("multitask-bc5cdr-hierarchical-token")),
        ("single-task, per entity", _each("multitask-bc5cdr-single-entity")),
        ("hierarchical, per entity", _same("multitask-bc5cdr-hierarchical-entity")),
        ("hierarchical, per entity, losses summed", _same("multitask-bc5cdr-train")),
        ("same, from the detector's encoder", _same("multitask-bc5cdr-detector-start")),
        ("an earlier one in 8 bits, with the name linker", _same("multitask-bc5cdr-train-names")),
    ),
    "BC5CDR test, trained on train and dev": (
        ("hierarchical, per entity, losses summed", _same("multitask-bc5cdr-train-dev")),
        ("an earlier one, from the detector's encoder", _same("multitask-bc5cdr-network")),
        ("that one in 8 bits, with the name linker", _same("multitask-bc5cdr")),
    ),
    "BioRED dev": (
        ("single-task, per token", _each("multitask-biored-single-token")),
        ("hierarchical, per token", _by_linking("multitask-biored-hierarchical-token")),
        ("single-task, per entity", _each("multitask-biored-single-entity")),
        ("hierarchical, per entity", _same("multitask-biored-hierarchical-entity")),
    ),
    "MedMentions ST21pv test, rebuilt: not the paper's corpus": (
        ("single-task, per token", _each("multitask-medmentions-single-token")),
        ("single-task, per entity", _each("multitask-medmentions-single-entity")),
        ("hierarchical, per entity", _same("multitask-medmentions-hierarchical-entity")),
    ),
}


# What the paper claims of linking on BC5CDR, and the recipes of which the first should be better.
_CLAIMS: Final = (
    (
        "single-task: per entity above per token",
        "multitask-bc5cdr-single-entity-linking",
        "multitask-bc5cdr-single-token-linking",
    ),
    (
        "hierarchical: per entity above per token",
        "multitask-bc5cdr-hierarchical-entity",
        "multitask-bc5cdr-hierarchical-token",
    ),
    (
        "per token: hierarchical above single-task",
        "multitask-bc5cdr-hierarchical-token",
        "multitask-bc5cdr-single-token-linking",
    ),
    (
        "per entity: hierarchical above single-task",
        "multitask-bc5cdr-hierarchical-entity",
        "multitask-bc5cdr-single-entity-linking",
    ),
)
_SEEDS: Final = ("", "-seed1", "-seed2")
_MANY_CLASSES: Final = "bench-multitask-classes"


def multitask_tables(results: Mapping[str, Result]) -> list[str]:
    """Lines of Markdown: for each corpus the rows of which something is measured.

    Below stands what training over many classes takes, if that is measured.
    """
    lines = list[str]()
    for words, rows in _TABLES.items():
        found = list(_cells(results, rows))
        if found:
            header = ("model", *_ALL, "tokens right")
            lines += ["", f"### {words}", "", *markdown_table(header, found)]
    if claims := list(_claims(results)):
        lines += ["", "### What the paper claims", "", _ABOUT_CLAIMS, ""]
        lines += markdown_table(("linking on BC5CDR", "this", "beside", "seen"), claims)
    if lines and (many := results.get(_MANY_CLASSES)):
        lines += ["", _many_classes(many)]
    return lines


_ABOUT_CLAIMS: Final = (
    "F1 with its interval, one for each seed that was trained. “Yes” or “no” is said only where "
    "all intervals of the two lie apart."
)


def _claims(results: Mapping[str, Result]) -> Iterator[tuple[str, ...]]:
    """A row for each claim both sides of which are measured."""
    for words, better, worse in _CLAIMS:
        first, second = (
            [results[name + seed] for seed in _SEEDS if name + seed in results]
            for name in (better, worse)
        )
        if first and second:
            sides = ("; ".join(with_interval(one, "f1") for one in own) for own in (first, second))
            yield words, *sides, _verdict(first, second)


def _verdict(first: Sequence[Result], second: Sequence[Result]) -> str:
    if min(one["f1_low"] for one in first) > max(one["f1_high"] for one in second):
        return "yes"
    if max(one["f1_high"] for one in first) < min(one["f1_low"] for one in second):
        return "no, the reverse"
    return "intervals overlap"


def _many_classes(measured: Result) -> str:
    return (
        f"Training over {measured['entities']:,} made-up entities "
        f"(`benchmarks/multitask_classes.py`): {measured['steps']} steps on "
        f"{measured['documents']:,} documents took {measured['seconds']:,.0f} s from start to "
        f"export and {measured['peak_megabytes'] / 1000:.1f} GB of memory at most; the model has "
        f"{measured['model_megabytes']:,} MB in 32 bits ({measured['machine']})."
    )


def _cells(results: Mapping[str, Result], rows: tuple[_Row, ...]) -> Iterator[tuple[str, ...]]:
    for words, recipes in rows:
        measured = {task: results[name] for task, name in recipes.items() if name in results}
        if measured:
            yield (
                words,
                *(_cell(measured.get(task), task) for task in _ALL),
                _tokens_right(measured),
            )


def _cell(result: Result | None, task: str) -> str:
    """Precision, recall and F1 of a task, and the paper's F1."""
    report = None if result is None else _report(result, _PROTOCOLS[task])
    if result is None or report is None:
        return ""
    own = f"{percent(report['precision'])}, {percent(report['recall'])}, {with_interval(report)}"
    of_paper = (r["f1"] for r in result["references"] if r["by"].endswith(f", {task}"))
    return " ".join([own, *(f"({percent(f1)})" for f1 in of_paper)])


def _tokens_right(measured: Mapping[str, Result]) -> str:
    for task in reversed(_ALL):
        report = _report(measured[task], "per-token") if task in measured else None
        if report is not None:
            return f"{task} {percent(report[f'{_PREFIXES[task]}accuracy'])}"
    return ""


def _report(result: Result, protocol: str) -> Result | None:
    """What a result measured by a protocol, as its headline or besides."""
    reports = (result, *result.get("also", ()))
    return next((report for report in reports if report["protocol"] == protocol), None)

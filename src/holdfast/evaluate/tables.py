"""The tables of the project's README and of results/, made from what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from holdfast.types import TYPES

Result = Mapping[str, Any]

# What the README shows: a few words, and the recipe that measured it.
_ACCURACY: Final = (
    ("Gold mentions, lenient: NCBI-disease", "names-ncbi"),
    ("… BC5CDR diseases", "names-bc5cdr-disease"),
    ("… BC5CDR chemicals", "names-bc5cdr-chemical"),
    ("Gold mentions, strict, as trained on the corpus: NCBI", "strict-ncbi-ranked-training"),
    ("… BC5CDR diseases", "strict-bc5cdr-disease-ranked-training"),
    ("… BC5CDR chemicals", "strict-bc5cdr-chemical-ranked-training"),
    ("… without the corpus's own wordings: NCBI", "strict-ncbi-ranked"),
    ("… … BC5CDR diseases", "strict-bc5cdr-disease-ranked"),
    ("… … BC5CDR chemicals", "strict-bc5cdr-chemical-ranked"),
    ("Gold mentions, strict, as it ships: BioRED dev", "linker-biored"),
    ("Gold mentions of 29,054 MeSH headings: collective dual encoder", "collective-bc5cdr"),
    ("End to end, BC5CDR: the default", "strong-bc5cdr-default"),
    ("… the dictionary", "strong-bc5cdr-dictionary"),
    ("… the collective dual encoder, in one pass", "collective-bc5cdr-end-to-end-spans-mesh"),
    ("End to end, BioRED dev: the default", "strong-biored-default"),
    ("… the dictionary", "strong-biored-dictionary"),
    ("Abbreviation definitions, MED1250", "abbreviations-med1250"),
)
SHIPPED: Final = {
    "detector": {
        "strong-bc5cdr-default": "BC5CDR test, strong F1 with the linker",
        "strong-biored-default": "BioRED dev, strong F1 with the linker",
    },
    "linker": {"linker-biored": "BioRED dev, strict accuracy"},
    "names": {
        "names-ncbi": "NCBI test, lenient accuracy with a ranker",
        "names-bc5cdr-disease": "BC5CDR test, diseases",
        "names-bc5cdr-chemical": "BC5CDR test, chemicals",
    },
}
"""What `holdfast models` says of the models that ship: the folder, the recipe, and words for it."""

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
_HEADLINE: Final = ("accuracy_at_1", "f1")
_KNOWN: Final = "_in_kb"  # after the name of a figure over the mentions that can be linked
_PROBABILITIES: Final = {"calibration_error": "calibration error", "nil_auroc": "NIL AUROC"}


def readme_tables(results: Mapping[str, Result]) -> dict[str, list[str]]:
    """The tables that the project's README shows, by the name in its marks."""
    tables = {"accuracy": brief_table(results)}
    if "bench-pipeline" in results:
        tables["speed"] = speed_table(results["bench-pipeline"])
    if "bench-names" in results:
        tables["peers"] = peers_table(results["bench-names"])
    return tables


def shipped_figures(
    results: Mapping[str, Result], digests: Mapping[str, str]
) -> dict[str, dict[str, float]]:
    """What was measured of the models that ship, by their folders: what -> the figure.

    `digests` of the folders as they are: what was measured of other weights is left out. A figure
    of the name encoder is that of a ranker with it, whose digest no result has.
    """
    return {
        folder: {
            words: round(_headline(results[recipe]), 4)
            for recipe, words in wanted.items()
            if recipe in results
            and (folder == "names" or digests[folder] in (results[recipe]["model_digest"] or ""))
        }
        for folder, wanted in SHIPPED.items()
    }


def brief_table(results: Mapping[str, Result]) -> list[str]:
    """The headline figures with their intervals, and what others reach."""
    rows = []
    for words, recipe in _ACCURACY:
        if recipe in results:
            measured = results[recipe]
            key = _brief_key(measured)
            others = key.removesuffix(_KNOWN)
            beside = (
                f"{percent(r[others])} {r['by']}"
                for r in measured["references"]
                if others in r and not r["by"].endswith("partial")  # that figure is not shown here
            )
            ours = _with_interval(measured, key)
            if key.endswith(_KNOWN):
                ours += f" where the entity is one of them; {percent(measured[others])} of all"
            rows.append((words, ours, "; ".join(beside)))
    return markdown_table(("accuracy at 1, or F1", "Holdfast", "beside"), rows)


def _brief_key(result: Result) -> str:
    """Of a ranking, first over mentions with an entity in the knowledge base, as in its paper.

    So it seems: see what stands above the tables of that paper.
    """
    is_ranking = result.get("protocol") == "ranked"
    return f"accuracy_at_1{_KNOWN}" if is_ranking else _headline_key(result)


def parts_table(results: Mapping[str, Result]) -> list[str]:
    """What each part of the linker gives; empty where no part was measured alone."""
    rows = []
    for words, name in _PARTS:
        found = [results.get(name.format(corpus)) for corpus in _CORPORA]
        if all(found):
            rows.append((words, *(_with_interval(measured) for measured in found if measured)))
    return markdown_table(("strict accuracy at 1", *_CORPORA.values()), rows) if rows else []


def types_table(results: Mapping[str, Result], corpus: str) -> list[str]:
    """End to end by protocol and type, the default before the dictionary; empty if either lacks."""
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


def peers_table(measured: Result) -> list[str]:
    """The name linker beside other tools, in one run on one machine."""
    linking = measured["linking"]
    ours, peer = linking["ours"], linking["scispacy"]
    strict = ours["strict_of_nearest"]
    rows = [
        (words, {"mentions_per_second": ours[key], "strict": strict})
        for words, key in (
            ("Holdfast, dense names alone", "nearest_per_second"),
            ("… equal strings each time anew, as scispaCy does", "nearest_anew_per_second"),
        )
    ]
    rows.append(("Holdfast, the whole linker", ours))
    for setting in peer["settings"] if peer else ():
        rows.append((f"scispaCy, efSearch {setting['breadth']}", setting))
    table = markdown_table(
        ("linking diseases to MEDIC", "mentions/s", *linking["corpora"]),
        (
            (
                words,
                f"{row['mentions_per_second']:,.0f}",
                *(_percent_of(row["strict"].get(corpus)) for corpus in linking["corpora"]),
            )
            for words, row in rows
        ),
    )
    ratios = (f"{what}: **{ratio:.1f}×**" for what, ratio in measured["ratios"].items())
    return [*table, "", "; ".join(ratios) + f" ({measured['machine']})."]


def speed_table(measured: Result) -> list[str]:
    """Pipelines side by side, the first one's growth, and the start of a fresh process."""
    rows = [
        (
            f"`{row['model']}`",
            f"{row['documents_per_second']:,.0f}",
            f"{row['p50_milliseconds']:.1f} / {row['p99_milliseconds']:.1f}",
            f"{row['load_milliseconds']:.0f}",
            f"{row['resident_megabytes']:,.0f} ({row['private_megabytes']:,.0f})",
        )
        for row in measured["rows"]
    ]
    first = measured["rows"][0]
    header = (
        f"`--model`, {first['kb_names']:,} names",
        "documents/s",
        "p50 / p99 ms of one",
        "load ms",
        "memory MB (private)",
    )
    smaller = ", ".join(
        f"{point['documents_per_second']:,.0f} documents/s over {point['kb_names']:,} names"
        for point in measured["growth"]
    )
    growth = f"`{first['model']}` over smaller vocabularies: {smaller}. " if smaller else ""
    start = (
        f"{growth}A fresh `holdfast link TEXT --json` over {measured['start_kb_names']:,} names "
        f"answers in {measured['start_seconds']:.2f} s with "
        f"{measured['start_peak_megabytes']:.0f} MB of memory at most "
        f"({measured['threads']} threads, {measured['machine']})."
    )
    return [*markdown_table(header, rows), "", start]


def accuracy_table(results: Iterable[Result]) -> list[str]:
    """One row per recipe: ours with its interval, its size, and the references beside it."""
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


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(header)} |", f"|{'---|' * len(header)}"]
    return lines + [f"| {' | '.join(row)} |" for row in rows]


def _with_interval(result: Result, key: str = "") -> str:
    """The figure of the key, or else the headline."""
    name = key or _headline_key(result)
    low, high = percent(result[f"{name}_low"]), percent(result[f"{name}_high"])
    return f"**{percent(result[name])}** [{low}, {high}]"


def _percent_of(figure: Result | None) -> str:
    return "" if figure is None else f"{100 * figure['accuracy_at_1']:.1f}"


def _headline(result: Result) -> float:
    return float(result[_headline_key(result)])


def _headline_key(result: Result) -> str:
    return next(name for name in _HEADLINE if name in result)


def _figure(result: Result) -> str:
    said = [f"{_headline_key(result)} {_with_interval(result)}"]
    for type in (t.lower() for t in TYPES if f"accuracy_at_1_{t.lower()}" in result):
        said.append(f"{type} {100 * result[f'accuracy_at_1_{type}']:.1f}")
    said += [f"{what} {result[key]:.3f}" for key, what in _PROBABILITIES.items() if key in result]
    return "; ".join(said)


def _reference(reference: Result) -> str:
    note = f" ({reference['differs']})" if reference.get("differs") else ""
    return f"{_numbers(reference)} {reference['by']}{note}"


def _numbers(reference: Result) -> str:
    """A reference's figures in percent, with their names where there are several."""
    found = {key: percent(value) for key, value in reference.items() if isinstance(value, float)}
    if len(found) == 1:
        return next(iter(found.values()))
    return ", ".join(f"{key} {value}" for key, value in found.items())


def percent(value: float) -> str:
    return f"{100 * value:.1f}"

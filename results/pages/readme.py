"""The tables of the project's README."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pages.markdown import Result, headline_key, markdown_table, percent, with_interval
from pages.peers import tools_table

_WITHOUT: Final = "without its training mentions as names"


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of the accuracy table: what it says, and the recipe that measured it."""

    words: str
    recipe: str
    without: str = ""  # the same recipe without training mentions as names, told in the same cell


_ACCURACY: Final = (
    _Row("Find and link: BC5CDR test, strong F1", "strong-bc5cdr-default"),
    _Row("… BioRED dev, strong F1", "strong-biored-default"),
    _Row("Link given mentions: BioRED dev, strict, as it ships", "linker-biored"),
    _Row(
        "… NCBI-disease test, strict, fitted to the corpus",
        "strict-ncbi-ranked-training",
        "strict-ncbi-ranked",
    ),
    _Row(
        "… BC5CDR test, diseases, strict, fitted",
        "strict-bc5cdr-disease-ranked-training",
        "strict-bc5cdr-disease-ranked",
    ),
    _Row(
        "… BC5CDR test, chemicals, strict, fitted",
        "strict-bc5cdr-chemical-ranked-training",
        "strict-bc5cdr-chemical-ranked",
    ),
    _Row("… NCBI-disease test, lenient, fitted", "names-ncbi"),
    _Row("Define abbreviations: MED1250, F1", "abbreviations-med1250"),
)


def readme_tables(results: Mapping[str, Result]) -> dict[str, list[str]]:
    """The tables by the name in the README's marks; those not measured are left out."""
    tables = {"accuracy": brief_table(results)}
    if "bench-pipeline" in results:
        tables["speed"] = speed_table(results["bench-pipeline"])
    if "bench-names" in results:
        tables["peers"] = peers_table(results["bench-names"])
    if "bench-peers" in results:
        tables["tools"] = tools_table(results["bench-peers"])
    return tables


def brief_table(results: Mapping[str, Result]) -> list[str]:
    """The headline figures with their intervals, and what others reach."""
    rows = [
        (row.words, _ours(row, results), _others(results[row.recipe]))
        for row in _ACCURACY
        if row.recipe in results
    ]
    return markdown_table(("what is measured", "Holdfast", "others"), rows)


def _ours(row: _Row, results: Mapping[str, Result]) -> str:
    figure = with_interval(results[row.recipe])
    without = results.get(row.without)
    if without is None:
        return figure
    return f"{figure}; {percent(without[headline_key(without)])} {_WITHOUT}"


def _others(result: Result) -> str:
    key = headline_key(result)
    return "; ".join(
        f"{percent(reference[key])} {reference['by']}"
        for reference in result["references"]
        if key in reference and not reference["by"].endswith("partial")  # another protocol
    )


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
            f"`{row['model']}`" + (" with `--types`" if row.get("types") else ""),
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


def _percent_of(figure: Result | None) -> str:
    return "" if figure is None else percent(figure["accuracy_at_1"])

"""The tables of the project's README."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pages.markdown import Result, headline_key, markdown_table, percent, with_interval

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
_KNOWN: Final = "_in_kb"  # after the name of a figure over the mentions that can be linked


def readme_tables(results: Mapping[str, Result]) -> dict[str, list[str]]:
    """The tables by the name in the README's marks; those not measured are left out."""
    tables = {"accuracy": brief_table(results)}
    if "bench-pipeline" in results:
        tables["speed"] = speed_table(results["bench-pipeline"])
    if "bench-names" in results:
        tables["peers"] = peers_table(results["bench-names"])
    return tables


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
            ours = with_interval(measured, key)
            if key.endswith(_KNOWN):
                ours += f" where the entity is one of them; {percent(measured[others])} of all"
            rows.append((words, ours, "; ".join(beside)))
    return markdown_table(("accuracy at 1, or F1", "Holdfast", "beside"), rows)


def _brief_key(result: Result) -> str:
    """The headline figure; of a ranking, that over mentions whose entity can be linked.

    The paper of the rankings seems to count so: see the text above its tables.
    """
    is_ranking = result.get("protocol") == "ranked"
    return f"accuracy_at_1{_KNOWN}" if is_ranking else headline_key(result)


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


def _percent_of(figure: Result | None) -> str:
    return "" if figure is None else percent(figure["accuracy_at_1"])

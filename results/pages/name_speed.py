"""What `holdfast bench names` measured, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.bench.processes import ROUNDS
from pages.markdown import Result, markdown_table


def render_names(measured: Result) -> str:
    """A page with the ratios first."""
    parts = [
        ["# The speed of the name linker", "", how_measured("names", measured)],
        ratio_table(measured),
        _encoding(measured) if "encoding" in measured else [],
        _linking(measured["linking"]),
        _own(measured["own"]),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def ratio_table(measured: Result) -> list[str]:
    """How many times as fast as each peer; empty where no peer was measured."""
    if not measured["ratios"]:
        return []
    rows = [(what, f"**{ratio:.1f}×**") for what, ratio in measured["ratios"].items()]
    return markdown_table(("what", "times as fast"), rows)


def how_measured(command: str, measured: Result) -> str:
    """What a page of `holdfast bench` says first: the command, threads, machine and rounds."""
    threads = measured["threads"]
    machine = measured.get("machine", "this machine")
    return (
        f"`holdfast bench {command}`: {threads} thread{'s' if threads != 1 else ''}, {machine}. "
        f"Medians of {ROUNDS} rounds after one to warm up; where it was fewer, "
        "the number stands in brackets."
    )


def _encoding(measured: Result) -> list[str]:
    encoding = measured["encoding"]
    total = encoding["names"]
    rows = [
        (
            row["encoder"],
            f"{row['names_per_second']:,.0f}{rounds_of(row)}",
            f"{total / row['names_per_second']:,.1f}",
            f"{row['names']:,}",
            str(row["batch"] or "by length"),
        )
        for row in encoding["rows"]
    ]
    header = ("encoder", "names/s", f"seconds for {total:,} names", "names timed", "batch")
    note = (
        "Seconds follow from names/s where only a sample was timed. BERT has random weights, which "
        "are as slow as trained ones."
    )
    return ["## Encoding names", "", *markdown_table(header, rows), "", note]


def _linking(linking: Result) -> list[str]:
    ours, peer = linking["ours"], linking["scispacy"]
    corpora = linking["corpora"]
    alone, anew = (
        {
            "mentions_per_second": ours[key],
            "rounds": ours["rounds"],
            "strict": ours["strict_of_nearest"],
        }
        for key in ("nearest_per_second", "nearest_anew_per_second")
    )
    rows = [
        ("ours, the dense index alone", *_speed_and_accuracy(alone, corpora), "", ""),
        ("… equal strings each time anew", *_speed_and_accuracy(anew, corpora), "", ""),
        ("ours, the whole linker", *_speed_and_accuracy(ours, corpora), "", _megabytes(ours)),
    ]
    for setting in peer["settings"] if peer else ():
        rows.append(
            (
                f"scispaCy {peer['version']}, efSearch {setting['breadth']}",
                *_speed_and_accuracy(setting, corpora),
                f"{peer['build_seconds']:,.0f}",
                _megabytes(peer),
            )
        )
    accuracy = [f"strict accuracy, {corpus} {linking['split']}" for corpus in corpora]
    header = ("linker", "mentions/s", *accuracy, "index built in s", "resident MB")
    intro = (
        f"{ours['mentions']:,} gold mentions of diseases in {ours['documents']:,} documents, "
        f"linked to the {ours['kb_names']:,} names of {ours['kb']}."
    )
    note = (
        "scispaCy's generator and the dense index alone answer a string with candidates; the "
        "index looks equal strings of one call up once, the generator each anew. The "
        "linker also reads the document, ranks, and gives probabilities and reasons. scispaCy "
        "itself asks for efSearch 200; 20 is what its index does by default."
    )
    return ["## Linking, beside scispaCy", "", intro, "", *markdown_table(header, rows), "", note]


def _speed_and_accuracy(row: Result, corpora: list[str]) -> Iterator[str]:
    yield f"{row['mentions_per_second']:,.0f}{rounds_of(row)}"
    for corpus in corpora:
        figure = row["strict"].get(corpus)
        yield (
            ""
            if figure is None
            else (
                f"{100 * figure['accuracy_at_1']:.1f} "
                f"[{100 * figure['low']:.1f}, {100 * figure['high']:.1f}]"
            )
        )


def _own(own: list[Result]) -> list[str]:
    rows = [
        (
            point["kb"],
            f"{point['kb_names']:,}",
            f"{point['mentions_per_second']:,.0f}{rounds_of(point)}",
            f"{point['p50_milliseconds']:.2f} / {point['p99_milliseconds']:.2f}",
            f"{point['load_milliseconds']:.0f}",
            f"{point['start_milliseconds']:.0f}",
            f"{point['resident_megabytes']:,.0f} ({point['private_megabytes']:,.0f})",
            f"{point['disk_megabytes']:,.0f}",
        )
        for point in own
    ]
    header = (
        "knowledge base",
        "names",
        "mentions/s",
        "one mention, p50 / p99 ms",
        "load ms",
        "process start to answer, ms",
        "resident MB (private)",
        "on disk MB",
    )
    return ["## Our own figures", "", *markdown_table(header, rows)]


def rounds_of(row: Result) -> str:
    """What follows a figure that was measured in fewer rounds; empty for the others."""
    return "" if row["rounds"] >= ROUNDS else f" ({row['rounds']})"


def _megabytes(row: Result) -> str:
    value = row["resident_megabytes"]
    return "" if value is None else f"{value:,.0f}"

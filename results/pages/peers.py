"""What `holdfast bench peers` measured, as Markdown and as a picture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from holdfast.training.point_plot import NamedPoint, PointPanel, draw_points
from pages.markdown import Result, markdown_table, percent
from pages.name_speed import how_measured, rounds_of

_OWN = "holdfast"
_COLUMNS: Final = (
    ("the most mentions/s", "mentions_per_second", max),
    ("the most documents/s", "documents_per_second", max),
    ("the shortest load", "load_seconds", min),
    ("the least memory", "peak_megabytes", min),
    ("the smallest install", "install_megabytes", min),
)


def tools_table(measured: Result) -> list[str]:
    """The README's table: a row per tool, and below it what must be said of each."""
    names = [gold["name"] for gold in measured["sets"]]
    header = (
        f"on {measured['kb_names']:,} names of {measured['kb']}",
        "strict accuracy: " + ", ".join(names),
        "mentions/s",
        "strong F1, same order",
        "documents/s",
        "load s",
        "memory MB",
        "install MB",
    )
    rows = [
        (
            row["label"],
            _scores(row, "strict", "accuracy_at_1", names),
            _number(row, "mentions_per_second"),
            _scores(row, "strong", "f1", names) if row["detects"] else "does not detect",
            _number(row, "documents_per_second"),
            _number(row, "load_seconds", digits=1),
            _number(row, "peak_megabytes"),
            _number(row, "install_megabytes"),
        )
        for row in measured["rows"]
    ]
    return [*markdown_table(header, rows), "", _best(measured), "", _notes(measured)]


def render_peers(measured: Result) -> str:
    """A page with the table, the intervals of every set, and what building took."""
    title = "# Other tools on the same vocabulary"
    picture = "![accuracy against speed](bench-peers.svg)"
    parts = [
        [title, "", how_measured("peers", measured), "", _what(measured)],
        tools_table(measured),
        [picture],
        ["## Given mentions, strict", "", *_figures(measured, "strict", "accuracy_at_1")],
        ["## Find and link, strong", "", *_figures(measured, "strong", "f1")],
        ["## Building", "", *_building(measured)],
    ]
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def draw_peers(measured: Result) -> str:
    """Accuracy against speed on the first set, as SVG: given mentions, and whole documents."""
    first = measured["sets"][0]["name"]
    wanted = (
        ("Given mentions", "mentions a second", "mentions_per_second", "strict", "accuracy_at_1"),
        ("Find and link", "documents a second", "documents_per_second", "strong", "f1"),
    )
    panels = []
    for title, unit, speed, protocol, key in wanted:
        points = tuple(
            NamedPoint(
                row["label"].replace("`", ""),
                row[speed],
                round(100 * row[protocol][first][key], 1),
                is_own=row["tool"].startswith(_OWN),
            )
            for row in measured["rows"]
            if protocol in row and row.get(speed)
        )
        if points:
            panels.append(PointPanel(f"{title}: {first}", unit, f"{protocol}, %", points))
    return draw_points(panels)


def _what(measured: Result) -> str:
    sets = "; ".join(
        f"{gold['mentions']:,} mentions ({', '.join(gold['types'])}) in {gold['documents']:,} "
        f"documents of {gold['name']}"
        for gold in measured["sets"]
    )
    return (
        f"Every tool indexed the same {measured['kb_names']:,} names of "
        f"{measured['kb_entities']:,} concepts and was asked the same: {sets}. What is linked to a "
        "concept of another type than a set has is left out for every tool alike."
    )


def _best(measured: Result) -> str:
    """Who is ahead in each column, whoever it is."""
    names = [gold["name"] for gold in measured["sets"]]
    said = [
        _first("the highest strict accuracy", measured, names, "strict", "accuracy_at_1"),
        _first("the highest strong F1", measured, names, "strong", "f1"),
        *(
            f"{words}: {pick(known, key=lambda row: row[key])['label']}"
            for words, key, pick in _COLUMNS
            if (known := [row for row in measured["rows"] if row.get(key) is not None])
        ),
    ]
    return f"Who has {'; '.join(filter(None, said))}."


def _first(words: str, measured: Result, names: list[str], protocol: str, key: str) -> str:
    """The one that is ahead on all sets, or the one of each."""
    ahead = {
        name: max(rows, key=lambda row: row[protocol][name][key])["label"]
        for name in names
        if (rows := [row for row in measured["rows"] if name in row.get(protocol, ())])
    }
    if len(set(ahead.values())) == 1:
        return f"{words}: {next(iter(ahead.values()))}"
    each = ", ".join(f"{label} on {name}" for name, label in ahead.items())
    return f"{words}: {each}" if each else ""


def _notes(measured: Result) -> str:
    notes = [f"{row['label']}: {row['note']}" for row in measured["rows"] if row["note"]]
    notes += [
        f"**{row['label']} failed**: {row['failed']}" for row in measured["rows"] if row["failed"]
    ]
    threads = f"{measured['threads']} thread{'s' if measured['threads'] != 1 else ''}"
    return "; ".join(notes) + f" ({threads}, {measured.get('machine', 'this machine')})."


def _figures(measured: Result, protocol: str, key: str) -> list[str]:
    names = [gold["name"] for gold in measured["sets"]]
    rows = [
        (row["label"], *(_interval(row[protocol].get(name), key) for name in names))
        for row in measured["rows"]
        if protocol in row
    ]
    return markdown_table(("tool", *names), rows)


def _building(measured: Result) -> list[str]:
    header = ("tool", "version", "built in s", "peak MB", "index MB", "mentions/s", "documents/s")
    rows = [(row["label"], row.get("version", ""), *_built(row)) for row in measured["rows"]]
    return markdown_table(header, rows)


def _built(row: Result) -> Iterator[str]:
    for key in ("build_seconds", "build_peak_megabytes", "index_megabytes"):
        yield _number(row, key)
    for key, rounds in (
        ("mentions_per_second", "link_rounds"),
        ("documents_per_second", "detect_rounds"),
    ):
        yield _number(row, key) + (rounds_of({"rounds": row[rounds]}) if rounds in row else "")


def _scores(row: Result, protocol: str, key: str, names: list[str]) -> str:
    scores = row.get(protocol, {})
    return " / ".join(percent(scores[name][key]) for name in names if name in scores)


def _interval(figure: Result | None, key: str) -> str:
    if figure is None:
        return ""
    low, high = percent(figure[f"{key}_low"]), percent(figure[f"{key}_high"])
    return f"{percent(figure[key])} [{low}, {high}]"


def _number(row: Result, key: str, *, digits: int = 0) -> str:
    value = row.get(key)
    return "" if value is None else f"{value:,.{digits}f}"

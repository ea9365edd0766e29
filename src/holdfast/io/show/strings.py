"""Linked strings for people to look at, in a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from holdfast.document import Candidate
from holdfast.io.linked_strings import LinkedString
from holdfast.text.safe import one_line


def print_strings(strings: Iterable[LinkedString], *, explain: bool = False) -> None:
    """One row per distinct string, in order; with `explain`, its other candidates below it.

    The nearest concept of a string that has none stands in a row of its own, marked as such.
    """
    console = Console(highlight=False, markup=False)
    listed = list(strings)
    times = Counter(linked.text for linked in listed)
    table = Table(box=None, pad_edge=False, header_style="bold", expand=False)
    table.add_column("string", overflow="fold", min_width=10)
    table.add_column("concept", overflow="fold")
    table.add_column("id", no_wrap=True)
    table.add_column("score", justify="right")
    table.add_column("why", overflow="fold", style="dim")
    for linked in {linked.text: linked for linked in listed}.values():
        shown = Text(one_line(linked.text))
        if times[linked.text] > 1:
            shown.append(f" ×{times[linked.text]}", style="dim")
        for i, row in enumerate(_rows(linked, explain=explain)):
            table.add_row(shown if i == 0 else "", *row)
    console.print(table)


def _rows(linked: LinkedString, *, explain: bool) -> Iterator[Sequence[str | Text]]:
    chosen = linked.chosen
    if not chosen:
        yield Text("none of these", style="dim"), "", "", ""
    for candidate in chosen:
        yield _cells(candidate)
    if linked.nearest is not None:
        yield _cells(linked.nearest, mark="nearest: ")
    if explain and linked.mention is not None:
        for candidate in linked.mention.candidates:
            if candidate not in chosen:
                yield _cells(candidate, mark="not chosen: ")


def _cells(candidate: Candidate, *, mark: str = "") -> tuple[Text, str, str, str]:
    concept = Text(mark, style="dim")
    concept.append(one_line(candidate.label or candidate.name), style="not dim")
    why = "; ".join(one_line(evidence.detail) for evidence in candidate.evidence)
    return concept, one_line(candidate.entity_id), f"{candidate.score:.2f}", why

"""Linked strings for people to look at, in a terminal."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from holdfast.document import Candidate
from holdfast.linked_tables import LinkedString

_UNPRINTABLE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")


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
        shown = Text(_printable(linked.text))
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
    concept.append(_printable(candidate.label or candidate.name), style="not dim")
    why = "; ".join(_printable(evidence.detail) for evidence in candidate.evidence)
    return concept, _printable(candidate.entity_id), f"{candidate.score:.2f}", why


def _printable(text: str) -> str:
    """On one line, without the control characters that could steer a terminal."""
    return _UNPRINTABLE.sub("�", " ".join(text.split()))

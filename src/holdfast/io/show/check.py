"""What `holdfast kb check` found, for people to read in a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator

from rich.console import Console
from rich.table import Table

from holdfast.kb.audit.check import Check, SourceCheck
from holdfast.kb.audit.compare import KINDS
from holdfast.text.safe import json_safe, one_line, printable

_SHOWN = 5  # examples of each kind and source
_LEGEND = (
    "in source: terms with a name; lost: not in the knowledge base; then what the others lack; "
    "extra: entities from elsewhere"
)
_FAULT = {
    "terms": "is missing:",
    "names": "lacks the name:",
    "types": "has the wrong type:",
    "parents": "lacks the parent:",
    "definitions": "lacks the definition:",
}


def print_check(check: Check, *, as_json: bool) -> None:
    """Print a row per source, then whatever is wrong, with examples, and the verdict."""
    if as_json:
        print(json_safe(json.dumps(check.to_json(), ensure_ascii=False)))
        return
    console = Console(highlight=False, markup=False)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("vocabulary", overflow="fold")
    for heading in ("entities", "in source", "lost", *KINDS[1:], "extra"):
        table.add_column(heading, justify="right")
    for source in check.sources:
        table.add_row(one_line(source.name), f"{source.entities:,}", *_figures(source))
    console.print(table)
    console.print(_LEGEND, style="dim")
    for line in _lines(check):
        console.print(printable(line), soft_wrap=True)


def _figures(source: SourceCheck) -> list[str]:
    if source.gaps is None:
        return ["not compared"]
    counts = (source.gaps.counts[kind] for kind in KINDS)
    return [f"{count:,}" for count in (source.gaps.terms, *counts, source.unlisted)]


def _lines(check: Check) -> Iterator[str]:
    for source in check.sources:
        if source.gaps is None:
            yield f"{source.name}: not compared: {source.reason}"
            continue
        for kind in KINDS:
            for gap in [gap for gap in source.gaps.examples if gap.kind == kind][:_SHOWN]:
                yield f"{source.name}: {gap.id} {_FAULT[kind]} {gap.what}".rstrip()
            if (more := source.gaps.counts[kind] - _SHOWN) > 0:
                yield f"{source.name}: … and {more:,} more such {kind}"
    for fault in check.damaged:
        yield f"damaged: {fault}"
    if check.nameless:
        shown = ", ".join(check.nameless[:_SHOWN])
        yield f"{len(check.nameless):,} entities have no name: {shown}"
    if check.outside:
        shown = ", ".join(check.outside_examples)
        yield f"{check.outside:,} parents are not in this knowledge base: {shown}"
    if check.untyped:
        yield f"{check.untyped:,} entities have no type"
    if check.foreign:
        yield f"{check.foreign:,} entities have only types that Holdfast does not know"
    yield _verdict(check)


def _verdict(check: Check) -> str:
    counted = f"{check.name}: {check.entities:,} entities, {check.names:,} names"
    if not check.is_whole:
        return f"{counted}: something is damaged or missing; build or fetch it again"
    compared = sum(source.gaps is not None for source in check.sources)
    if compared < len(check.sources):
        return f"{counted}: sound; {compared} of {len(check.sources)} sources were compared"
    return f"{counted}: sound, and nothing of its sources is missing"

"""The end of `holdfast annotate`: what was found, in a few lines."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from rich.console import Console

from holdfast.text.safe import one_line


def print_report(report: Mapping[str, Any], *, page: str, as_json: bool) -> None:
    """The report as JSON on standard output, or a few lines for a person that name its `page`."""
    if as_json:
        print(json.dumps(report, ensure_ascii=False), file=sys.stdout)
        return
    timing = report["timing"]
    lines = [
        f"{report['documents']:,} documents, {report['mentions']:,} mentions, of which "
        f"{report['linked']:,} are linked to {report['distinct_concepts']:,} concepts",
        f"{timing['documents_this_run']:,} documents in {timing['wall_seconds']:,.0f} s now: "
        f"{timing['documents_per_second']:,.1f} documents/s",
    ]
    if report["quarantined"]:
        lines.append(f"{report['quarantined']:,} in quarantine, and not in the output: see there")
    lines.append(f"report: {one_line(page)}")
    console = Console(stderr=True)
    for line in lines:
        console.print(line, highlight=False, markup=False, soft_wrap=True)

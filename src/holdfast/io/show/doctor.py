"""What `holdfast doctor` found, on one screen or as one JSON object."""

from __future__ import annotations

import json
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from holdfast.io.doctor import BROKEN, GOOD, NOTED, Health
from holdfast.text.safe import json_safe, one_line

_SIGNS: Final = {GOOD: ("ok", "green"), NOTED: ("note", "yellow"), BROKEN: ("BROKEN", "bold red")}


def print_health(health: Health, *, as_json: bool) -> None:
    """Print a line for each thing, and a verdict at the end."""
    if as_json:
        print(json_safe(json.dumps(health.to_json(), ensure_ascii=False)))
        return
    console = Console(highlight=False, markup=False)
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for check in health.checks:
        sign, style = _SIGNS[check.state]
        table.add_row(Text(sign, style=style), one_line(check.what), one_line(check.found))
    console.print(table)
    broken = sum(check.state == BROKEN for check in health.checks)
    console.print("All is well." if not broken else f"{broken} of {len(health.checks)} are broken.")

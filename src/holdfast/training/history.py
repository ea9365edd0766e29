"""What a training run reported, as JSON lines and as a plot."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from holdfast.training.line_plot import Line, Panel, draw_panels

Entry = Mapping[str, float]
"""One report: `step`, `seconds` of processor time so far, and figures such as `loss`."""

LINES: Final = "history.jsonl"
PLOT: Final = "history.svg"
_NOT_PLOTTED: Final = frozenset({"step", "seconds"})


def write_history(history: Sequence[Entry], folder: Path) -> None:
    """Write `history.jsonl` and `history.svg` into the folder, replacing what was there."""
    folder.mkdir(parents=True, exist_ok=True)
    _replace(folder / LINES, "".join(json.dumps(dict(entry)) + "\n" for entry in history))
    if panels := list(panels_of(history)):
        _replace(folder / PLOT, draw_panels(panels))


def read_history(folder: Path) -> list[Entry]:
    """The entries of `history.jsonl`, in order; empty if there is none."""
    path = folder / LINES
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def panels_of(history: Sequence[Entry]) -> Iterable[Panel]:
    """One panel for each figure that was reported, against the steps."""
    for key in dict.fromkeys(key for entry in history for key in entry):
        if key in _NOT_PLOTTED:
            continue
        points = [(entry["step"], entry[key]) for entry in history if key in entry]
        drawable = tuple((x, y) for x, y in points if y >= 0)
        if drawable:
            title = key.replace("_", " ")
            yield Panel(title, "step", title, (Line(drawable),), is_linear=True)


def _replace(path: Path, text: str) -> None:
    temporary = path.with_name(path.name + ".part")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)

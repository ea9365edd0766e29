"""`holdfast probe` where nothing can be trained, and the tables of what was measured."""

from __future__ import annotations

import re
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from command import call
from holdfast.evaluate.gold_mentions import LenientCase, score_lenient
from holdfast.evaluate.probes import AS_IS, ProbeRow, probe_rows, probe_table
from holdfast.experiments.results import render


def measured(right: int = 3, base: float = 1.0) -> dict[str, Any]:
    """A probe with one row: so many of four mentions are right."""
    found = frozenset({"A"}), frozenset({"B"})
    cases = [LenientCase(found[0], ((found[i >= right],),)) for i in range(4)]
    row = ProbeRow("MiniLM", "window of 3", score_lenient(cases, resamples=10), base)
    return {
        "probe": "attention-window",
        "split": "dev",
        "n_scored": 4,
        "dictionary_names": 2,
        "training_pairs": 5,
        "steps": 6,
        "seed": 7,
        "rows": [row.to_json()],
    }


@pytest.mark.parametrize(
    "command",
    [("probe", "word-order"), ("probe", "attention-window"), ("train", "collective-bc5cdr")],
)
def test_a_missing_library_is_one_line_that_says_what_to_install(
    command: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [
        name for name in sys.modules if name.startswith("holdfast.") and ".training" in name
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    done = call(*command, "--data", tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert re.fullmatch(
        r"holdfast: (torch|onnx) is not installed; pip install 'holdfast\[train\]'", line
    )


def test_a_row_holds_the_change_and_the_papers_figures() -> None:
    (cells,) = probe_rows(measured(right=3, base=1.0))
    assert cells[:2] == ("MiniLM", "window of 3")
    assert cells[2].startswith("75.0 [")
    assert cells[3:] == ("-25.0 %", "91.1", "81.0")


def test_a_linker_that_is_never_right_changes_by_nothing() -> None:
    (cells,) = probe_rows(measured(right=0, base=0.0))
    assert cells[3] == "+0.0 %"


def test_a_linker_as_it_is_has_no_change() -> None:
    data = measured()
    data["rows"][0] |= {"setting": AS_IS, "paper_dev": None}
    (cells,) = probe_rows(data)
    assert cells[3:] == ("", "", "81.0")


def test_terminal_and_page_show_the_same_cells() -> None:
    data = measured()
    (cells,) = probe_rows(data)
    console = Console(file=StringIO(), width=120)
    console.print(probe_table(data))
    assert isinstance(console.file, StringIO)
    printed = console.file.getvalue()
    assert all(cell in printed for cell in cells)
    assert f"| {' | '.join(cells)} |" in render({"probe-attention-window": data})

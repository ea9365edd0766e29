"""The record that a training leaves beside its checkpoints."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from holdfast.training.history import LINES, PLOT, read_history, write_history

SVG = "{http://www.w3.org/2000/svg}"
HISTORY = [
    {"step": 10, "seconds": 1.0, "loss": 2.0},
    {"step": 20, "seconds": 2.0, "loss": 1.0, "accuracy": 0.5},
    {"step": 30, "seconds": 3.0, "loss": 0.5, "accuracy": 0.75},
]


def test_what_is_written_is_read_and_drawn_with_a_panel_per_figure(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    write_history(HISTORY, folder)
    assert read_history(folder) == HISTORY
    root = ElementTree.parse(folder / PLOT).getroot()
    assert len(root.findall(f"{SVG}g")) == 2
    points = [len(line.attrib["points"].split()) for line in root.iter(f"{SVG}polyline")]
    assert points == [3, 2]
    assert {"loss", "accuracy", "step"} <= {text.text for text in root.iter(f"{SVG}text")}


def test_a_later_history_replaces_the_earlier_one(tmp_path: Path) -> None:
    write_history(HISTORY[:1], tmp_path)
    write_history(HISTORY, tmp_path)
    assert read_history(tmp_path) == HISTORY
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([LINES, PLOT])


def test_nothing_to_draw_is_no_plot(tmp_path: Path) -> None:
    assert read_history(tmp_path) == []
    write_history([{"step": 1, "seconds": 0.5, "gain": -1.0}], tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [LINES]

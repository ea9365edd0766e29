"""How fast dual encoders link and learn: the table, and the plot of training curves."""

from __future__ import annotations

from typing import Final

from holdfast.training.line_plot import Line, Panel, draw_panels
from pages.markdown import Result, markdown_table

SPEED: Final = {
    "bc5cdr": {"BLINK": 11.5, "one mention": 87.0, "collective": 402.5},
    "medmentions-st21pv": {"BLINK": 11.5, "one mention": 65.0, "collective": 192.4},
}
"""Mentions a second that the paper reports, on a GPU, by corpus and row."""
_CURVES: Final = {"accuracy": "accuracy on dev", "recall_at_10": "recall@10 on dev"}


def speed_lines(measured: Result) -> list[str]:
    """Mentions a second, how much sooner the collective encoder learns, and the curves."""
    paper = SPEED[measured["corpus"]]
    table = markdown_table(
        ("given mentions", "mentions/s", "the paper, on a GPU"),
        (
            (row["system"], f"{row['mentions_per_second']:,.1f}", f"{paper[row['system']]:,.1f}")
            for row in measured["rows"]
        ),
    )
    sooner = measured["training"]["times_faster"]
    ratios = [f"**{ratio:.1f}×** as fast as {name}" for name, ratio in sooner.items() if ratio]
    sentences = [
        f"Collective over one mention: **{measured['over_single']:.1f}×**; "
        f"over BLINK with {measured['candidates']} candidates: **{measured['over_blink']:.1f}×** "
        f"({measured['documents']} documents, {measured['threads']} threads, "
        f"{measured['machine']})."
    ]
    if not ratios:
        return [*table, "", *sentences]
    sentences.append(f"To the same accuracy on dev it trains {', '.join(ratios)}:")
    name = f"bench-collective-{measured['corpus']}.svg"
    return [*table, "", " ".join(sentences), "", f"![Accuracy and recall over training]({name})"]


def draw_curves(training: Result) -> str:
    """The training curves as SVG: a panel for each figure, a line for each model."""
    return draw_panels(
        [
            Panel(
                title,
                "processor seconds of training",
                "part of dev mentions",
                tuple(
                    Line(tuple((e["seconds"], e[key]) for e in curve), name)
                    for name, curve in training["curves"].items()
                ),
                is_linear=True,
            )
            for key, title in _CURVES.items()
        ]
    )

"""What `holdfast bench growth` measured, as Markdown and as a plot."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from holdfast.evaluate.line_plot import Line, Panel, draw_panels
from holdfast.evaluate.name_speed_page import how_measured, rounds_of
from holdfast.evaluate.tables import markdown_table

NAME: Final = "bench-growth"  # of the files in results/, before their endings

Measured = Mapping[str, Any]


def write_growth_pages(measured: Measured, folder: Path) -> None:
    """`bench-growth.md`, and `bench-growth.svg` which it shows."""
    (folder / f"{NAME}.svg").write_text(draw_growth(measured), encoding="utf-8")
    plot = f"\n![growth with the number of names]({NAME}.svg)\n"
    (folder / f"{NAME}.md").write_text(render_growth(measured) + plot, encoding="utf-8")


def render_growth(measured: Measured) -> str:
    """A page with a row per number of names."""
    first = measured["points"][0]
    mentions = (
        f"{first['mentions']:,} gold mentions of diseases in {first['documents']:,} documents, "
        f"linked to names of {measured['kb']} and, beyond their number, variants of them."
    )
    title = "# How the name linker grows"
    lines = [title, "", how_measured("growth", measured), "", mentions, "", *_table(measured)]
    return "\n".join(lines) + "\n"


def draw_growth(measured: Measured) -> str:
    """Four plots over the number of names, as SVG."""
    wanted = (
        ("Building everything", "seconds", "build_seconds"),
        ("Opening", "milliseconds", "load_milliseconds"),
        ("Memory after linking", "megabytes", "resident_megabytes"),
        ("Linking", "mentions a second", "mentions_per_second"),
    )
    return draw_panels(
        [
            Panel(
                title,
                "names",
                unit,
                (Line(tuple((p["kb_names"], p[key]) for p in measured["points"])),),
            )
            for title, unit, key in wanted
        ]
    )


def _table(measured: Measured) -> list[str]:
    rows = [
        (
            f"{point['kb_names']:,}",
            f"{point['build_seconds']:,.1f}",
            f"{point['build_peak_megabytes']:,.0f}",
            f"{point['load_milliseconds']:.0f}",
            f"{point['resident_megabytes']:,.0f} ({point['private_megabytes']:,.0f})",
            f"{point['mentions_per_second']:,.0f}{rounds_of(point)}",
            f"{point['p50_milliseconds']:.2f} / {point['p99_milliseconds']:.2f}",
            f"{point['disk_megabytes']:,.0f}",
        )
        for point in measured["points"]
    ]
    header = (
        "names",
        "built in s (once)",
        "peak MB",
        "load ms",
        "resident MB (private)",
        "mentions/s",
        "p50 / p99 ms",
        "on disk MB",
    )
    return markdown_table(header, rows)

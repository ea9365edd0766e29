"""What `holdfast bench growth` measured, as Markdown and as a plot."""

from __future__ import annotations

from holdfast.training.line_plot import Line, Panel, draw_panels
from pages.markdown import Result, markdown_table
from pages.name_speed import how_measured, rounds_of


def render_growth(measured: Result) -> str:
    """A page with a row per number of names, which shows `bench-growth.svg`."""
    first = measured["points"][0]
    mentions = (
        f"{first['mentions']:,} gold mentions of diseases in {first['documents']:,} documents, "
        f"linked to names of {measured['kb']} and, beyond their number, variants of them."
    )
    title = "# How the name linker grows"
    lines = [title, "", how_measured("growth", measured), "", mentions, "", *_table(measured)]
    lines += ["", "![growth with the number of names](bench-growth.svg)"]
    return "\n".join(lines) + "\n"


def draw_growth(measured: Result) -> str:
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


def _table(measured: Result) -> list[str]:
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

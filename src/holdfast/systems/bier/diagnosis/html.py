"""Pieces of self-contained HTML pages: no file, font or script from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

STYLE: Final = """
:root { color-scheme: light dark; --line: #8886; --bar: #0969da; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
h1, h2 { line-height: 1.2; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1.5rem; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .5rem; text-align: left;
  vertical-align: top; }
td { overflow-wrap: anywhere; }
.scrolled { max-height: 30rem; overflow: auto; }
th { position: sticky; top: 0; background: Canvas; white-space: nowrap; }
th button { all: unset; cursor: pointer; font-weight: 600; }
th button:focus-visible { outline: 2px solid var(--bar); }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
input[type=search] { width: 22rem; max-width: 100%; padding: .25rem .5rem; }
figure { margin: 1rem 0; }
svg text { font: 12px system-ui, sans-serif; fill: currentColor; }
svg .bar { fill: var(--bar); }
.muted { opacity: .7; }
.right { color: #1a7f37; } .wrong { color: #cf222e; }
@media (prefers-color-scheme: dark) {
  :root { --bar: #58a6ff; } .right { color: #3fb950; } .wrong { color: #ff7b72; }
}
"""

SORT: Final = """
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  table.querySelectorAll("th button").forEach((button, column) => {
    button.addEventListener("click", () => {
      const up = button.dataset.order !== "up";
      table.querySelectorAll("th button").forEach(b => {
        delete b.dataset.order; b.closest("th").removeAttribute("aria-sort"); });
      button.dataset.order = up ? "up" : "down";
      button.closest("th").setAttribute("aria-sort", up ? "ascending" : "descending");
      const key = row => row.cells[column].dataset.value ?? row.cells[column].textContent;
      const rows = [...body.rows];
      rows.sort((a, b) => {
        const x = key(a), y = key(b), n = parseFloat(x) - parseFloat(y);
        const order = Number.isNaN(n) ? x.localeCompare(y) : n;
        return up ? order : -order;
      });
      body.append(...rows);
    });
  });
  const filter = document.querySelector(`input[data-filters="${table.id}"]`);
  if (filter) filter.addEventListener("input", () => {
    const wanted = filter.value.toLowerCase();
    for (const row of body.rows)
      row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
}
"""

Cell = str | int | float


def page(title: str, body: Iterable[str], *, script: str = "", data: str = "") -> str:
    """A whole page. `data` is JSON for the script, under the id "data"."""
    island = f'<script type="application/json" id="data">{data}</script>' if data else ""
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>\n<body>\n"
        f"<h1>{escape(title)}</h1>\n{chr(10).join(body)}\n{island}\n"
        f"<script>{SORT}{script}</script>\n</body></html>\n"
    )


def table(
    name: str, columns: Sequence[str], rows: Iterable[Sequence[Cell]], *, filtered: bool = True
) -> str:
    """A table that sorts by a click on a heading and filters by what is typed above it."""
    rows = [list(row) for row in rows]
    numeric = [bool(rows) and isinstance(rows[0][at], int | float) for at in range(len(columns))]
    heads = "".join(
        f'<th scope="col"{_number(is_number)}><button>{escape(column)}</button></th>'
        for column, is_number in zip(columns, numeric, strict=True)
    )
    lines = "\n".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    box = (
        f'<input type="search" data-filters="{name}" placeholder="filter" '
        f'aria-label="filter {escape(name)}">'
        if filtered
        else ""
    )
    return (
        f'{box}<div class="scrolled"><table class="sortable" id="{name}">'
        f"<thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table></div>"
    )


def _cell(value: Cell) -> str:
    if isinstance(value, str):
        return f"<td>{escape(value)}</td>"
    shown = f"{value:,}" if isinstance(value, int) else f"{value:.3g}"
    return f'<td class="number" data-value="{value}">{shown}</td>'


def _number(is_number: bool) -> str:  # noqa: FBT001
    return ' class="number"' if is_number else ""


def bars(title: str, x_label: str, values: Sequence[tuple[str, float]]) -> str:
    """A bar chart as SVG: what each bar is called, and its height."""
    if not values:
        return ""
    width, height, left, bottom = 900, 260, 60, 40
    step = (width - left) / len(values)
    most = max(value for _, value in values) or 1.0
    parts = list[str]()
    every = max(1, len(values) // 20)
    for place, (name, value) in enumerate(values):
        tall = (height - bottom - 24) * value / most
        x, y = left + place * step, height - bottom - tall
        parts.append(
            f'<rect class="bar" x="{x:.1f}" y="{y:.1f}" width="{max(1.0, step - 2):.1f}" '
            f'height="{tall:.1f}"><title>{escape(name)}: {value:,.6g}</title></rect>'
        )
        if place % every == 0:
            parts.append(
                f'<text x="{x + step / 2:.1f}" y="{height - bottom + 16}" '
                f'text-anchor="middle">{escape(name)}</text>'
            )
    return (
        f'<figure><svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}">'
        f'<text x="{left}" y="14">{escape(title)}</text><text x="4" y="30">{most:,.6g}</text>'
        f'<text x="{width / 2}" y="{height - 4}" text-anchor="middle">{escape(x_label)}</text>'
        f"{''.join(parts)}</svg></figure>"
    )


def ranked_bars(title: str, values: Sequence[tuple[str, float]]) -> str:
    """Horizontal bars with their names to the left, for names that are words."""
    if not values:
        return ""
    width, left, line = 900, 300, 22
    most = max(value for _, value in values) or 1.0
    parts = list[str]()
    for place, (name, value) in enumerate(values):
        y, wide = 24 + place * line, (width - left - 80) * value / most
        shown = name if len(name) <= 44 else f"{name[:42]}…"
        parts.append(
            f'<text x="{left - 8}" y="{y + 14}" text-anchor="end">{escape(shown)}</text>'
            f'<rect class="bar" x="{left}" y="{y + 2}" width="{wide:.1f}" height="{line - 6}">'
            f"<title>{escape(name)}: {value:,.6g}</title></rect>"
            f'<text x="{left + wide + 6:.1f}" y="{y + 14}">{value:,.6g}</text>'
        )
    return (
        f'<figure><svg viewBox="0 0 {width} {30 + line * len(values)}" role="img" '
        f'aria-label="{escape(title)}"><text x="0" y="14">{escape(title)}</text>'
        f"{''.join(parts)}</svg></figure>"
    )

"""Makes every page and plot of results/, the README's tables and the shipped models' figures.

    python results/make_pages.py

Reads the JSON files beside this script. Writes the pages and plots beside them, the tables of the
project's README and of docs/batch.md, and `src/holdfast/weights/measured.json`, which `holdfast
models` shows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from holdfast.experiments.results import read_results
from holdfast.models import MEASURED, WEIGHTS, manifest_of
from pages.bier import LOW, draw_low_supervision
from pages.dense_index import render_dense_index
from pages.dual_encoder_speed import draw_curves
from pages.growth import draw_growth, render_growth
from pages.kebiolm import PRE_TRAINING, draw_pretraining
from pages.large_jobs import PREFIX, cost_table, render_large_jobs
from pages.markdown import Result, fill_tables
from pages.name_speed import render_names
from pages.overview import render_overview
from pages.peers import draw_peers, render_peers
from pages.readme import readme_tables
from pages.service import render_fuzz, render_load
from pages.shipped import SHIPPED, shipped_figures
from pages.umls_scale import render_umls_scale

ROOT: Final = Path(__file__).parents[1]
_OF_ONE: Final[Mapping[str, Callable[[Result], str]]] = {
    "bench-growth.md": render_growth,
    "bench-growth.svg": draw_growth,
    "bench-names.md": render_names,
    "bench-peers.md": render_peers,
    "bench-peers.svg": draw_peers,
    "bench-serve.md": render_load,
    "bench-serve-fuzz.md": render_fuzz,
    "bench-umls-scale.md": render_umls_scale,
    "dense-index.md": render_dense_index,
}
"""Pages that are made from the JSON file of the same stem."""
FILLED: Final = ("README.md", "docs/batch.md", "docs/benchmarks.md")
PathAndText = tuple[str, str]


def make_pages(results: Mapping[str, Result], filled: Mapping[str, str]) -> Iterator[PathAndText]:
    """The path below the checkout and the text of every file, from the results by file stem.

    `filled` holds the pages of FILLED as they are, of which only the tables are made.
    """
    tables = readme_tables(results)
    if cost := results.get(f"{PREFIX}medline"):
        tables["cost"] = cost_table(cost)
    for name, text in filled.items():
        yield name, fill_tables(text, tables)
    yield "results/README.md", render_overview(results)
    for name, render in _OF_ONE.items():
        if measured := results.get(Path(name).stem):
            yield f"results/{name}", render(measured)
    for stem, measured in results.items():
        if stem.startswith("bench-collective-") and measured["training"]["curves"]:
            yield f"results/{stem}.svg", draw_curves(measured["training"])
        if measured.get("protocol") == PRE_TRAINING:
            yield f"results/{stem}.svg", draw_pretraining(measured)
    if any(stem.startswith(PREFIX) for stem in results):
        yield "results/bench-batch.md", render_large_jobs(results)
    if LOW in results:
        yield f"results/{LOW}.svg", draw_low_supervision(results)
    digests = {name: manifest_of(WEIGHTS / name).digest for name in SHIPPED}
    figures = shipped_figures(results, digests)
    yield f"src/holdfast/weights/{MEASURED}", json.dumps(figures, indent=2) + "\n"


def filled_pages() -> dict[str, str]:
    """The pages written by hand that have tables to fill, by their path."""
    return {name: (ROOT / name).read_text(encoding="utf-8") for name in FILLED}


def main() -> None:
    """Write what differs from the files as they are, and print their names."""
    results = read_results(ROOT / "results")
    for name, text in make_pages(results, filled_pages()):
        path = ROOT / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"{name}: made anew")


if __name__ == "__main__":
    main()

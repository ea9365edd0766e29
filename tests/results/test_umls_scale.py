from __future__ import annotations

from markdown_tables import numbers, rows
from pages.umls_scale import render_umls_scale


def test_the_page_has_the_bars_the_stages_and_the_recall_of_every_breadth() -> None:
    linking = {
        "documents": 2,
        "mentions": 3,
        "mentions_per_second": 600.0,
        "p50_milliseconds": 2.5,
        "p99_milliseconds": 30.0,
        "resident_megabytes": 3000.0,
        "private_megabytes": 250.0,
        "start_milliseconds": 2500.0,
    }
    search = {"breadth": 160, "is_usual": False, "queries_per_second": 900.0}
    searches = [
        search | {"recall_at_10": {"diseases": 0.96, "others": 0.91}},
        search
        | {"breadth": 320, "is_usual": True, "recall_at_10": {"diseases": 0.981, "others": 0.93}},
    ]
    measured = {
        "base": "open",
        "entities": 34,
        "names": 90,
        "indexed_names": 40,
        "vectors": 39,
        "disk_megabytes": 4000.0,
        "threads": 2,
        "machine": "a laptop",
        "bars": [
            {"bar": "recall at 10", "limit": 0.95, "measured": 0.981, "met": True},
            {"bar": "mentions/s", "limit": 500.0, "measured": 400.0, "met": False},
        ],
        "stages": {
            "kb": {"seconds": 12.0, "peak_megabytes": 800.0, "names": 90},
            "recall": {"seconds": 3.0, "peak_megabytes": 100.0, "searches": searches},
            "linking": linking,
        },
    }
    page = render_umls_scale(measured)
    found = [[numbers(cell) for cell in row[1:]] for row in rows(page.splitlines())]
    assert [[12], [800]] in found
    assert [[98.1], [93], [900]] in found
    (missed,) = (row for row in rows(page.splitlines()) if row[0] == "mentions/s")
    assert missed[-1] == "**no**"
    assert "a laptop" in page
    assert "2.50 s" in page

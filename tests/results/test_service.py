"""The pages of what the service was measured with."""

from __future__ import annotations

from markdown_tables import rows
from pages.service import render_fuzz, render_load

LOAD = {
    "kb": "open",
    "clients": 32,
    "seconds": 600.0,
    "library_documents_per_second": 20.0,
    "service": {
        "documents_per_second": 25.0,
        "p50_ms": 1071.8,
        "p99_ms": 1315.9,
        "answers": {"200": 17795},
        "unannounced_errors": 0,
        "megabytes": [787, 789, 790],
    },
    "service_over_library": 1.25,
    "killed_worker": {
        "answers": {"200": 1701, "503 worker_lost": 3},
        "lost_requests": 3,
        "seconds_until_back": 1.54,
    },
    "texts_in_log": 0,
    "machine": "a laptop",
}
FUZZ = {
    "requests": 20004,
    "schemathesis": 9399,
    "answers": {"200": 3148, "422": 5977},
    "slowest_seconds": 9.34,
    "worker_restarts": 0,
    "problems": ["POST /v1/link: 500 internal"],
}


def test_the_page_of_load_has_the_library_beside_the_service() -> None:
    found = dict(rows(render_load(LOAD).splitlines()))
    assert found["the service over the library"] == "1.25"
    assert found["memory at the start, at the end"] == "787 MB, 790 MB"
    assert found["a worker killed by kill -9: answers"] == "200: 1,701; 503 worker_lost: 3"


def test_the_page_of_bad_input_lists_what_went_wrong() -> None:
    page = render_fuzz(FUZZ)
    assert dict(rows(page.splitlines()))["status 500, hangs, text in answers or in the log"] == "1"
    assert page.endswith("\n- POST /v1/link: 500 internal\n")
    assert render_fuzz({**FUZZ, "problems": []}).endswith("| 0 |\n")

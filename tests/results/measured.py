"""Results made up for the tests of pages."""

from __future__ import annotations

from typing import Any

from holdfast.bench.names import ratios


def result(value: float) -> dict[str, Any]:
    reference = {"by": "Somebody", "differs": "an encoder", "accuracy_at_1": 0.9}
    return {
        "accuracy_at_1": value,
        "accuracy_at_1_low": value - 0.01,
        "accuracy_at_1_high": value + 0.01,
        "references": [reference],
    }


def linking_row(speed: float) -> dict[str, Any]:
    accuracy = {"accuracy_at_1": 0.5, "low": 0.4, "high": 0.6, "mentions": 10}
    return {"mentions_per_second": speed, "rounds": 5, "strict": {"ncbi-disease": accuracy}}


def names_speed() -> dict[str, Any]:
    """What `holdfast bench names` measures beside two peers."""
    point = {
        "kb": "mesh",
        "kb_names": 1000,
        "disk_megabytes": 1.0,
        "documents": 2,
        "mentions": 3,
        "p50_milliseconds": 1.0,
        "p99_milliseconds": 2.0,
        "load_milliseconds": 3.0,
        "resident_megabytes": 50.0,
        "private_megabytes": 20.0,
        "peak_megabytes": 60.0,
        "nearest_per_second": 600.0,
        "nearest_anew_per_second": 300.0,
        **linking_row(400.0),
    }
    peer = {
        "version": "0.6.2",
        "names": 900,
        "build_seconds": 390.0,
        "resident_megabytes": None,
        "settings": [{"breadth": 20, **linking_row(200.0)}],
    }
    encoders = [
        {"encoder": "ours", "names": 9, "names_per_second": 320.0, "rounds": 5, "batch": None},
        {"encoder": "bert", "names": 4, "names_per_second": 20.0, "rounds": 2, "batch": 16},
    ]
    data: dict[str, Any] = {
        "threads": 2,
        "encoding": {"names": 9, "rows": encoders},
        "linking": {
            "corpora": ["ncbi-disease", "bc5cdr"],
            "split": "dev",
            "ours": point | {"strict_of_nearest": point["strict"]},
            "scispacy": peer,
        },
        "own": [point | {"start_milliseconds": 400.0}],
    }
    return data | {"ratios": ratios(data)}

from __future__ import annotations

from pages.shipped import shipped_figures
from results.measured import result


def test_models_that_ship_get_what_was_measured_of_them() -> None:
    measured = {
        "linker-biored": result(0.78125) | {"model_digest": "new"},
        "strong-bc5cdr-default": result(0.5) | {"model_digest": "old+new"},
        "names-ncbi": result(0.25),
    }
    figures = shipped_figures(measured, {"linker": "new", "detector": "newer"})
    assert figures["linker"] == {"BioRED dev, strict accuracy": 0.7812}
    assert figures["encoder"] == {"NCBI test, lenient accuracy with a ranker": 0.25}
    assert figures["detector"] == {}  # measured of other weights

"""What `holdfast diagnose` found, in a terminal or as JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from holdfast.systems.bier.diagnosis.diagnose import Diagnosis


def print_diagnosis(diagnosis: Diagnosis, page: Path, *, as_json: bool) -> None:
    """Print the figures, and on standard error where the page is."""
    if as_json:
        print(json.dumps(diagnosis.to_json(), ensure_ascii=False))
        return
    for name, value in diagnosis.figures.items():
        print(f"{name}: {value:.4g}")
    print(f"{page}: written", file=sys.stderr)

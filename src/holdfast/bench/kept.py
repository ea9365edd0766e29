"""What a long benchmark measured is kept as it goes, so that an interrupted run goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from holdfast.experiments.results import circumstances
from holdfast.files import write_durably


def measured_once(path: Path, measure: Callable[[], Mapping[str, Any]]) -> dict[str, Any]:
    """What was measured, from its file if that is there; else it is measured and kept there.

    The commit and the machine are those of the measurement. What has a reason under `failed` is
    not kept.
    """
    if path.exists():
        kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return kept
    found = {**measure(), **circumstances()}
    if not found.get("failed"):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_durably(path, json.dumps(found).encode())
    return found

"""Figures that a command measured: stored in a folder of results, and said to be there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer


def store(data: Mapping[str, Any], folder: Path, name: str) -> None:
    """Write the JSON file, and say on standard error where it is and what makes the pages."""
    from holdfast.experiments.results import write_result

    path = write_result(data, folder, name)
    typer.echo(f"{path}: stored; in a checkout, `make results` makes the pages", err=True)

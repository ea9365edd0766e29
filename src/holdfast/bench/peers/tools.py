"""The tools that are compared: what each needs, its script, and the environment it runs in."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import holdfast
from holdfast import artifacts
from holdfast.errors import UsageError

_FOLDER: Final = Path("benchmarks/peers")
_TABLE: Final = "tools.toml"


@dataclass(frozen=True, slots=True)
class Tool:
    """One row of the comparison."""

    name: str
    label: str
    script: Path
    environment: str  # the name of its environment's folder
    requirements: tuple[str, ...]  # what pip installs into it; "." is this checkout
    detects: bool  # whether it also finds mentions
    note: str  # what the row must say: what stands in for what cannot be had
    options: tuple[str, ...] = ()  # arguments of the script


def read_tools(names: Sequence[str] = ()) -> list[Tool]:
    """The tools of these names, in the order of the table; all of them if none is named."""
    folder = checkout() / _FOLDER
    table = folder / _TABLE
    if not table.exists():
        raise UsageError(f"{_FOLDER / _TABLE}: not there; measure peers from a checkout")
    listed = tomllib.loads(table.read_text(encoding="utf-8"))["tool"]
    tools = {row["name"]: _tool(row, folder) for row in listed}
    for name in names:
        if name not in tools:
            raise UsageError(f"no tool is called {name!r}; there is: {', '.join(tools)}")
    return [tool for name, tool in tools.items() if not names or name in names]


def checkout() -> Path:
    """The folder that this package is in, if it is run from a checkout."""
    return Path(holdfast.__file__).parents[2]


def environments_folder(named: Path | None = None) -> Path:
    """Where the environments are: the folder that is named, or one in the home folder."""
    return named or artifacts.home() / "peers" / "environments"


def python_of(tool: Tool, environments: Path) -> Path:
    """The Python of a tool's environment; UsageError if it has not been made."""
    folder = environments / tool.environment
    inside = "Scripts/python.exe" if sys.platform == "win32" else "bin/python"
    if not (folder / inside).exists():
        script = _FOLDER / "make_environments.py"
        raise UsageError(f"{folder}: no environment; make it with {script} {tool.environment}")
    return folder / inside


def _tool(row: Mapping[str, Any], folder: Path) -> Tool:
    return Tool(
        name=row["name"],
        label=row["label"],
        script=folder / row["script"],
        environment=row["environment"],
        requirements=tuple(row["requirements"]),
        detects=row["detects"],
        note=row["note"],
        options=tuple(row.get("options", ())),
    )

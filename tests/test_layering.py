"""Torch stays in `training`, and nothing else depends on that folder."""

from __future__ import annotations

import ast
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import holdfast

PACKAGE = Path(holdfast.__file__).parent
HEAVY = {"torch", "transformers", "accelerate"}


def modules_outside_training() -> list[Path]:
    paths = PACKAGE.rglob("*.py")
    return [path for path in paths if "training" not in path.relative_to(PACKAGE).parts]


def imported(path: Path) -> Iterator[tuple[str, bool]]:
    """Every module a file imports, and whether it does so at the top of the file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    top = set(map(id, tree.body))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, id(node) in top
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, id(node) in top
            for alias in node.names:
                yield f"{node.module}.{alias.name}", id(node) in top


def test_nothing_outside_training_names_torch() -> None:
    offenders = {
        str(path.relative_to(PACKAGE)): name
        for path in modules_outside_training()
        for name, _ in imported(path)
        if name.split(".")[0] in HEAVY
    }
    assert offenders == {}


def test_only_the_command_line_imports_training_and_only_when_it_needs_it() -> None:
    offenders = {
        str(path.relative_to(PACKAGE)): name
        for path in modules_outside_training()
        for name, at_top in imported(path)
        if name.startswith("holdfast.")
        and "training" in name.split(".")
        and (at_top or path.relative_to(PACKAGE).parts[0] != "cli")
    }
    assert offenders == {}


def test_importing_everything_outside_training_leaves_torch_out() -> None:
    names = [
        module.name
        for module in pkgutil.walk_packages([str(PACKAGE)], "holdfast.")
        if ".training" not in module.name and not module.name.endswith("__main__")
    ]
    assert len(names) > 50
    code = (
        "import importlib, sys\n"
        f"for name in {names!r}:\n"
        "    try: importlib.import_module(name)\n"
        "    except ModuleNotFoundError as error:\n"
        f"        if error.name.split('.')[0] in {HEAVY | {'holdfast'}!r}: raise\n"
        f"print(sorted({HEAVY!r} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "[]"

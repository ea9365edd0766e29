"""Who may import whom, as one table; torch stays in folders named `training`."""

from __future__ import annotations

import ast
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import holdfast

PACKAGE = Path(holdfast.__file__).parent
HEAVY = {"torch", "transformers", "accelerate"}

VALUES = "values"  # modules at the top of the package that are no layer of their own
LAYERS = {
    VALUES: set[str](),
    "text": {VALUES},
    "corpora": {VALUES, "text"},
    "names": {VALUES, "text", "encoders", "kb"},
    "encoders": {VALUES, "text"},
    "kb": {VALUES, "text", "names"},
    "detect": {VALUES, "text", "kb", "names", "encoders"},
    "link": {VALUES, "text", "kb", "names", "encoders", "detect"},
    "systems": {VALUES, "text", "kb", "names", "encoders", "detect", "link"},
    "kinds": {VALUES, "detect", "link", "systems"},
    "parts": {VALUES, "kinds"},
    "pipeline": {VALUES, "kb", "link", "kinds", "parts"},
    "evaluate": {VALUES, "text", "corpora"},
    "bench": {VALUES, "text", "corpora", "kb", "names", "encoders", "link", "systems"}
    | {"pipeline", "evaluate", "experiments"},
    "experiments": {VALUES, "text", "corpora", "kb", "names", "encoders", "link", "systems"}
    | {"kinds", "parts", "pipeline", "evaluate", "bench"},
    "training": {VALUES, "text", "corpora", "kb", "names", "encoders", "detect", "link"}
    | {"systems", "parts", "pipeline", "evaluate", "experiments"},
    "io": {VALUES, "text", "corpora", "kb", "names", "detect", "link", "systems", "pipeline"}
    | {"evaluate", "experiments"},
    "server": {VALUES, "text", "corpora", "kb", "link", "parts", "pipeline", "io"},
    "batch": {VALUES, "text", "corpora", "kb", "encoders", "parts", "pipeline", "io"},
    "plugins": {VALUES, "text", "kb", "link", "parts", "pipeline", "io", "server"},
    "cli": {VALUES, "text", "corpora", "kb", "detect", "systems", "parts", "pipeline"}
    | {"evaluate", "bench", "experiments", "training", "io", "server", "batch", "plugins"},
}
"""Each layer, and those that its modules may import, at the top of a file or inside a function.

What only a type checker needs may come from anywhere. A folder named `training` belongs to the
layer of that name, wherever it is.
"""


def name_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in PACKAGE.rglob("*.py")}


def layer_of(module: str) -> str:
    parts = module.split(".")[1:]
    if "training" in parts:
        return "training"
    return parts[0] if parts and parts[0] in LAYERS else VALUES


def imported(path: Path) -> Iterator[tuple[str, bool]]:
    """The project's and other modules that a file imports, and whether for types only."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, id(node) in for_types
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in MODULES else node.module, id(node) in for_types


@pytest.mark.parametrize("module", sorted(MODULES))
def test_a_module_imports_only_what_its_layer_may(module: str) -> None:
    own = layer_of(module)
    if module in ("holdfast", "holdfast.__main__"):  # the front door and the command
        return
    allowed = LAYERS[own] | {own}
    strangers = {
        name
        for name, for_types in imported(MODULES[module])
        if name.startswith("holdfast.") and not for_types and layer_of(name) not in allowed
    }
    assert strangers == set()


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Also not inside functions; what only types need may point anywhere."""
    graph = {
        module: {
            name
            for name, for_types in imported(path)
            if name in MODULES and not for_types and name not in (module, "holdfast")
        }
        for module, path in MODULES.items()
        if module != "holdfast"  # it offers the public names of those below, lazily
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_nothing_outside_training_names_torch() -> None:
    offenders = {
        module: name
        for module, path in MODULES.items()
        if layer_of(module) != "training"
        for name, _ in imported(path)
        if name.split(".")[0] in HEAVY
    }
    assert offenders == {}


def test_only_the_command_line_imports_training_and_only_when_it_needs_it() -> None:
    for module, path in MODULES.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        at_top = {ast.unparse(node) for node in tree.body if isinstance(node, ast.ImportFrom)}
        if layer_of(module) != "training":
            assert not any(".training" in line for line in at_top), module


def test_importing_everything_outside_training_leaves_torch_out() -> None:
    names = [
        module.name
        for module in pkgutil.walk_packages([str(PACKAGE)], "holdfast.")
        if ".training" not in module.name
        and not module.name.endswith("__main__")
        and module.name != "holdfast.plugins.spacy"  # spaCy imports torch itself, if it is there
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

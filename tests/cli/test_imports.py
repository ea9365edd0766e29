"""Commands import only what they need: a look-up should not wait for networks and experiments."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from command import environment
from small_kb import make_kb

NEVER = (
    "onnxruntime",
    "faiss",
    "torch",
    "holdfast.evaluate",
    "holdfast.experiments",
    "holdfast.bench",
    "holdfast.training",
)
IN_LINK = ("torch", "holdfast.evaluate", "holdfast.experiments", "holdfast.bench")


def modules_of(*arguments: str, home: Path) -> tuple[set[str], str]:
    """The modules that a command has imported when it ends, and what it printed."""
    code = (
        "import json, sys\n"
        "from holdfast.cli import main\n"
        "try: main()\n"
        "finally: print(json.dumps(sorted(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=True,
        env=environment(HOLDFAST_HOME=str(home)),
    )
    return set(json.loads(done.stderr.splitlines()[-1])), done.stdout


def unwanted(modules: set[str], names: tuple[str, ...]) -> set[str]:
    return {m for m in modules if any(m == name or m.startswith(f"{name}.") for name in names)}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    make_kb(folder / "kb" / "small")
    return folder


@pytest.mark.parametrize("arguments", [["--help"], ["kb", "--help"], ["kb", "info", "small"]])
def test_looking_around_imports_no_network_index_or_experiment(
    arguments: list[str], home: Path
) -> None:
    modules, printed = modules_of(*arguments, home=home)
    assert printed
    assert unwanted(modules, NEVER) == set()


def test_a_search_imports_no_network_index_or_experiment_and_forgives_a_typing_error(
    home: Path,
) -> None:
    modules, printed = modules_of(
        "kb", "search", "myocardal infarcton", "--kb", "small", "--json", home=home
    )
    assert json.loads(printed)["found"][0]["id"] == "MESH:D002"
    assert unwanted(modules, NEVER) == set()


def test_linking_imports_nothing_that_trains_or_measures(home: Path) -> None:
    modules, printed = modules_of("link", "Heart attack.", "--kb", "small", "--json", home=home)
    assert json.loads(printed)["mentions"][0]["ids"] == ["MESH:D002"]
    assert unwanted(modules, IN_LINK) == set()

"""A built wheel, installed into an empty environment, works the same as the checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from command import environment, run
from small_kb import make_kb

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src" / "holdfast"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, so that nothing is written into the project."""
    pytest.importorskip("build")
    pytest.importorskip("hatchling")
    if not (ROOT / "pyproject.toml").exists():
        pytest.skip("not a checkout")
    copy = tmp_path_factory.mktemp("checkout")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy / name)
    shutil.copytree(
        SOURCES, copy / "src" / "holdfast", ignore=shutil.ignore_patterns("__pycache__")
    )
    command = [
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        str(copy / "dist"),
    ]
    subprocess.run([*command, str(copy)], check=True, capture_output=True)
    (path,) = (copy / "dist").glob("*.whl")
    return path


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment of its own, with the wheel installed.

    No network is needed: dependencies are looked up where this environment has them, after what
    is installed. The checkout is not found that way, since `.pth` files there are not read.
    """
    pytest.importorskip("pip")
    folder = tmp_path_factory.mktemp("environment") / "venv"
    venv.create(folder, with_pip=False, symlinks=os.name != "nt")
    interpreter = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(interpreter), "--disable-pip-version-check"]
    subprocess.run(
        [*pip, "install", "--no-index", "--no-deps", str(wheel)], check=True, capture_output=True
    )
    site = next(path for path in folder.rglob("site-packages") if path.is_dir())
    (site / "dependencies.pth").write_text(sysconfig.get_paths()["purelib"] + "\n", "utf-8")
    return interpreter


def call(python: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    variables = environment()
    variables.pop("PYTHONPATH", None)
    return subprocess.run(
        [python, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=python.parent,
        env=variables,
        check=False,
    )


def test_every_file_of_the_package_is_in_the_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as content:
        packed = {name.removeprefix("holdfast/") for name in content.namelist()}
    files = {
        path.relative_to(SOURCES).as_posix()
        for path in SOURCES.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert files - packed == set()
    assert {
        "py.typed",
        "names/common_words.txt",
        "experiments/recipes/rescnn/lenient-ncbi-exact.toml",
    } <= packed


def test_the_installed_wheel_is_what_runs(python: Path) -> None:
    done = call(python, "-c", "import holdfast; print(holdfast.__file__)")
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).is_relative_to(python.parents[1])


def test_linking_prints_the_same_as_the_checkout(python: Path, tmp_path: Path) -> None:
    make_kb(tmp_path / "kb")
    arguments = ("link", "A heart attack after TNF-α.", "--kb", tmp_path / "kb", "--json")
    installed = call(python, python.with_name("holdfast"), *arguments)
    assert installed.returncode == 0, installed.stderr
    assert installed.stdout == run(*arguments).stdout


def test_the_wheel_is_small_enough_to_be_given_out(wheel: Path) -> None:
    assert wheel.stat().st_size < 95e6


def test_recipes_and_word_lists_are_found_in_the_installed_wheel(python: Path) -> None:
    code = (
        "from holdfast.experiments.recipe import read_recipe, shipped\n"
        "from holdfast.names.credible import common_words\n"
        "print(len([read_recipe(name) for name in shipped()]), 'the' in common_words())"
    )
    done = call(python, "-c", code)
    assert done.returncode == 0, done.stderr
    count = len(list((SOURCES / "experiments" / "recipes").rglob("*.toml")))
    assert done.stdout.split() == [str(count), "True"]


def test_the_wheel_declares_its_command(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as content:
        (name,) = (n for n in content.namelist() if n.endswith("entry_points.txt"))
        assert "holdfast = holdfast.cli:main" in content.read(name).decode()

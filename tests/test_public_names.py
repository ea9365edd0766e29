"""What `import holdfast` promises."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

import pytest

import holdfast


def test_all_is_what_is_exported() -> None:
    for name in holdfast.__all__:
        assert getattr(holdfast, name) is not None
    assert len(set(holdfast.__all__)) == len(holdfast.__all__)
    modules = {n for n, value in vars(holdfast).items() if isinstance(value, type(sys))}
    public = {n for n in vars(holdfast) if not n.startswith("_")} - modules
    imported = {"TYPE_CHECKING", "Any", "annotations"}
    assert public - imported == {n for n in holdfast.__all__ if not n.startswith("_")}
    assert set(holdfast.__all__) <= set(dir(holdfast))


def test_the_version_is_that_of_the_package() -> None:
    assert holdfast.__version__ == version("holdfast")


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = holdfast.nonsense


def test_importing_holdfast_alone_imports_nothing_heavy() -> None:
    code = "import sys, holdfast; print({'numpy', 'pyarrow', 'rich', 'typer'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "set()"

"""`holdfast probe` where nothing can be trained."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from command import run


@pytest.mark.parametrize(
    "command",
    [("probe", "word-order"), ("probe", "attention-window"), ("train", "collective-bc5cdr")],
)
def test_a_missing_library_is_one_line_that_says_what_to_install(
    command: tuple[str, str], tmp_path: Path
) -> None:
    """A torch stands before the real one that is found and cannot be imported."""
    missing = "raise ModuleNotFoundError(\"No module named 'torch'\", name='torch')\n"
    (tmp_path / "torch.py").write_text(missing, encoding="utf-8")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = run(*command, "--data", tmp_path, PYTHONPATH=path)
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert re.fullmatch(
        r"holdfast: (torch|onnx) is not installed; pip install 'holdfast\[train\]'", line
    )

"""`holdfast probe` where nothing can be trained."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from command import call


@pytest.mark.parametrize(
    "command",
    [("probe", "word-order"), ("probe", "attention-window"), ("train", "collective-bc5cdr")],
)
def test_a_missing_library_is_one_line_that_says_what_to_install(
    command: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [
        name for name in sys.modules if name.startswith("holdfast.") and ".training" in name
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    done = call(*command, "--data", tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert re.fullmatch(
        r"holdfast: (torch|onnx) is not installed; pip install 'holdfast\[train\]'", line
    )

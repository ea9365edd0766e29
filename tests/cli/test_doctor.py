"""`holdfast doctor`: what it finds, and its exit code."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import holdfast
from command import call, run
from holdfast import artifacts
from holdfast.kb import kb_folder
from holdfast.models import WEIGHTS, trained_models
from small_kb import make_kb


def checks(code: int) -> dict[str, Any]:
    done = call("doctor", "--json")
    assert done.returncode == code, done.stdout
    found = json.loads(done.stdout)
    assert found["sound"] is (code == 0)
    return {check["what"]: check for check in found["checks"]}


def test_a_fresh_installation_is_sound_and_says_what_is_missing() -> None:
    found = checks(code=0)
    assert found["Holdfast"]["found"] == holdfast.__version__
    assert "numpy" in found["packages"]["found"]
    assert found["knowledge bases"]["state"] == "noted"
    assert "holdfast kb get open" in found["knowledge bases"]["found"]
    assert "MESH:D003924" in found["self-test"]["found"]
    assert "GB" in found["free disk"]["found"]
    assert "default" in found["models that ship"]["found"]
    left = [path for path in artifacts.home().rglob("*") if path.is_file()]
    assert left == [], "the self-test leaves nothing behind"


def test_it_fits_on_one_screen() -> None:
    make_kb(kb_folder("small"))
    done = run("doctor", COLUMNS="100")
    assert done.returncode == 0, done.stdout
    assert done.stdout.endswith("All is well.\n")
    assert done.stdout.count("\n") <= 24


def change_a_byte(path: Path) -> None:
    """Change a file, but neither its size nor the time of its last change."""
    stat = path.stat()
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def test_all_that_is_broken_is_named_though_an_earlier_check_passed() -> None:
    folder = make_kb(kb_folder("small")).folder
    change_a_byte(folder / "names.arrow")
    kb_folder("empty").mkdir()
    model = trained_models() / "mine"
    shutil.copytree(WEIGHTS / "encoder", model)
    change_a_byte(next(model.glob("*.onnx")))
    found = checks(code=1)
    broken = {what for what, check in found.items() if check["state"] == "broken"}
    assert broken == {"knowledge base small", "knowledge base empty", "model mine"}
    assert "names.arrow: damaged (its sha256" in found["knowledge base small"]["found"]
    assert "no manifest.json" in found["knowledge base empty"]["found"]
    assert "sha256" in found["model mine"]["found"]
    assert found["self-test"]["state"] == "good"


def test_a_home_folder_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("HOLDFAST_HOME", str(tmp_path / "file" / "home"))
    assert checks(code=1)["home folder"]["state"] == "broken"

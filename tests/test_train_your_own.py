"""docs/train_your_own.md is followed from its first line to its last, and prints what it says."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import Final

import pytest

from command import call
from holdfast.corpora import read_documents
from small_bert import save_small_bert

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = (ROOT / "docs/train_your_own.md").read_text("utf-8")
BLOCKS: Final = re.findall(r"^```(\w*)(?: title=\"(.*?)\")?\n(.*?)^```$", PAGE, re.M | re.S)
KELP: Final = Path("tests/data/kelp")
_FIGURE: Final = re.compile(r"\b\d+\.\d+\b|(?<=digest )\w+")  # figures and digests may change


@pytest.fixture(autouse=True)
def _workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with the files that the page names."""
    shutil.copytree(ROOT / KELP, tmp_path / KELP)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")


def follow(*languages: str) -> None:
    for language, title, code in BLOCKS:
        if title:
            Path(title).write_text(code, encoding="utf-8")
        elif language == "console" and language in languages:
            for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", code, re.M):
                check_lines(run(command), shown)
        elif language == "sh" and language in languages:
            for command in code.splitlines():
                if command.startswith("holdfast"):
                    run(command)


def run(command: str) -> list[str]:
    """What a command of the page prints, both on standard output and on standard error."""
    program, *words = shlex.split(command)
    assert program == "holdfast"
    done = call(*words)
    assert done.returncode == 0, done.stderr
    return plain(f"{done.stderr}\n{done.stdout}")


def check_lines(printed: list[str], shown: str) -> None:
    """Every line that the page shows is printed, in this order."""
    rest = iter(printed)
    for line in plain(shown):
        assert any(line == other for other in rest), f"{line!r} is not in\n" + "\n".join(printed)


def plain(text: str) -> list[str]:
    """The lines without blanks at their ends, figures and digests."""
    return [_FIGURE.sub("#", line.rstrip()) for line in text.splitlines() if line.strip()]


def test_every_command_prints_what_the_page_says() -> None:
    follow("console")


def test_a_detector_is_trained_joined_and_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a small encoder, since MiniLM is no part of the project."""
    torch = pytest.importorskip("torch", reason="torch is not installed: see `make test-train`")
    pytest.importorskip("transformers")
    torch.set_num_threads(1)  # of a network so small, more only wait for each other
    texts = [document.text for document in read_documents(KELP / "train.pubtator")]
    encoder = save_small_bert(tmp_path / "encoder", texts)
    monkeypatch.setattr("holdfast.detect.training.train.find_encoder", lambda: encoder)
    follow("console", "sh")
    assert "kelp-detector, kelp-linker" in "\n".join(run("holdfast models --model kelp-model"))


def test_the_last_table_is_that_of_the_marked_file() -> None:
    """Both tables of the page have the same mentions and concepts."""
    shown = [code for language, _, code in BLOCKS if language == "text"]
    (marked,) = [code for _, _, code in BLOCKS if "note.pubtator --kb kelp --model" in code]
    assert len(shown) == 1
    check_lines(plain(marked), shown[0])


def test_every_refusal_of_the_page_is_one_of_the_program() -> None:
    reasons = re.findall(r"^\| (.*?) \| ", PAGE.partition("## If it refuses")[2], re.M)[1:]
    code = "".join(p.read_text("utf-8") for p in (ROOT / "src/holdfast").rglob("*.py"))
    assert len(reasons) == 6
    for reason in reasons:
        for part in reason.split("…"):
            assert part.strip() in code, reason

"""docs/quickstart.md is followed from its first line to its last, and prints what it says."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path
from typing import Any, Final

import pytest

from command import call
from holdfast.kb import Entry, Source, build_kb, kb_folder

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = (ROOT / "docs/quickstart.md").read_text("utf-8")
BLOCKS: Final = re.findall(r"^```(\w*)(?: title=\"(.*?)\")?\n(.*?)^```$", PAGE, re.M | re.S)
_FIGURE: Final = re.compile(r"\b[01]\.\d\d\b|(?<=digest )\w+")  # scores and digests may change


@pytest.fixture(autouse=True)
def _workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder to work in, and a small knowledge base in place of the open one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    disease, chemical = ("Disease",), ("Chemical",)
    mesh = [
        Entry("MESH:C531550", "olaparib", types=chemical),
        Entry("MESH:D006073", "Gout", types=disease),
        Entry("MESH:D001241", "Aspirin", types=chemical),
    ]
    parts = [
        (Source("MeSH"), mesh),
        (Source("ChEBI"), [_same("CHEBI:83766", "olaparib", "MESH:C531550", chemical)]),
        (Source("Disease Ontology"), [_same("DOID:13189", "gout", "MESH:D006073", disease)]),
        (Source("MONDO"), [_same("MONDO:0005393", "gout", "MESH:D006073", disease)]),
    ]
    build_kb(kb_folder("open"), name="open", parts=parts)


def _same(id: str, name: str, other: str, types: tuple[str, ...]) -> Entry:
    return Entry(id, name, types=types, xrefs=(other,))


def test_every_command_prints_what_the_page_says() -> None:
    for language, title, code in BLOCKS:
        if title:
            Path(title).write_text(code, encoding="utf-8")
        elif language == "console":
            run_commands(code)
        elif language == "pycon" and "pandas" not in code:
            run_session(code)


def test_the_table_is_read_in_pandas() -> None:
    pytest.importorskip("pandas", reason="pandas is not installed; the extra dev has it")
    for language, title, code in BLOCKS:
        if title:
            Path(title).write_text(code, encoding="utf-8")
        elif language == "console" and ("kb build" in code or "--format tsv" in code):
            run_commands(code)
        elif language == "pycon" and "pandas" in code:
            run_session(code)


def test_what_is_not_run_here_is_what_continuous_integration_runs() -> None:
    """Every block is a file, a command that is run above, or the installation."""
    others = [code for language, title, code in BLOCKS if not title and language == "sh"]
    assert [code.splitlines() for code in others] == [["make demo", ". .venv/bin/activate"]]
    assert "make demo" in (ROOT / ".ci/run").read_text("utf-8").splitlines()
    assert {language for language, title, _ in BLOCKS if not title} == {"sh", "console", "pycon"}
    assert len(BLOCKS) == PAGE.count("\n```") / 2


def run_commands(block: str) -> None:
    """Each line after `$` is run; what follows it is what it must print."""
    for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
        program, *words = shlex.split(command)
        assert program == "holdfast"
        file = words[words.index(">") + 1] if ">" in words else None
        done = call(*(words[: words.index(">")] if file else words))
        assert done.returncode == 0, done.stderr
        if file:
            Path(file).write_text(done.stdout, encoding="utf-8")
        else:
            assert plain(done.stdout) == plain(expected), command


def run_session(code: str) -> None:
    names: dict[str, Any] = {}
    test = doctest.DocTestParser().get_doctest(code, names, "docs/quickstart.md", None, 0)
    assert not doctest.DocTestRunner().run(test).failed


def plain(printed: str) -> str:
    """What is printed, without blanks at the ends of lines, scores and digests."""
    lines = (line.rstrip() for line in printed.strip().splitlines())
    return _FIGURE.sub("#", "\n".join(lines))

"""The pages are true: their code runs, their commands exist, their links lead somewhere."""

from __future__ import annotations

import doctest
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest
import typer

from holdfast.cli import app
from holdfast.experiments.recipe import Evaluate, KbSpec, Recipe, Train, read_recipe
from holdfast.kb import Entry, Link, Source, build_kb, kb_folder
from holdfast.kb.open.vocabularies import VOCABULARIES
from holdfast.kinds import KINDS
from test_layering import LAYERS, VALUES

ROOT: Final = Path(__file__).parents[1]
PAGES: Final = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
FOLLOWED: Final = ROOT / "docs/quickstart.md"  # test_quickstart.py runs it from beginning to end

_BLOCK: Final = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_INDENTED: Final = re.compile(r"(?:^    .*\n)+", re.MULTILINE)
_LINK: Final = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING: Final = re.compile(r"^#+ (.*)$", re.MULTILINE)

ENTRIES: Final = (
    Entry(
        "MESH:D003924",
        "Diabetes Mellitus, Type 2",
        synonyms=("Type 2 Diabetes",),
        types=("Disease",),
        xrefs=("DOID:9352",),
        links=(Link("is_a", "MESH:D003920"),),
    ),
    Entry("MESH:D003920", "Diabetes Mellitus", types=("Disease",)),
    Entry("MESH:D003139", "Common Cold", types=("Disease",)),
    Entry("MESH:D009325", "Nausea", types=("Disease",)),
    Entry("MESH:D008687", "Metformin", types=("Chemical",)),
    Entry("MESH:D001241", "Aspirin", types=("Chemical",)),
    Entry("NCBIGene:7157", "TP53", synonyms=("p53",), types=("Gene",)),
)


def test_no_page_is_left_out() -> None:
    written = {path for path in (ROOT / "docs").rglob("*") if path.suffix == ".md"}
    assert ROOT / "README.md" in PAGES
    assert any(path.parent.name == "systems" for path in written)
    assert written <= set(PAGES)


def page_id(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(page: Path) -> list[tuple[str, str]]:
    """(what is written after the fence, the code), in order."""
    return [(info.strip(), code) for info, code in _BLOCK.findall(page.read_text("utf-8"))]


def pages_with(*kinds: str) -> list[Path]:
    return [p for p in PAGES if p != FOLLOWED and any(info in kinds for info, _ in blocks(p))]


@pytest.fixture
def _workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A folder with the files that pages name, a knowledge base `open`, and a table to change."""
    monkeypatch.chdir(tmp_path)
    Path("train.pubtator.txt").write_text(
        "1|t|Aspirin.\n1|a|It helps.\n1\t0\t7\tAspirin\tChemical\tD001241\n", encoding="utf-8"
    )
    corpus = Path("data/corpora/bc5cdr/train.pubtator.txt")
    corpus.parent.mkdir(parents=True)
    corpus.write_text(
        "1|t|Sugar disease.\n1|a|x\n1\t0\t13\tSugar disease\tDisease\tD003920\n", encoding="utf-8"
    )
    build_kb(kb_folder("open"), name="open", parts=[(Source("MeSH"), ENTRIES)])
    known = dict(KINDS)
    yield
    for name in KINDS.keys() - known.keys():
        del KINDS[name]


@pytest.mark.usefixtures("_workplace")
@pytest.mark.parametrize("page", pages_with("python", "pycon"), ids=page_id)
def test_the_code_of_a_page_runs(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("page")
    monkeypatch.setitem(sys.modules, "page", module)  # where its dataclasses look for themselves
    names = vars(module)
    for number, (info, code) in enumerate(blocks(page), 1):
        place = f"{page_id(page)}, block {number}"
        if info == "python":
            exec(compile(code, place, "exec"), names)
        elif info == "pycon":
            test = doctest.DocTestParser().get_doctest(code, names, place, place, 0)
            runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
            failed = runner.run(test, clear_globs=False).failed
            assert not failed, place


@pytest.mark.parametrize("page", pages_with("python needs-data"), ids=page_id)
def test_code_that_needs_data_compiles(page: Path) -> None:
    for info, code in blocks(page):
        if info == "python needs-data":
            compile(code, page_id(page), "exec")


@pytest.mark.parametrize("page", pages_with("toml"), ids=page_id)
def test_a_recipe_on_a_page_is_a_recipe(page: Path, tmp_path: Path) -> None:
    for info, code in blocks(page):
        if info == "toml":
            path = tmp_path / "mine.toml"
            path.write_text(code, encoding="utf-8")
            assert read_recipe(path).name == "mine"


def test_every_key_of_a_recipe_is_documented() -> None:
    text = (ROOT / "docs/recipes.md").read_text("utf-8")
    parts = dict(re.findall(r"^### \[+(\w+)\]+\n(.*?)(?=^##|\Z)", text, re.M | re.S))
    sections = {*Recipe.__slots__} - {"name", "title", "references"} | {"reference"}
    assert set(parts) == sections
    assert "`title`" in text
    for name, keys in {
        "train": {*Train.__slots__} - {"settings"},
        "model": {"parts"},
        "evaluate": {*Evaluate.__slots__},
        "kb": {*KbSpec.__slots__},
    }.items():
        table = parts[name].partition("|---|---|\n")[2].partition("\n\n")[0]
        rows = re.findall(r"^\| (.*?) \|", table, re.M)
        assert set(re.findall(r"`(\w+)`", "".join(rows))) == keys


def test_every_kind_that_is_trained_is_documented() -> None:
    text = (ROOT / "docs/recipes.md").read_text("utf-8")
    table = text.partition("| kind | settings |\n|---|---|\n")[2].partition("\n\n")[0]
    documented = re.findall(r"^\| `(.*?)` \|", table, re.M)
    assert sorted(documented) == sorted(name for name, kind in KINDS.items() if kind.trainer)


def test_the_settings_of_every_kind_are_classes_of_the_package() -> None:
    text = (ROOT / "docs/recipes.md").read_text("utf-8")
    rows = re.findall(
        r"^\| `[\w -]+` \| (.*(?:systems|training)/.*|.*same file.*) \|$", text, re.MULTILINE
    )
    named = {name for row in rows for name in re.findall(r"`([A-Z]\w+)`", row)}
    files = {path for row in rows for path in re.findall(r"`([\w/]+\.py)`", row)}
    code = "\n".join(path.read_text("utf-8") for path in (ROOT / "src/holdfast").rglob("*.py"))
    assert len(named) > 20
    assert {
        name for name in named if not re.search(rf"^class {name}\b", code, re.MULTILINE)
    } == set()
    assert {
        path for path in files if "/" in path and not (ROOT / "src/holdfast" / path).exists()
    } == set()


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    prose = _BLOCK.sub("", page.read_text("utf-8"))
    for target in _LINK.findall(prose):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), target
        if anchor:
            assert anchor in anchors(file), target


def anchors(page: Path) -> set[str]:
    """The names that a forge gives to the headings of a page."""
    prose = _BLOCK.sub("", page.read_text("utf-8"))
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in _HEADING.findall(prose))
    return {heading.replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_every_command_and_option_on_a_page_exists(page: Path) -> None:
    for words in commands_of(page):
        command: Any = typer.main.get_command(app)
        while hasattr(command, "commands"):
            if command.invoke_without_command and (not words or words[0].startswith("--")):
                break
            assert words, "a command is missing"
            name = words.pop(0)
            assert name in command.commands, name
            command = command.commands[name]
        known = {option for parameter in command.params for option in parameter.opts}
        for word in words:
            if word.startswith("--"):
                assert word.partition("=")[0] in {*known, "--help", "--debug"}, word


def commands_of(page: Path) -> Iterator[list[str]]:
    """The words after `holdfast` of every command line in a block that has no language."""
    text = page.read_text("utf-8")
    plain = [code for info, code in blocks(page) if info in ("", "sh", "console")]
    plain += _INDENTED.findall(_BLOCK.sub("", text))
    for line in "".join(plain).splitlines():
        found = re.match(r"\s*(?:\$ )?(?:[\w. ]+\| )?holdfast (?!\[)(.*)", line)
        if found and "…" not in line:
            words = shlex.split(found[1], comments=True)
            yield words


def test_the_open_vocabularies_are_listed_as_they_are() -> None:
    page = (ROOT / "docs/knowledge_bases.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (.*) \| (.*) \| (.*) \| `\w+:` \| (.*) \|$", page, re.M)
    assert rows == [
        (name, source.name, source.version, source.licence, source.origin)
        for name, source in ((name, v.source) for name, v in VOCABULARIES.items())
    ]


def test_the_folders_of_the_tour_are_all_there() -> None:
    """Every package and every module of the first level has its place in the tour, and no other."""
    page = (ROOT / "docs/architecture.md").read_text("utf-8")
    section = page.partition("## The folders\n")[2].partition("\n## ")[0]
    inside, _, beside = section.partition("\nBeside it:\n")
    package = ROOT / "src/holdfast"
    named = places(inside)
    assert [name for name in named if not (package / name).exists()] == []
    packages = {f"{path.parent.relative_to(package)}/" for path in package.rglob("__init__.py")}
    modules = {path.name for path in package.glob("*.py") if not path.name.startswith("__")}
    assert (packages | modules) - {"./"} - named == set()
    assert [name for name in places(beside) if not (ROOT / name).exists()] == []


def test_the_tour_says_who_may_import_whom() -> None:
    page = (ROOT / "docs/architecture.md").read_text("utf-8")
    section = page.partition("## Import direction\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (.*?) \| (.*) \|$", section, re.MULTILINE)[1:]
    written = {layer: layers(cell) for place, cell in rows for layer in layers(place)}
    assert written == LAYERS
    assert len(rows) == len(LAYERS)


def layers(cell: str) -> set[str]:
    """The layers that a cell names, as tests/test_layering.py calls them."""
    named = set(re.findall(r"`(\w+)(?:/|\.py)`", cell))
    return named | ({VALUES} if "the values" in cell else set())


def places(section: str) -> set[str]:
    """The modules and folders that the first cells of a table name."""
    cells = "".join(re.findall(r"^\| (.*?) \|", section, re.MULTILINE))
    return set(re.findall(r"`([\w/]+(?:\.py|/))`", cells))

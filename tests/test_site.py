"""The site of the documentation: its pages, its links, and that it needs no network."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Final

import pytest

from make_site import API, loaded_from_elsewhere, write_pages
from parameter_lists import with_lists

ROOT: Final = Path(__file__).parents[1]
CONFIG: Final = (ROOT / "docs/site/mkdocs.yml").read_text("utf-8")
NAV: Final = CONFIG.partition("\nnav:\n")[2].partition("\nplugins:\n")[0]
LISTED: Final = re.findall(r": (\S+\.md)$", NAV, re.MULTILINE)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "pages"
    write_pages(folder)
    return folder


def test_every_page_is_in_the_navigation_once(pages: Path) -> None:
    there = {path.relative_to(pages).as_posix() for path in pages.rglob("*.md")}
    assert sorted(LISTED) == sorted(there)


def test_the_navigation_has_its_five_parts() -> None:
    parts = re.findall(r"^  - (.*?):", NAV, re.MULTILINE)
    assert parts == ["Home", "Quickstart", "Guides", "Systems", "Evaluation", "API"]


def test_a_link_that_works_in_the_repository_works_on_the_site(pages: Path) -> None:
    targets = 0
    for page in pages.rglob("*.md"):
        prose = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.M | re.S)
        for target in re.findall(r"\]\(([^)\s#]+)[^)]*\)", prose):
            if not re.match(r"[a-z]+:", target):
                targets += 1
                assert (page.parent / target).exists(), f"{page.relative_to(pages)}: {target}"
    assert targets > 50


@pytest.mark.parametrize(
    "package", ["holdfast", "holdfast.kb", "holdfast.corpora", "holdfast.evaluate"]
)
def test_every_public_class_and_function_is_in_the_reference(package: str) -> None:
    modules = {module for page in API for module in page.modules}
    public = importlib.import_module(package)
    homes = {name: getattr(getattr(public, name), "__module__", "") for name in public.__all__}
    ours = {name: home for name, home in homes.items() if str(home).startswith("holdfast")}
    assert ours
    assert {name: home for name, home in ours.items() if home not in modules} == {}


def test_every_module_of_the_reference_is_there() -> None:
    for page in API:
        for module in page.modules:
            assert importlib.import_module(module).__doc__, module


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.html", '<script src="https://cdn.example/x.js"></script>'),
        ("a.html", '<link rel="stylesheet" href="//fonts.example/x.css">'),
        ("a.html", '<img alt="" src="http://example.org/x.png">'),
        ("a.html", "<style>p { background: url('https://example.org/x.png') }</style>"),
        ("a.css", '@import "https://fonts.example/x.css";'),
        ("a.css", "@font-face { src: url(https://fonts.example/x.woff2) }"),
        ("a.svg", '<style>@font-face { src: url("https://fonts.example/x.woff2") }</style>'),
    ],
)
def test_what_a_page_would_load_from_the_network_is_found(
    name: str, text: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    (found,) = loaded_from_elsewhere(tmp_path)
    assert found.startswith(f"{name}: ")


def test_links_and_what_lies_beside_a_page_are_no_such_thing(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<a href="https://example.org">there</a><script src="js/x.js"></script>'
        '<link href="x.css" rel="stylesheet"><img src="x.png">',
        encoding="utf-8",
    )
    (tmp_path / "x.css").write_text("a { src: url(fonts/x.woff2), url(data:x) }", "utf-8")
    assert loaded_from_elsewhere(tmp_path) == []


def test_our_own_pictures_load_nothing(pages: Path) -> None:
    assert list(pages.rglob("*.svg"))
    assert loaded_from_elsewhere(pages) == []


def test_described_parameters_become_a_list_and_prose_stays() -> None:
    docstring = (
        "Build it.\n\nkb        a name\nmin_score less is NIL,\n          always\n\n"
        "kb and more are words of this sentence.\n\n    kb    code"
    )
    assert with_lists(docstring, ["kb", "min_score"]) == (
        "Build it.\n\n- `kb`: a name\n- `min_score`: less is NIL,\n  always\n\n"
        "kb and more are words of this sentence.\n\n    kb    code"
    )
    assert with_lists(docstring, []) == docstring

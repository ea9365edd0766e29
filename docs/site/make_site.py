"""Builds the site of the documentation into build/site. `make docs`.

Pages keep the places that they have in the repository, so that links between them work in both;
the reference of the code is added, a page for each part of the package. A warning is an error, and
so is a page that loads anything from the network.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = ROOT / "build/pages"
SITE: Final = ROOT / "build/site"
_COPIED: Final = (
    "*.md",
    "Dockerfile",
    "LICENSE",
    "docs/**/*.md",
    "docs/*.json",
    "docs/*.svg",
    "docs/page/*.png",
    "docs/*.txt",
    "docs/site/*.css",
    "benchmarks/*.md",
    "results/*.md",
    "results/*.svg",
    "results/*.tsv",
)
_IN_STYLES: Final = re.compile(r"""(?:url\(|@import)\s*["']?([^"')\s]+)""")


@dataclass(frozen=True, slots=True)
class ApiPage:
    """A page of the reference: the public names of some modules, with their docstrings."""

    name: str
    title: str
    words: str
    modules: tuple[str, ...]


API: Final = (
    ApiPage(
        "pipeline",
        "Pipelines",
        "Load a pipeline and link texts with it. `holdfast.load` and `holdfast.Pipeline` are "
        "those of this page.",
        ("holdfast.pipeline",),
    ),
    ApiPage(
        "documents",
        "Documents",
        "The values that flow through a pipeline, all of them importable from `holdfast`.",
        ("holdfast.document", "holdfast.mention", "holdfast.types"),
    ),
    ApiPage(
        "kb",
        "Knowledge bases",
        "What there is to link to: open one, look entities up, build one from records.",
        ("holdfast.kb.store", "holdfast.kb.mapping", "holdfast.kb.records", "holdfast.kb.build"),
    ),
    ApiPage(
        "readers",
        "Vocabulary readers",
        "One reader for each release file that `holdfast kb build` takes.",
        (
            "holdfast.kb.readers.table",
            "holdfast.kb.readers.obo",
            "holdfast.kb.readers.mesh",
            "holdfast.kb.readers.umls",
            "holdfast.kb.readers.snomed",
            "holdfast.kb.readers.rxnorm",
            "holdfast.kb.readers.ctd",
            "holdfast.kb.readers.hgnc",
            "holdfast.kb.readers.gene_info",
            "holdfast.kb.readers.bioportal",
        ),
    ),
    ApiPage(
        "corpora",
        "Corpora",
        "Documents read from files of any format, and written.",
        ("holdfast.corpora", "holdfast.corpora.formats", "holdfast.corpora.report"),
    ),
    ApiPage(
        "text",
        "Text",
        "Sentences, tokens, abbreviations and normalisation.",
        (
            "holdfast.text.sentences",
            "holdfast.text.tokens",
            "holdfast.text.abbreviations",
            "holdfast.text.normalise",
        ),
    ),
    ApiPage(
        "evaluate",
        "Evaluation",
        "Score documents and rankings, with intervals.",
        (
            "holdfast.evaluate.protocols",
            "holdfast.evaluate.gold_mentions",
            "holdfast.evaluate.report",
            "holdfast.evaluate.intervals",
            "holdfast.evaluate.mistakes",
            "holdfast.evaluate.calibration",
        ),
    ),
    ApiPage(
        "models",
        "Models",
        "Model folders: what ships, what was trained here, and how a folder is checked.",
        ("holdfast.models", "holdfast.artifacts"),
    ),
    ApiPage(
        "steps",
        "Steps and kinds",
        "The interface of everything that can stand in a pipeline, for who writes a component.",
        ("holdfast.step", "holdfast.kinds"),
    ),
    ApiPage("errors", "Errors", "Everything that is raised on purpose.", ("holdfast.errors",)),
)


_FENCE: Final = re.compile(r"^(```\w+) (?!title=).*$", re.MULTILINE)


def write_pages(folder: Path) -> None:
    """Lay out every page of the site below the folder, which is made anew."""
    shutil.rmtree(folder, ignore_errors=True)
    for pattern in _COPIED:
        for path in ROOT.glob(pattern):
            target = folder / path.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
            if path.suffix == ".md":
                # What stands behind a block's language is for tests: the site would not know it.
                text = _FENCE.sub(r"\1", target.read_text("utf-8"))
                target.write_text(text, encoding="utf-8")
    (folder / "api").mkdir()
    for page in API:
        blocks = [f"# {page.title}", page.words, *(f"::: {module}" for module in page.modules)]
        (folder / "api" / f"{page.name}.md").write_text("\n\n".join(blocks) + "\n", "utf-8")


class _Resources(HTMLParser):
    """Collects what a page loads by itself; links that a reader may follow are not loaded."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("src", "srcset", "poster", "data") or (name == "href" and tag == "link"):
                self.found.append(value or "")


def loaded_from_elsewhere(site: Path) -> list[str]:
    """`file: address` of everything that a page, style sheet or picture loads from the network."""
    found = list[tuple[Path, str]]()
    for path in sorted(site.rglob("*")):
        if path.suffix == ".html":
            parser = _Resources()
            parser.feed(path.read_text(encoding="utf-8"))
            found += [(path, address) for address in parser.found]
        if path.suffix in (".html", ".css", ".svg"):
            text = path.read_text(encoding="utf-8")
            found += [(path, address) for address in _IN_STYLES.findall(text)]
    return [
        f"{path.relative_to(site)}: {address}"
        for path, address in found
        if address.startswith(("http:", "https:", "//"))
    ]


def main() -> None:
    """Build the site; exit with 1 if mkdocs warns or a page needs the network."""
    write_pages(PAGES)
    here = Path(__file__).parent
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--clean", "--config-file"]
    paths = os.pathsep.join([str(here), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": paths}
    built = subprocess.run([*command, here / "mkdocs.yml"], check=False, env=environment)
    if built.returncode:
        sys.exit(built.returncode)
    if elsewhere := loaded_from_elsewhere(SITE):
        sys.exit("the site loads from the network:\n" + "\n".join(elsewhere))
    print(f"{SITE.relative_to(ROOT)}/index.html: {len(list(SITE.rglob('*.html')))} pages")


if __name__ == "__main__":
    main()

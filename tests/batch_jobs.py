"""A small job for tests: inputs of every format, the command, and its output to compare."""

from __future__ import annotations

import gzip
import json
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from unittest.mock import patch

from command import call
from holdfast.batch.engines.tasks import Answer, Failed, Task, answer
from holdfast.batch.state import Finished
from holdfast.batch.work import BatchJob, Worker
from holdfast.corpora import write_documents
from holdfast.document import Document, Passage

SENTENCES = (
    "A heart attack after lithium carbonate; TNF rose in patient {}.",
    "Wiskott-Aldrich syndrome and bleeding in {} cases of blue moon disease.",
    "Nothing of note in group {}.",
    "Interleukin-2 (IL-2) and myocardial infarction number {}; IL-2 fell.",
)
MODEL = ("--model", "names")  # nothing that is slow to load
REPORTS = ("report.json", "report.html")  # they have the timing


class InlineEngine:
    """Does the tasks in this process, for tests of what comes out and not of who does it.

    That processes give the same is for a few other tests to show: each process takes a second.
    """

    deaths = 0

    def __init__(self, job: BatchJob, *, workers: int) -> None:
        self.workers = workers
        self._strict = job.strict
        self._worker = Worker(job)

    def __enter__(self) -> InlineEngine:
        return self

    def __exit__(self, *_: object) -> None:
        """There is nothing to end."""

    def run(self, tasks: Sequence[Task], told: Callable[[int], None]) -> Iterator[Answer]:
        for task in tasks:
            found = answer(task, self._worker, strict=self._strict, on_linked=lambda _: None)
            if isinstance(found, Failed):
                raise found.error()
            if isinstance(found, Finished):
                told(found.tally.documents)
            yield found


def call_inline(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The command in this process, with all of its work."""
    with patch("holdfast.batch.engines.local.LocalEngine", InlineEngine):
        return call(*arguments)


def documents(count: int, prefix: str) -> list[Document]:
    return [
        Document(f"{prefix}{i}", SENTENCES[i % len(SENTENCES)].format(i), (Passage("title", 0, 9),))
        for i in range(count)
    ]


def make_inputs(folder: Path) -> list[Path]:
    """One input of each kind; the texts are a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    medline = folder / "pubmed.xml.gz"
    medline.write_bytes(gzip.compress(_medline(documents(9, "10")).encode(), mtime=0))
    paths = [medline]
    for name, prefix in (
        ("a.pubtator", "20"),
        ("b.bioc.json", "b"),
        ("c.jsonl", "c"),
        ("d.parquet", "d"),
    ):
        paths.append(folder / name)
        write_documents(documents(5, prefix), paths[-1], allow_loss=True)
    texts = folder / "texts"
    (texts / "inner").mkdir(parents=True, exist_ok=True)
    for i, document in enumerate(documents(5, "t")):
        place = texts / "inner" if i % 2 else texts
        (place / f"{document.id}.txt").write_text(document.text, encoding="utf-8")
    return [*paths, texts]


def write_jsonl(path: Path, lines: Iterable[Document | str]) -> Path:
    """Documents, and lines that are none."""
    written = (line if isinstance(line, str) else json.dumps(line.to_json()) for line in lines)
    path.write_text("".join(f"{line}\n" for line in written), encoding="utf-8")
    return path


def _medline(listed: list[Document]) -> str:
    articles = "".join(
        f"<PubmedArticle><MedlineCitation><PMID>{d.id}</PMID><Article><ArticleTitle>{d.text}"
        "</ArticleTitle></Article></MedlineCitation></PubmedArticle>\n"
        for d in listed
    )
    return f'<?xml version="1.0"?>\n<PubmedArticleSet>{articles}</PubmedArticleSet>'


def output(folder: Path) -> dict[str, bytes]:
    """Every file of a job's folder that must not depend on time or luck, by name.

    What is hidden is bookkeeping; a file that a killed writer left would be in it, so none may be.
    """
    paths = [path for path in folder.rglob("*") if path.is_file()]
    assert not [path for path in paths if path.name.endswith((".part", ".attempts", ".lock"))]
    named = {path.relative_to(folder).as_posix(): path for path in paths}
    return {
        name: path.read_bytes()
        for name, path in named.items()
        if not name.startswith(".") and not name.startswith("report")
    }

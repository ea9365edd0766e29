"""What `holdfast types build` does: annotate, count, select and write."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final

from holdfast import artifacts
from holdfast.document import Document
from holdfast.errors import UsageError
from holdfast.kb.store import open_kb
from holdfast.pipeline import Pipeline, load
from holdfast.progress import Log
from holdfast.systems.bier.categories import ConceptCategories, open_sources
from holdfast.systems.bier.training.annotate import annotate, evaluated_text, read_texts
from holdfast.systems.bier.training.build import Builder, Filter, types_folder
from holdfast.systems.bier.training.merging import Edits
from holdfast.systems.bier.training.type_report import write_type_report
from holdfast.training.abstracts import abstracts_sha256, read_abstract_documents

_SHARD: Final = 250  # documents


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """The options of `holdfast types build`; docs/cli.md says what each means."""

    name: str
    texts: tuple[Path, ...] = ()
    data: Path | None = None
    kb: str = "open"
    model: str = "default"
    sources: tuple[str, ...] = ("ancestors", "types", "heads")
    filter: Filter = field(default_factory=Filter)
    remove: Path | None = None
    merge: Path | None = None
    documents: int | None = None  # the first ones
    share: float = 1.0  # of the documents, spread evenly

    def __post_init__(self) -> None:
        if not 0.0 < self.share <= 1.0:
            raise UsageError(f"--share {self.share}: it is more than 0 and at most 1")


def build_types(request: BuildRequest, *, report: Log) -> Path:
    """Build the type system and return its folder, in which report.html lies too.

    The annotated text stays beside it, in `NAME-annotated`: another filter, source or list of
    removed types builds from it in minutes.
    """
    if not request.texts and request.data is None:
        raise UsageError("name text with --text, or the data folder with --data")
    edits = Edits.read(request.remove, request.merge)
    kb = open_kb(request.kb)
    categories = ConceptCategories(kb, open_sources(request.sources, kb))
    folder = types_folder(request.name)
    annotated = folder.with_name(f"{folder.name}-annotated")
    pipeline = load(kb, model=request.model)
    about = {
        "kb": kb.manifest.digest,
        "model": pipeline.digest,
        "text": _digests(request),
        "documents": request.documents,
        "shard": _SHARD,
    }
    removed = _annotate(request, pipeline, annotated, about, report=report)
    builder = Builder(
        annotated,
        kb,
        categories,
        chosen=request.filter,
        edits=edits,
        report=report,
        share=request.share,
    )
    statistics = builder.write(folder, config=_config(request, about), removed=removed)
    out = folder.with_name(f"{folder.name}.html")
    write_type_report(folder, out)
    report(f"{folder}: {statistics.types:,} types, {statistics.triples:,} triples; {out}")
    return folder


def _annotate(
    request: BuildRequest,
    pipeline: Pipeline,
    folder: Path,
    about: Mapping[str, Any],
    *,
    report: Log,
) -> int:
    """Annotate what is not annotated yet; how many documents were left out as evaluated."""
    evaluated = evaluated_text(request.data, report=report) if request.data else None
    if evaluated is None:
        report("no --data: documents that corpora share with the text are not left out")
    annotate(
        islice(_documents(request), request.documents),
        pipeline,
        folder,
        evaluated=evaluated,
        size=_SHARD,
        settings=about,
        report=report,
        share=request.share,
    )
    removed = int(json.loads((folder / "removed.json").read_text(encoding="utf-8"))["removed"])
    report(f"{removed:,} documents were left out: they are evaluated")
    return removed


def _documents(request: BuildRequest) -> Iterator[Document]:
    if request.texts:
        return read_texts(request.texts)
    assert request.data is not None
    return read_abstract_documents(request.data)


def _digests(request: BuildRequest) -> dict[str, str]:
    """Of the files that are read; a folder is told by its name."""
    if not request.texts:
        assert request.data is not None
        return abstracts_sha256(request.data)
    return {
        path.name: artifacts.sha256_of(path) if path.is_file() else "folder"
        for path in request.texts
    }


def _config(request: BuildRequest, about: dict[str, Any]) -> dict[str, Any]:
    return {
        "kb": request.kb,
        "kb_digest": about["kb"],
        "model": request.model,
        "model_digest": about["model"],
        "sources": list(request.sources),
        "filter": asdict(request.filter),
        "text": about["text"],
        "share": request.share,
        "left_out": "documents of all corpora" if request.data else "nothing",
    }

"""What `holdfast annotate` does, from the plan to the report.

DIR/manifest.json       what the output depends on, with digests
DIR/shards/NAME.parquet one file per shard
DIR/quarantine.jsonl    what is not in the output, and why
DIR/report.json, .html  counts and timing
DIR/.state/             which shards are done
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from holdfast.batch.engines.tasks import Annotate, Engine, Measure
from holdfast.batch.folder import check_apart, check_folder, locked, names_full_disk
from holdfast.batch.inputs import JobInputs, find_sources
from holdfast.batch.outputs import output_format
from holdfast.batch.page import report_page
from holdfast.batch.places import OutputPlace, is_remote, open_place
from holdfast.batch.plan import (
    WHOLE,
    MeasuredSource,
    Shard,
    Share,
    shards_of_share,
    sources_of_share,
)
from holdfast.batch.report import Timing, Total, quarantine_lines, report_json
from holdfast.batch.settings import (
    Linking,
    check_unchanged,
    known_records,
    manifest_bytes,
    manifest_name,
    read_manifests,
    settings_of,
)
from holdfast.batch.state import Finished, finished_shard, forget_attempts
from holdfast.batch.work import BatchJob
from holdfast.blocks import cores
from holdfast.errors import UsageError
from holdfast.io.progress import progress_bar
from holdfast.kb.store import KnowledgeBase, open_kb
from holdfast.models import find_model
from holdfast.pipeline import prepare_kb

ENGINES: Final = ("local", "ray")
DOCUMENTS_PER_SHARD: Final = 1000

JobReport = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRequest:
    """The options of `holdfast annotate`; docs/cli.md says what each means."""

    inputs: tuple[str, ...]
    out: str
    format: str = "parquet"
    linking: Linking
    source_format: str | None = None
    documents_per_shard: int = DOCUMENTS_PER_SHARD
    share: Share = WHOLE
    resume: bool = False
    strict: bool = False
    workers: int | None = None  # None: as many as there are cores
    engine: str = "local"
    ray_address: str | None = None


def run_annotate(request: BatchRequest) -> JobReport:
    """Annotate what is asked for, and write the report. Wrong use is noticed first."""
    _check(request)
    place = open_place(request.out)
    manifests = _manifests(request, place)
    check_apart(request.out, request.inputs)
    inputs = find_sources(
        request.inputs,
        format=request.source_format,
        documents_per_shard=request.documents_per_shard,
    )
    kb = open_kb(request.linking.kb)
    linking = _absolute(request.linking, kb)
    linking.check(kb)
    settings = settings_of(
        linking,
        kb,
        inputs.sources,
        format=request.format,
        documents_per_shard=request.documents_per_shard,
        strict=request.strict,
    )
    check_unchanged(manifests, settings, None, place)
    with progress_bar(kb.name, quiet=1.0) as progress:
        prepare_kb(kb, model=linking.model, progress=progress)
    job = BatchJob(linking, request.format, request.strict, _absolute_place(request.out))
    run = _Run(request, place, inputs, kb, settings, job)
    with locked(place, manifest_name(request.share)):
        manifests = _manifests(request, place)  # another process may have begun meanwhile
        check_unchanged(manifests, settings, None, place)
        with _engine(request, job) as engine:
            return run.do(engine, manifests)


def _manifests(request: BatchRequest, place: OutputPlace) -> dict[str, dict[str, Any]]:
    """What the output folder already holds; UsageError if this job may not go there."""
    manifests = read_manifests(place)
    check_folder(
        place,
        request.out,
        has_own=manifest_name(request.share) in manifests,
        is_job=bool(manifests),
        resume=request.resume,
    )
    return manifests


@dataclass(frozen=True, slots=True)
class _Run:
    request: BatchRequest
    place: OutputPlace
    inputs: JobInputs
    kb: KnowledgeBase
    settings: dict[str, Any]
    job: BatchJob

    def do(self, engine: Engine, manifests: dict[str, dict[str, Any]]) -> JobReport:
        began = time.monotonic()
        share = self.request.share
        measured = self._measure(engine, known_records(manifests))
        check_unchanged(manifests, self.settings, measured, self.place)
        size = self.request.documents_per_shard
        shards = shards_of_share(self.inputs.sources, measured, share, size=size)
        with names_full_disk(self.place):
            left, total = self._prepare(shards, has_begun=bool(manifests))
            manifest = manifest_bytes(self.settings, measured)
            self.place.write(manifest_name(share), manifest)
            before = total.tally.documents
            self._annotate(engine, left, total)
            timing = Timing(
                engine=self.request.engine,
                workers=engine.workers,
                wall_seconds=time.monotonic() - began,
                documents=total.tally.documents - before,
                worker_deaths=engine.deaths,
            )
            return self._report(shards, total, timing)

    def _prepare(self, shards: list[Shard], *, has_begun: bool) -> tuple[list[Shard], Total]:
        """The shards that are left to do, and the total of those that are done.

        What a killed run left half done is removed.
        """
        ending = self.request.share.ending
        own = {f"manifest{ending}", f"quarantine{ending}", f"report{ending}"}
        self.place.sweep(own | {shard.name for shard in shards})
        left, total = list[Shard](), Total()
        for shard in shards:
            finished = finished_shard(self.place, shard) if has_begun else None
            if finished is None:
                left.append(shard)
            else:
                total.add(finished)
        forget_attempts(self.place, shards)
        return left, total

    def _measure(self, engine: Engine, known: dict[int, int]) -> list[MeasuredSource]:
        sources = sources_of_share(self.inputs.sources, self.request.share)
        tasks = [Measure(source, known.get(source.number)) for source in sources]
        found = list[MeasuredSource]()
        with progress_bar("annotate", quiet=2.0) as progress:
            for one in engine.run(tasks, _ignored):
                assert isinstance(one, MeasuredSource)
                found.append(one)
                progress(f"reading: {len(found):,} of {len(tasks):,} inputs", 0.0)
        return sorted(found, key=lambda one: one.source.number)

    def _annotate(self, engine: Engine, shards: list[Shard], total: Total) -> None:
        """Do these shards, and add what they hold to the total."""
        records = sum(shard.records for shard in shards)
        done, began = 0, time.monotonic()
        with progress_bar("annotate") as progress:

            def on_linked(documents: int) -> None:
                nonlocal done
                done += documents
                rate = done / max(time.monotonic() - began, 1e-3)
                what = f"linking: {done:,} of {records:,} documents, {rate:.1f} documents/s"
                progress(what, min(1.0, done / max(1, records)))

            for finished in engine.run([Annotate(shard) for shard in shards], on_linked):
                assert isinstance(finished, Finished)
                total.add(finished)

    def _report(self, shards: list[Shard], total: Total, timing: Timing) -> JobReport:
        """Write the quarantine and the report."""
        report = report_json(
            total,
            kb=self.kb,
            settings=self.settings,
            left_out=self.inputs.left_out,
            timing=timing,
        )
        ending = self.request.share.ending
        lines = quarantine_lines(self.place, shards, total)
        self.place.write(f"quarantine{ending}.jsonl", lines)
        text = json.dumps(report, indent=2, ensure_ascii=False) + "\n"
        self.place.write(f"report{ending}.json", text.encode())
        self.place.write(f"report{ending}.html", report_page(report).encode())
        return report


def _ignored(_documents: int) -> None:
    """Measuring links nothing."""


def _check(request: BatchRequest) -> None:
    output_format(request.format)
    if not request.inputs:
        raise UsageError("name at least one file or folder to annotate")
    if request.engine not in ENGINES:
        known = " and ".join(ENGINES)
        raise UsageError(f"no engine is called {request.engine!r}; there are {known}")
    if request.engine == "ray" and find_spec("ray") is None:
        raise UsageError("ray is not installed; pip install 'holdfast[scale]'")
    if request.ray_address is not None and request.engine != "ray":
        raise UsageError("--ray-address is for --engine ray")
    if request.documents_per_shard < 1:
        raise UsageError(f"--shard-size {request.documents_per_shard}: at least 1")
    if request.workers is not None and request.workers < 1:
        raise UsageError(f"--workers {request.workers}: at least 1")


def _absolute(linking: Linking, kb: KnowledgeBase) -> Linking:
    """With places that are found from every process and folder."""
    rules = None if linking.rules is None else str(Path(linking.rules).absolute())
    folder = str(kb.folder.absolute())
    return replace(linking, kb=folder, model=str(find_model(linking.model).absolute()), rules=rules)


def _absolute_place(out: str) -> str:
    return out if is_remote(out) else str(Path(out.removeprefix("file://")).absolute())


@contextmanager
def _engine(request: BatchRequest, job: BatchJob) -> Iterator[Engine]:
    made: AbstractContextManager[Engine]
    if request.engine == "ray":
        from holdfast.batch.engines.on_ray import RayEngine

        made = RayEngine(job, workers=request.workers, address=request.ray_address)
    else:
        from holdfast.batch.engines.local import LocalEngine

        made = LocalEngine(job, workers=request.workers or cores())
    with made as engine:
        yield engine

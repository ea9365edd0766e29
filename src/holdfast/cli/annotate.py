"""`holdfast annotate`: link large collections of documents, shard by shard."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli import link
from holdfast.cli.options import with_options

IN_QUARANTINE = 3
"""The exit code of a job that is done, but for documents that are in quarantine."""

Inputs = Annotated[
    list[str],
    typer.Argument(metavar="FILE|DIR", help="Files and folders of documents."),
]
Out = Annotated[str, typer.Option("--out", help="The folder for the output: a new one.")]
Format = Annotated[
    str, typer.Option("--format", help="How to write: parquet, jsonl, pubtator or bioc.")
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Go on with a job that was interrupted in this folder.")
]
Share = Annotated[
    str | None,
    typer.Option("--shard", metavar="I/N", help="Do only this part of the job, e.g. 3/100."),
]
ShardSize = Annotated[
    int, typer.Option("--shard-size", min=1, help="Documents of one output file.")
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Stop at the first broken document: no quarantine.")
]
Workers = Annotated[
    int | None, typer.Option("--workers", min=1, help="Processes; by default one for each core.")
]
Engine = Annotated[str, typer.Option("--engine", help="Where it runs: local or ray.")]
RayAddress = Annotated[
    str | None, typer.Option("--ray-address", help="The Ray cluster; by default one is started.")
]
Json = Annotated[bool, typer.Option("--json", help="Print the report as one JSON object.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotateOptions:
    """The options; docs/cli.md says what each means."""

    inputs: Inputs
    out: Out
    output: Format = "parquet"
    kb: link.Kb = "open"
    model: link.Model = "default"
    only: link.Only = None
    top: link.Top = 5
    min_score: link.MinScore = 0.0
    nested: link.Nested = False
    rules: link.Rules = None
    map_to: link.MapTo = None
    source_format: link.From = None
    shard_size: ShardSize = 1000
    shard: Share = None
    resume: Resume = False
    strict: Strict = False
    workers: Workers = None
    engine: Engine = "local"
    ray_address: RayAddress = None
    as_json: Json = False


@with_options(AnnotateOptions)
def annotate(asked: AnnotateOptions) -> None:
    """Link the documents of files and folders; one output file for each shard, resumable."""
    from holdfast.batch.plan import WHOLE
    from holdfast.batch.plan import Share as Part
    from holdfast.batch.run import BatchRequest, run_annotate
    from holdfast.batch.settings import Linking
    from holdfast.io.show.annotated import print_report

    linking = Linking(
        kb=asked.kb,
        model=asked.model,
        only=None if asked.only is None else tuple(asked.only.split(",")),
        top=asked.top,
        min_score=asked.min_score,
        nested=asked.nested,
        rules=None if asked.rules is None else str(Path(asked.rules)),
        map_to=asked.map_to,
    )
    share = WHOLE if asked.shard is None else Part.parse(asked.shard)
    request = BatchRequest(
        inputs=tuple(asked.inputs),
        out=asked.out,
        format=asked.output,
        linking=linking,
        source_format=asked.source_format,
        documents_per_shard=asked.shard_size,
        share=share,
        resume=asked.resume,
        strict=asked.strict,
        workers=asked.workers,
        engine=asked.engine,
        ray_address=asked.ray_address,
    )
    report = run_annotate(request)
    page = f"{asked.out}/report{share.ending}.html"
    print_report(report, page=page, as_json=asked.as_json)
    if report["quarantined"]:
        raise typer.Exit(IN_QUARANTINE)

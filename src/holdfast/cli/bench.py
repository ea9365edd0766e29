"""`holdfast bench`: measure speed and memory on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def bench(
    what: Annotated[str, typer.Argument(metavar="pipeline", help="What to measure.")],
    data: Annotated[
        Path,
        typer.Option("--data", envvar="HOLDFAST_DATA", help="The folder that holds corpora/."),
    ],
    kb: Annotated[str, typer.Option("--kb", help="The knowledge base to link to.")] = "mesh",
    results: Annotated[
        Path | None, typer.Option("--results", help="Also store the figures in this folder.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Measure speed and memory: documents a second, latency, start-up, growth with size."""
    import json

    from holdfast.cli.progress import progress_bar
    from holdfast.corpora.named import load_corpus
    from holdfast.errors import UsageError
    from holdfast.evaluate.results import circumstances, write_pages, write_result
    from holdfast.evaluate.speed import bench_pipeline
    from holdfast.kb import open_kb
    from holdfast.show import print_bench

    if what != "pipeline":
        raise UsageError(f"nothing to measure is called {what!r}; there is: pipeline")
    documents = list(load_corpus("bc5cdr", "test", data=data))
    with progress_bar(f"bench {what}") as progress:
        measured = bench_pipeline(
            open_kb(kb),
            documents,
            only=("Disease", "Chemical"),
            start_kb=open_kb("open"),
            progress=progress,
        )
    measured |= {"corpus": "bc5cdr", "split": "test", **circumstances()}
    if results is not None:
        write_result(measured, results, f"bench-{what}")
        write_pages(results)
    if as_json:
        print(json.dumps(measured))
    else:
        print_bench(measured)

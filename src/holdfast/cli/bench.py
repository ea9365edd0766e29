"""`holdfast bench`: measure speed and memory on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

_NAMES = "For names"


def bench(
    what: Annotated[str, typer.Argument(metavar="pipeline|names", help="What to measure.")],
    data: Annotated[
        Path,
        typer.Option("--data", envvar="HOLDFAST_DATA", help="The folder that holds corpora/."),
    ],
    kb: Annotated[str, typer.Option("--kb", help="The knowledge base to link to.")] = "mesh",
    results: Annotated[
        Path | None, typer.Option("--results", help="Also store the figures in this folder.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    threads: Annotated[
        int, typer.Option("--threads", help="Threads of everybody.", rich_help_panel=_NAMES)
    ] = 2,
    model: Annotated[
        Path | None,
        typer.Option("--model", help="The folder of a name encoder.", rich_help_panel=_NAMES),
    ] = None,
    names: Annotated[
        Path | None,
        typer.Option("--names", help="Names to encode, one a line.", rich_help_panel=_NAMES),
    ] = None,
    bert: Annotated[
        list[Path] | None,
        typer.Option("--bert", help="A BERT encoder to beat, as ONNX.", rich_help_panel=_NAMES),
    ] = None,
    scispacy: Annotated[
        Path | None,
        typer.Option("--scispacy", help="A Python that has scispaCy.", rich_help_panel=_NAMES),
    ] = None,
    sizes: Annotated[
        str,
        typer.Option("--sizes", help="Numbers of names to grow to.", rich_help_panel=_NAMES),
    ] = "10000,100000,1000000,10000000",
) -> None:
    """Measure speed and memory: documents a second, latency, start-up, growth with size."""
    import json

    from holdfast.errors import UsageError
    from holdfast.evaluate.results import circumstances, write_pages, write_result
    from holdfast.show import print_bench

    page = None
    if what == "pipeline":
        measured = _pipeline(data, kb) | circumstances()
    elif what == "names":
        from holdfast.evaluate.name_speed_page import render_names, write_name_pages

        options: dict[str, Any] = {"model": model, "names": names, "scispacy": scispacy}
        measured = _names(data, kb, sizes, threads=threads, berts=bert or (), **options)
        measured |= circumstances()
        page = render_names(measured)
    else:
        raise UsageError(f"nothing to measure is called {what!r}; there is: pipeline, names")
    if results is not None:
        write_result(measured, results, f"bench-{what}")
        write_pages(results)
        if what == "names":
            write_name_pages(measured, results)
    if as_json:
        print(json.dumps(measured))
    elif page is not None:
        print(page, end="")
    else:
        print_bench(measured)


def _pipeline(data: Path, kb: str) -> dict[str, Any]:
    from holdfast.cli.progress import progress_bar
    from holdfast.corpora.named import load_corpus
    from holdfast.evaluate.speed import bench_pipeline
    from holdfast.kb import open_kb

    documents = list(load_corpus("bc5cdr", "test", data=data))
    with progress_bar("bench pipeline") as progress:
        measured = bench_pipeline(
            open_kb(kb),
            documents,
            only=("Disease", "Chemical"),
            start_kb=open_kb("open"),
            progress=progress,
        )
    return measured | {"corpus": "bc5cdr", "split": "test"}


def _names(data: Path, kb: str, sizes: str, **options: Any) -> dict[str, Any]:
    from holdfast.cli.progress import progress_bar
    from holdfast.evaluate.name_speed import Plan, bench_names, parse_sizes
    from holdfast.kb import open_kb

    kbs = [open_kb(name) for name in dict.fromkeys((kb, "open"))]
    plan = Plan(data, kbs, sizes=parse_sizes(sizes), **options)
    with progress_bar("bench names") as progress:
        return bench_names(plan, progress=progress)

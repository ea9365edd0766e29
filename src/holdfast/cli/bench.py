"""`holdfast bench`: measure speed and memory on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

_NAMES = "For names"
_COLLECTIVE = "For collective"


def bench(
    what: Annotated[
        str, typer.Argument(metavar="pipeline|names|collective", help="What to measure.")
    ],
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
        int, typer.Option("--threads", help="Threads of everybody; not for pipeline.")
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
    corpus: Annotated[
        str,
        typer.Option("--corpus", help="bc5cdr or medmentions-st21pv.", rich_help_panel=_COLLECTIVE),
    ] = "bc5cdr",
    documents: Annotated[
        int,
        typer.Option("--documents", help="How many are linked.", rich_help_panel=_COLLECTIVE),
    ] = 8,
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
    elif what == "collective":
        from holdfast.evaluate.collective_speed import render_collective_speed

        measured = _collective(data, corpus, documents=documents, threads=threads)
        measured |= circumstances()
        page = render_collective_speed(measured)
    else:
        raise UsageError(
            f"nothing to measure is called {what!r}; there is: pipeline, names, collective"
        )
    if results is not None:
        name = f"bench-{what}-{corpus}" if what == "collective" else f"bench-{what}"
        write_result(measured, results, name)
        write_pages(results)
        if what == "names":
            write_name_pages(measured, results)
        elif what == "collective":
            from holdfast.evaluate.collective_curves import draw_curves

            (results / f"{name}.svg").write_text(draw_curves(measured["training"]), "utf-8")
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


def _collective(data: Path, corpus: str, *, documents: int, threads: int) -> dict[str, Any]:
    from itertools import islice

    from holdfast.cli.progress import progress_bar
    from holdfast.corpora.named import load_corpus
    from holdfast.evaluate.collective_curves import training_curves
    from holdfast.evaluate.collective_kb import collective_kb
    from holdfast.evaluate.collective_speed import Systems, bench_collective
    from holdfast.evaluate.recipe import read_recipe

    short = corpus.partition("-")[0]
    systems = Systems(f"collective-{short}", f"single-{short}", f"blink-{short}")
    own, single, _ = systems.folders()
    kb = collective_kb(read_recipe(systems.collective), "dev", data=data)
    chosen = list(islice(load_corpus(corpus, "dev", data=data), documents))
    with progress_bar("bench collective") as progress:
        measured = bench_collective(systems, kb, chosen, threads=threads, progress=progress)
    curves = training_curves({"collective": own, "one mention": single})
    return measured | {"corpus": corpus, "split": "dev", "training": curves}

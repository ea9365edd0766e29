"""`holdfast bench`: measure speed and memory on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(help="Measure speed and memory on this machine.", no_args_is_help=True)

Data = Annotated[
    Path, typer.Option("--data", envvar="HOLDFAST_DATA", help="The folder that holds corpora/.")
]
Kb = Annotated[str, typer.Option("--kb", help="The knowledge base to link to.")]
Threads = Annotated[int, typer.Option("--threads", help="Threads of whatever is measured.")]
Results = Annotated[
    Path | None, typer.Option("--results", help="Also store the figures in this folder.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command("pipeline")
def pipeline(
    data: Data,
    kb: Kb = "mesh",
    models: Annotated[
        str, typer.Option("--models", help="Those to compare, joined by commas.")
    ] = "default,dictionary,names",
    sizes: Annotated[
        str,
        typer.Option("--sizes", help="Numbers of names of smaller vocabularies, for the first."),
    ] = "10000,100000",
    types: Annotated[
        str | None,
        typer.Option("--types", help="A typing model to measure the first with once more."),
    ] = None,
    documents: Annotated[
        int | None, typer.Option("--documents", min=1, help="The first so many.")
    ] = None,
    threads: Threads = 2,
    results: Results = None,
    as_json: Json = False,
) -> None:
    """Documents a second, latency, start-up and memory of whole pipelines."""
    from holdfast.bench.growth import parse_sizes
    from holdfast.bench.pipelines import PipelineTask, bench_pipeline
    from holdfast.corpora.named import load_corpus
    from holdfast.io.progress import progress_bar
    from holdfast.io.show.bench import print_pipelines
    from holdfast.kb import open_kb
    from holdfast.models import find_model
    from holdfast.parts import model_parts

    chosen = [name.strip() for name in models.split(",")]
    for name in chosen:
        model_parts(name)  # or it would be missed only after minutes
    if types is not None:
        find_model(types)
    texts = list(load_corpus("bc5cdr", "test", data=data))[:documents]
    with progress_bar("bench pipeline") as progress:
        measured = bench_pipeline(
            open_kb(kb),
            PipelineTask(texts, ("Disease", "Chemical"), threads),
            models=chosen,
            sizes=parse_sizes(sizes),
            types=types,
            start_kb=open_kb("open"),
            progress=progress,
        )
    measured |= {"corpus": "bc5cdr", "split": "test"}
    _store("bench-pipeline", measured, results, as_json=as_json)
    if not as_json:
        print_pipelines(measured)


@app.command("names")
def names(
    data: Data,
    kb: Kb = "mesh",
    model: Annotated[
        Path | None, typer.Option("--model", help="The folder of a name encoder.")
    ] = None,
    names: Annotated[
        Path | None, typer.Option("--names", help="Names to encode, one a line.")
    ] = None,
    bert: Annotated[
        list[Path] | None, typer.Option("--bert", help="A BERT encoder to beat, as ONNX.")
    ] = None,
    scispacy: Annotated[
        Path | None, typer.Option("--scispacy", help="A Python that has scispaCy.")
    ] = None,
    threads: Threads = 2,
    results: Results = None,
    as_json: Json = False,
) -> None:
    """The name linker beside BERT and scispaCy."""
    from holdfast.bench.names import Plan, bench_names
    from holdfast.io.progress import progress_bar
    from holdfast.io.show.bench import print_names
    from holdfast.kb import open_kb

    plan = Plan(
        data,
        [open_kb(name) for name in dict.fromkeys((kb, "open"))],
        threads=threads,
        model=model,
        names=names,
        berts=bert or (),
        scispacy=scispacy,
    )
    with progress_bar("bench names") as progress:
        measured = bench_names(plan, progress=progress)
    _store("bench-names", measured, results, as_json=as_json)
    if not as_json:
        print_names(measured)


Tools = Annotated[
    str, typer.Option("--tools", help="Those to compare, joined by commas; all if missing.")
]
Sets = Annotated[str, typer.Option("--sets", help="Corpora and splits, joined by commas.")]
FirstDocuments = Annotated[
    int | None, typer.Option("--documents", min=1, help="The first so many of each split.")
]
Environments = Annotated[
    Path | None, typer.Option("--environments", help="The folder of the tools' environments.")
]
Minutes = Annotated[
    float, typer.Option("--minutes", min=0.01, help="What one answer of a tool may take.")
]


@app.command("peers")
def peers(
    data: Data,
    kb: Kb = "mesh",
    tools: Tools = "",
    sets: Sets = "bc5cdr test, ncbi-disease test, biored dev",
    documents: FirstDocuments = None,
    environments: Environments = None,
    minutes: Minutes = 240.0,
    threads: Threads = 2,
    results: Results = None,
    as_json: Json = False,
) -> None:
    """Other tools beside Holdfast, on one vocabulary and the same documents."""
    from holdfast.bench.peers.compare import PeersPlan, bench_peers, forget_rows
    from holdfast.bench.peers.tools import read_tools
    from holdfast.corpora.named.splits import parse_splits
    from holdfast.errors import UsageError
    from holdfast.io.progress import progress_bar
    from holdfast.io.show.bench import print_peers
    from holdfast.kb import open_kb

    if tools and results is not None:
        raise UsageError(
            "--results stores a comparison of all tools: measure some with --tools, and the others "
            "without it; rows that were measured are kept until all are stored"
        )
    plan = PeersPlan(
        data,
        open_kb(kb),
        read_tools([name.strip() for name in tools.split(",") if name.strip()]),
        parse_splits(part.strip() for part in sets.split(",")),
        environments=environments,
        threads=threads,
        most=documents,
        limit=60 * minutes,
    )
    with progress_bar("bench peers") as progress:
        measured = bench_peers(plan, progress=progress)
    _store("bench-peers", measured, results, as_json=as_json)
    if results is not None and not any(row["failed"] for row in measured["rows"]):
        forget_rows(plan)
    if not as_json:
        print_peers(measured)


@app.command("growth")
def growth(
    data: Data,
    kb: Annotated[
        str, typer.Option("--kb", help="The knowledge base whose names are taken.")
    ] = "mesh",
    sizes: Annotated[
        str, typer.Option("--sizes", help="Numbers of names, joined by commas.")
    ] = "10000,100000,1000000,10000000",
    threads: Threads = 2,
    results: Results = None,
    as_json: Json = False,
) -> None:
    """How the name linker grows with the number of names."""
    from holdfast.bench.growth import GrowthPlan, bench_growth, parse_sizes
    from holdfast.io.progress import progress_bar
    from holdfast.io.show.bench import print_growth
    from holdfast.kb import open_kb

    plan = GrowthPlan(data, open_kb(kb), parse_sizes(sizes), threads=threads)
    with progress_bar("bench growth") as progress:
        measured = bench_growth(plan, progress=progress)
    _store("bench-growth", measured, results, as_json=as_json)
    if not as_json:
        print_growth(measured)


@app.command("collective")
def collective(
    data: Data,
    corpus: Annotated[
        str, typer.Option("--corpus", help="bc5cdr or medmentions-st21pv.")
    ] = "bc5cdr",
    documents: Annotated[int, typer.Option("--documents", help="How many are linked.")] = 8,
    threads: Threads = 2,
    results: Results = None,
    as_json: Json = False,
) -> None:
    """Mentions a second of the collective encoder, one mention at a time, and BLINK."""
    from itertools import islice

    from holdfast.bench.collective import (
        Systems,
        bench_collective,
        render_collective_speed,
    )
    from holdfast.bench.training_curves import training_curves
    from holdfast.corpora.named import load_corpus
    from holdfast.experiments.recipe import read_recipe
    from holdfast.experiments.recipe_kb import kb_of
    from holdfast.io.progress import progress_bar

    short = corpus.partition("-")[0]
    systems = Systems(f"collective-{short}", f"single-{short}", f"blink-{short}")
    systems.folders()  # says what is missing before anything takes time
    kb = kb_of(read_recipe(systems.collective), "dev", data=data)
    chosen = list(islice(load_corpus(corpus, "dev", data=data), documents))
    with progress_bar("bench collective") as progress:
        measured = bench_collective(systems, kb, chosen, threads=threads, progress=progress)
    training = training_curves(systems.curves())
    measured |= {"corpus": corpus, "split": "dev", "training": training}
    _store(f"bench-collective-{corpus}", measured, results, as_json=as_json)
    if not as_json:
        print(render_collective_speed(measured), end="")


@app.command("listed")
def listed(
    kb: Annotated[
        str, typer.Option("--kb", help="The knowledge base to draw names from.")
    ] = "open",
    model: Annotated[str, typer.Option("--model", help="One of `holdfast models`.")] = "default",
    each: Annotated[
        int, typer.Option("--each", min=1, help="How many names of each vocabulary.")
    ] = 150,
    seed: Annotated[int, typer.Option("--seed", help="Of the random choice.")] = 13,
    results: Results = None,
    as_json: Json = False,
) -> None:
    """Whether the names that a knowledge base lists are found in sentences, and linked."""
    from holdfast.bench.listed_names import bench_listed, render_listed
    from holdfast.io.progress import progress_bar
    from holdfast.kb import open_kb
    from holdfast.pipeline import load

    base = open_kb(kb)
    with progress_bar("bench listed") as progress:
        measured = bench_listed(
            load(base, model=model, top=1, progress=progress),
            load(base, model=model, top=1, marked=True),
            base,
            each=each,
            seed=seed,
            progress=progress,
        )
    measured |= {"model": model}
    _store("bench-listed", measured, results, as_json=as_json)
    if not as_json:
        print(render_listed(measured), end="")


@app.command("representations")
def representations(
    mentions: Annotated[
        int, typer.Option("--mentions", min=100, help="How many made-up mentions are stored.")
    ] = 100_000,
    types: Annotated[int, typer.Option("--types", min=64, help="Types there are.")] = 8000,
    results: Results = None,
    as_json: Json = False,
) -> None:
    """The size of stored sparse vectors, and the time of a neighbour query."""
    from holdfast.bench.representations import bench_representations

    measured = bench_representations(mentions=mentions, types=types)
    _store("bench-representations", measured, results, as_json=as_json)
    if not as_json:
        for name, value in measured.items():
            typer.echo(f"{name}: {value if isinstance(value, str) else f'{value:.6g}'}")


def _store(name: str, measured: dict[str, Any], results: Path | None, *, as_json: bool) -> None:
    """Add the circumstances, store it all, and print it if JSON is asked for."""
    import json

    from holdfast.cli.stored import store
    from holdfast.experiments.results import circumstances

    measured |= circumstances()
    if results is not None:
        store(measured, results, name)
    if as_json:
        print(json.dumps(measured))

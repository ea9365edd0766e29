"""`holdfast diagnose`: why a model confuses two things, as a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

What = Annotated[
    str, typer.Argument(metavar="labels|disambiguation|linker", help="What to diagnose.")
]
Out = Annotated[Path, typer.Option("--out", help="The HTML file to write.")]
On = Annotated[str, typer.Option("--on", help="A corpus and split, or a file of represent.")]
Neighbours = Annotated[
    list[str] | None,
    typer.Option("--neighbours", help="labels: labelled mentions, as --on. May repeat."),
]
TypeModel = Annotated[str | None, typer.Option("--type-model", help="A typing model.")]
DescriptionModel = Annotated[
    str, typer.Option("--description-model", help="disambiguation: its model of descriptions.")
]
Kb = Annotated[str, typer.Option("--kb", help="The knowledge base.")]
Model = Annotated[str, typer.Option("--model", help="linker: the model that links.")]
Weights = Annotated[
    Path | None, typer.Option("--weights", help="Lines of a type, a tab and its weight.")
]
Documents = Annotated[
    int | None, typer.Option("--documents", min=1, help="linker: how many are read.")
]
Data = Annotated[
    Path, typer.Option("--data", envvar="HOLDFAST_DATA", help="The folder of corpora.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def diagnose(
    what: What,
    out: Out,
    on: On = "",
    neighbours: Neighbours = None,
    type_model: TypeModel = None,
    description_model: DescriptionModel = "bier-descriptions",
    kb: Kb = "open",
    model: Model = "default",
    weights: Weights = None,
    documents: Documents = None,
    data: Data = Path(),
    as_json: Json = False,
) -> None:
    """Write a page that tells errors by the types that led to them, and what would change them."""
    from holdfast.experiments.bier.diagnosing import DiagnoseRequest, run_diagnosis
    from holdfast.io.progress import progress_bar
    from holdfast.io.show.diagnosis import print_diagnosis
    from holdfast.models import DEFAULT_TYPES

    request = DiagnoseRequest(
        what=what,
        out=out,
        on=on,
        neighbours=tuple(neighbours or ()),
        type_model=type_model or DEFAULT_TYPES,
        description_model=description_model,
        kb=kb,
        model=model,
        weights=weights,
        documents=documents,
        data=data,
    )
    with progress_bar(f"diagnose {what}") as progress:
        found = run_diagnosis(request, progress=progress)
    print_diagnosis(found, out, as_json=as_json)

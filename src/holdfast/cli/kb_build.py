"""`holdfast kb build`, `subset` and `merge`: knowledge bases of one's own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

_Paths = list[Path] | None
_Words = list[str] | None
_Word = str | None

NewName = Annotated[str, typer.Argument(metavar="NEW", help="The name to build it under.")]
Force = Annotated[bool, typer.Option("--force", help="Replace a knowledge base that is there.")]

_Table = Annotated[_Paths, typer.Option(help="Your own CSV, TSV or JSONL: id, name, …")]
_Umls = Annotated[_Paths, typer.Option(help="Folder with MRCONSO.RRF.")]
_Snomed = Annotated[_Paths, typer.Option(help="SNOMED CT RF2 snapshot folder.")]
_Rxnorm = Annotated[_Paths, typer.Option(help="Folder with RXNCONSO.RRF.")]
_Mesh = Annotated[_Paths, typer.Option(help="MeSH XML: desc*.xml, supp*.xml, or a folder.")]
_Obo = Annotated[_Paths, typer.Option(help="An OBO ontology.")]
_Ctd = Annotated[_Paths, typer.Option(help="CTD_diseases.tsv or CTD_chemicals.tsv.")]
_Medic = Annotated[_Paths, typer.Option(help="MEDIC in its layout of 2012.")]
_Hgnc = Annotated[_Paths, typer.Option(help="HGNC's table of genes.")]
_GeneInfo = Annotated[_Paths, typer.Option(help="NCBI's gene_info.")]
_Bioportal = Annotated[_Paths, typer.Option(help="A BioPortal CSV.")]
_Language = Annotated[_Words, typer.Option(help="UMLS: languages to keep, e.g. ENG.")]
_Source = Annotated[_Words, typer.Option(help="UMLS, RxNorm: sources to keep.")]
_SemanticType = Annotated[_Words, typer.Option(help="UMLS: types to keep, e.g. T047.")]
_Suppressed = Annotated[bool, typer.Option(help="UMLS, RxNorm: keep suppressed names.")]
_TaxId = Annotated[_Words, typer.Option(help="gene_info: species to keep, e.g. 9606.")]
_Prefix = Annotated[_Word, typer.Option(help="Table: prefix of ids without one.")]
_Type = Annotated[_Word, typer.Option(help="Table, OBO: the type of all entities.")]
_IdColumn = Annotated[_Word, typer.Option(help="Table: the column of ids.")]
_NameColumn = Annotated[_Word, typer.Option(help="Table: the column of names.")]
_SynonymsColumn = Annotated[_Word, typer.Option(help="Table: … of synonyms.")]
_TypeColumn = Annotated[_Word, typer.Option(help="Table: … of types.")]
_Separator = Annotated[_Word, typer.Option(help="Table: between synonyms.")]
_EveryName = Annotated[
    bool, typer.Option("--every-name", help="Find common words and short names in texts too.")
]
_Out = Annotated[Path | None, typer.Option(help="A folder to build it in.")]
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def build(
    name: NewName,
    table: _Table = None,
    umls: _Umls = None,
    snomed: _Snomed = None,
    rxnorm: _Rxnorm = None,
    mesh: _Mesh = None,
    obo: _Obo = None,
    ctd: _Ctd = None,
    medic: _Medic = None,
    hgnc: _Hgnc = None,
    gene_info: _GeneInfo = None,
    bioportal: _Bioportal = None,
    language: _Language = None,
    source: _Source = None,
    semantic_type: _SemanticType = None,
    suppressed: _Suppressed = False,
    tax_id: _TaxId = None,
    prefix: _Prefix = None,
    type: _Type = None,
    id_column: _IdColumn = None,
    name_column: _NameColumn = None,
    synonyms_column: _SynonymsColumn = None,
    type_column: _TypeColumn = None,
    separator: _Separator = None,
    every_name: _EveryName = False,
    out: _Out = None,
    force: Force = False,
    as_json: _Json = False,
) -> None:
    """Build a knowledge base from your own release files.

    Where a name is in several, the earlier option of this list is preferred.
    """
    _build(locals())


def _build(options: Mapping[str, Any]) -> None:
    """Build what the options say, by their names in `build`, and print it."""
    from holdfast.io.progress import progress_bar
    from holdfast.io.show.built import print_built
    from holdfast.kb import kb_folder, open_kb
    from holdfast.kb.build_report import BuildWatch
    from holdfast.kb.from_files import build_from_files, reader_options, source_files
    from holdfast.kb.places import check_replaceable

    name, folder = options["name"], options["out"]
    check_replaceable(folder or kb_folder(name), force=options["force"])
    watch = BuildWatch()
    with progress_bar(name) as progress:
        build_from_files(
            name,
            source_files(options),
            folder=folder,
            options=reader_options(options),
            every_name=options["every_name"],
            progress=progress,
            watch=watch,
        )
    kb = open_kb(folder or name)
    print_built(kb, watch.findings(kb), as_json=options["as_json"])


def subset(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A knowledge base: name or folder.")],
    new: NewName,
    type: Annotated[_Words, typer.Option(help="Keep these types.")] = None,
    source: Annotated[_Words, typer.Option(help="Keep these vocabularies.")] = None,
    ids: Annotated[Path | None, typer.Option(help="Keep the ids in this file, one a line.")] = None,
    ancestor: Annotated[_Words, typer.Option(help="Keep what is at or below these ids.")] = None,
    force: Force = False,
) -> None:
    """Build a knowledge base of a part of another; all conditions must hold."""
    from holdfast.io.progress import progress_bar
    from holdfast.io.show.kb import print_kb
    from holdfast.kb import kb_folder, open_kb
    from holdfast.kb.derive import read_ids
    from holdfast.kb.derive import subset as build_subset
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
    print_kb(open_kb(new))


def merge(
    new: NewName,
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Names or folders.")],
    force: Force = False,
) -> None:
    """Build one knowledge base of several, in the order of preference given."""
    from holdfast.io.progress import progress_bar
    from holdfast.io.show.kb import print_kb
    from holdfast.kb import kb_folder, open_kb
    from holdfast.kb.derive import merge as build_merged
    from holdfast.kb.places import check_replaceable

    check_replaceable(kb_folder(new), force=force)
    with progress_bar(new) as progress:
        bases = [open_kb(name) for name in names]
        build_merged(bases, kb_folder(new), name=new, progress=progress)
    print_kb(open_kb(new))

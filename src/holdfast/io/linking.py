"""What `holdfast link` does: read, load, link and print."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from holdfast.corpora import ReadReport
from holdfast.errors import UsageError
from holdfast.io.inputs import Inputs, open_inputs
from holdfast.io.output import check_format, print_documents
from holdfast.io.progress import counted, progress_bar
from holdfast.io.show.linked import print_unmapped
from holdfast.kb.store import KnowledgeBase, open_kb
from holdfast.models import DEFAULT_TYPES
from holdfast.pipeline import Pipeline, load
from holdfast.text.safe import safe_stream

if TYPE_CHECKING:
    from holdfast.io.mention_tables import MentionTable


@dataclass(frozen=True, slots=True)
class LinkArguments:
    """The options of `holdfast link`; docs/cli.md says what each means."""

    inputs: tuple[str, ...] = ()
    mentions: Path | None = None
    column: str | None = None
    header: bool | None = None
    kb: str = "open"
    model: str = "default"
    only: tuple[str, ...] | None = None
    format: str | None = None  # None: a table for strings, else text
    top: int = 5
    min_score: float = 0.0
    explain: bool = False
    nested: bool = False
    why_not: str | None = None
    rules: Path | None = None
    map_to: str | None = None
    types: bool = False
    type_model: str | None = None
    source_format: str | None = None
    lenient: bool = False


def run_link(request: LinkArguments) -> None:
    """Link what is asked for and print it; wrong use is noticed before anything is loaded."""
    if bool(request.inputs) == (request.mentions is not None):
        raise UsageError("name a text, files or -; or else --mentions FILE")
    strings = _table_of(request)
    if strings is None and (request.column is not None or request.header is not None):
        raise UsageError("--column and --header are of a table of strings, which --mentions names")
    if strings is not None and request.types:
        raise UsageError("--types reads mentions in texts; strings of a table stand in none")
    form = request.format or ("tsv" if strings is not None else "text")
    _check_format(form, is_table=strings is not None)
    if request.why_not is not None and (request.mentions or form not in ("text", "json")):
        raise UsageError("--why-not explains the mentions found in texts, as text or with --json")
    kb = open_kb(request.kb)
    table = None if strings is None else _read_table(request, strings, kb)
    pipeline = _load(request, kb)
    if request.why_not is not None:
        _explain_absence(request, request.why_not, kb, pipeline, form)
    elif table is not None:
        _link_table(request, table, kb, pipeline, form)
    else:
        _link_documents(request, pipeline, form)


# What tables of strings and --why-not need is imported where it is used: most texts need neither.


def _table_of(request: LinkArguments) -> Path | None:
    """The file of --mentions, if it is a table of strings."""
    if request.mentions is None:
        return None
    from holdfast.io.mention_tables import is_table

    return request.mentions if is_table(request.mentions, request.source_format) else None


def _check_format(form: str, *, is_table: bool) -> None:
    if is_table:
        from holdfast.io.linked_tables import check_table_format

        check_table_format(form)
    else:
        check_format(form)


def _read_table(request: LinkArguments, path: Path, kb: KnowledgeBase) -> MentionTable:
    from holdfast.io.linked_strings import names_of
    from holdfast.io.mention_tables import read_mention_strings

    return read_mention_strings(
        path, column=request.column, header=request.header, is_name=names_of(kb)
    )


def _load(request: LinkArguments, kb: KnowledgeBase) -> Pipeline:
    with progress_bar(kb.name, quiet=1.0) as progress:
        return load(
            kb,
            model=request.model,
            only=request.only,
            marked=request.mentions is not None,
            top=request.top,
            min_score=request.min_score,
            nested=request.nested,
            rules=request.rules,
            map_to=request.map_to,
            types=types_of(request.types, request.type_model),
            progress=progress,
        )


def types_of(is_asked: bool, model: str | None) -> str | None:  # noqa: FBT001
    """The typing model that is asked for, if any."""
    if model is not None and not is_asked:
        raise UsageError("--type-model names the model of --types; give that too")
    return (model or DEFAULT_TYPES) if is_asked else None


def _open(request: LinkArguments) -> AbstractContextManager[Inputs]:
    arguments = request.inputs or (str(request.mentions),)
    return open_inputs(arguments, format=request.source_format, lenient=request.lenient)


def _explain_absence(
    request: LinkArguments, term: str, kb: KnowledgeBase, pipeline: Pipeline, form: str
) -> None:
    from holdfast.io.show.why_not import print_why_not

    with _open(request) as texts:
        documents = texts.documents(ReadReport())
        print_why_not(documents, term, pipeline=pipeline, kb=kb, rules=request.rules, form=form)


def _link_table(
    request: LinkArguments, table: MentionTable, kb: KnowledgeBase, pipeline: Pipeline, form: str
) -> None:
    from holdfast.io.linked_strings import link_rows
    from holdfast.io.linked_tables import print_table

    linked = link_rows(table, kb, pipeline, only=request.only)
    rows = counted(linked, "rows linked", printed=True)
    print_table(table, rows, safe_stream(sys.stdout), format=form, explain=request.explain)
    print_unmapped(pipeline.functions())


def _link_documents(request: LinkArguments, pipeline: Pipeline, form: str) -> None:
    report = ReadReport()
    with _open(request) as texts:
        documents = texts.documents(report, marked=request.mentions is not None)
        linked = counted(pipeline.pipe(documents), "documents linked", printed=True)
        print_documents(linked, form, one=texts.is_one_text, explain=request.explain)
    print_unmapped(pipeline.functions())
    for line in report.summary():
        Console(stderr=True).print(line, highlight=False, markup=False, soft_wrap=True)

"""Linked documents on standard output, in the formats that `holdfast link` prints."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Final

from holdfast.corpora import write_to
from holdfast.document import Document
from holdfast.errors import UsageError
from holdfast.text.safe import json_safe, one_line, safe_stream

_WRITERS: Final = {"tsv": "mentions", "pubtator": "pubtator", "bioc": "bioc-json", "brat": "brat"}
FORMATS: Final = ("text", "json", *_WRITERS, "sssom")


def check_format(name: str) -> None:
    """UsageError if there is no such format."""
    if name not in FORMATS:
        raise UsageError(f"no output format is called {name!r}; there is: {', '.join(FORMATS)}")


def print_documents(
    documents: Iterable[Document], format: str, *, one: bool, explain: bool = False
) -> None:
    """Print the documents as they come. With `one`, JSON is that document and no list of them.

    Only on a terminal are control characters replaced: a file gets every character.
    """
    check_format(format)
    if format == "text":
        _print_for_people(documents, explain=explain)
    elif format == "json":
        _print_json(documents, one=one)
    elif format == "sssom":
        from holdfast.io.sssom import write_sssom

        write_sssom(documents, safe_stream(sys.stdout))
    else:
        # Candidates and the like have no place in these formats, and nobody expects them there.
        write_to(documents, safe_stream(sys.stdout), _WRITERS[format], allow_loss=True)


def _print_json(documents: Iterable[Document], *, one: bool) -> None:
    stream = sys.stdout
    if one:
        for document in documents:
            stream.write(_as_json(document) + "\n")
        return
    stream.write('{"documents": [')
    between = "\n"
    try:
        for document in documents:
            stream.write(between + _as_json(document))
            between = ",\n"
    finally:  # after an error or Ctrl-C too: the documents that are done can be read
        stream.write("\n]}\n")


def _as_json(document: Document) -> str:
    return json_safe(json.dumps(document.to_json(), ensure_ascii=False))


def _print_for_people(documents: Iterable[Document], *, explain: bool) -> None:
    from rich.console import Console

    from holdfast.io.show.linked import print_document

    console = Console(highlight=False, markup=False)
    for i, document in enumerate(documents):
        if i > 0:
            console.rule()
        if document.id:
            console.print(one_line(document.id), style="dim")
        print_document(document, console, explain=explain)

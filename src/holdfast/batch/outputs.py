"""The formats that a job writes, as one table."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from io import TextIOWrapper
from typing import BinaryIO, Final

from holdfast.batch.mention_rows import write_mention_rows
from holdfast.corpora import WriteReport, write_to
from holdfast.document import Document
from holdfast.errors import UsageError

Writer = Callable[[Iterable[Document], BinaryIO, WriteReport], None]


@dataclass(frozen=True, slots=True)
class OutputFormat:
    """How a shard is written."""

    extension: str
    write: Writer


def _write_rows(documents: Iterable[Document], stream: BinaryIO, report: WriteReport) -> None:
    del report  # nothing of a mention is lost; texts, passages and metadata are no part of it
    write_mention_rows(documents, stream)


def _write_text(
    documents: Iterable[Document], stream: BinaryIO, report: WriteReport, *, format: str
) -> None:
    """UTF-8. What the format cannot hold is left out, and counted."""
    text = TextIOWrapper(stream, encoding="utf-8", newline="", write_through=True)
    try:
        write_to(documents, text, format, allow_loss=True, report=report)
    finally:
        text.detach()  # or the stream would be closed


OUTPUT_FORMATS: Final[dict[str, OutputFormat]] = {
    "parquet": OutputFormat(".parquet", _write_rows),
    "jsonl": OutputFormat(".jsonl", partial(_write_text, format="jsonl")),
    "pubtator": OutputFormat(".pubtator", partial(_write_text, format="pubtator")),
    "bioc": OutputFormat(".bioc.json", partial(_write_text, format="bioc-json")),
}
"""Every format by the name that `holdfast annotate --format` takes."""


def output_format(name: str) -> OutputFormat:
    """UsageError lists the names there are."""
    if name not in OUTPUT_FORMATS:
        known = ", ".join(OUTPUT_FORMATS)
        raise UsageError(f"no output format is called {name!r}; there is: {known}")
    return OUTPUT_FORMATS[name]

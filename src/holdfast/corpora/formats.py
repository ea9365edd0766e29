"""The formats that corpora come in, as one table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, Protocol, TextIO

from holdfast.corpora.bigbio import read_bigbio, write_bigbio, write_bigbio_lines
from holdfast.corpora.bioc_json import read_bioc_json, write_bioc_json
from holdfast.corpora.bioc_xml import read_bioc_xml, write_bioc_xml
from holdfast.corpora.brat import ANNOTATION_SUFFIXES, read_brat, write_brat, write_brat_files
from holdfast.corpora.iob import read_iob, write_bilou, write_bioes, write_iob
from holdfast.corpora.json_documents import read_json_documents, write_json_documents
from holdfast.corpora.jsonl import read_jsonl, write_jsonl
from holdfast.corpora.losses import Losses
from holdfast.corpora.medline import read_medline
from holdfast.corpora.mention_table import read_mention_table, write_mention_table
from holdfast.corpora.parquet import read_parquet, write_parquet
from holdfast.corpora.plain import read_plain, write_plain, write_plain_files
from holdfast.corpora.pubtator import read_pubtator, write_pubtator
from holdfast.corpora.report import ReadReport
from holdfast.corpora.sniff import HEAD, MAY_BE, format_by_content
from holdfast.document import Document
from holdfast.errors import UsageError
from holdfast.files import read_head


class Reader(Protocol):
    def __call__(
        self, path: Path, /, *, lenient: bool, report: ReadReport | None
    ) -> Iterator[Document]: ...


TextWriter = Callable[[Iterable[Document], TextIO, Losses], None]
BinaryWriter = Callable[[Iterable[Document], BinaryIO, Losses], None]
FilesWriter = Callable[[Iterable[Document], Path, Losses], None]


@dataclass(frozen=True, slots=True)
class Format:
    """How a format is recognised, read and written."""

    extensions: tuple[str, ...]  # the longest that a file's name ends with decides
    read: Reader
    write: TextWriter | None = None  # to one stream of text
    write_binary: BinaryWriter | None = None
    write_files: FilesWriter | None = None  # to a path that may be a folder


FORMATS: Final[dict[str, Format]] = {
    "pubtator": Format((".pubtator", ".pubtator.txt"), read_pubtator, write_pubtator),
    "bioc-json": Format((".bioc.json",), read_bioc_json, write_bioc_json),
    "bioc-xml": Format((".bioc.xml",), read_bioc_xml, write_bioc_xml),
    "brat": Format(ANNOTATION_SUFFIXES, read_brat, write_brat, write_files=write_brat_files),
    "bigbio": Format((".bigbio.json",), read_bigbio, write_bigbio),
    "bigbio-lines": Format((".bigbio.jsonl",), read_bigbio, write_bigbio_lines),
    "iob": Format((".iob", ".iob2", ".bio", ".conll", ".tsv"), read_iob, write_iob),
    "bioes": Format((".bioes",), read_iob, write_bioes),
    "bilou": Format((".bilou",), read_iob, write_bilou),
    "medline": Format((".xml",), read_medline),
    "mentions": Format((".mentions.tsv",), read_mention_table, write_mention_table),
    "jsonl": Format((".jsonl",), read_jsonl, write_jsonl),
    "json": Format((".json",), read_json_documents, write_json_documents),
    "parquet": Format((".parquet",), read_parquet, write_binary=write_parquet),
    "text": Format((".txt",), read_plain, write_plain, write_files=write_plain_files),
}
"""Every format by the name that `--from` and `--to` take."""


def format_named(name: str) -> Format:
    """The format; UsageError lists the names there are."""
    if name not in FORMATS:
        raise UsageError(f"unknown format {name!r}; it is one of {', '.join(FORMATS)}")
    return FORMATS[name]


EXTENSIONS: Final = {
    extension: name for name, format in FORMATS.items() for extension in format.extensions
}


def extension_of(path: Path) -> str:
    """The longest extension of a format that the name ends with, whatever its case and with or
    without `.gz`; "" if there is none."""
    name = path.name.casefold().removesuffix(".gz")
    return max((e for e in EXTENSIONS if name.endswith(e)), key=len, default="")


def format_of(path: Path, *, option: str = "--from") -> str:
    """The format that a file's extension names. `option` is what an error tells the user to name
    the format with."""
    extension = extension_of(path)
    if not extension:
        raise UsageError(
            f"{path}: its name does not tell its format; name it with {option}, one of "
            f"{', '.join(FORMATS)}"
        )
    return EXTENSIONS[extension]


def format_to_read(path: Path) -> str | None:
    """The format of a file that exists, by its name and, where that may mean several, by what
    stands in it. None if it holds no document."""
    extension = extension_of(path)
    if extension and extension not in MAY_BE:
        return EXTENSIONS[extension]
    return format_by_content(extension, read_head(path, HEAD))

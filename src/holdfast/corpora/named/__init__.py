"""Particular corpora: the table of those known by name, and training data made from them.

Readers of files that are not lists of documents are imported from their own modules: `biosyn`,
`chemprot`, `gad`, `ddi`, `social`, `abbreviations`, `medmentions`.
"""

from __future__ import annotations

from holdfast.corpora.named.splits import (
    TrainingData,
    load_training,
    shared_documents_report,
    without_shared_documents,
)
from holdfast.corpora.named.table import CORPORA, NamedCorpus, corpus_named, load_corpus

__all__ = [
    "CORPORA",
    "NamedCorpus",
    "TrainingData",
    "corpus_named",
    "load_corpus",
    "load_training",
    "shared_documents_report",
    "without_shared_documents",
]

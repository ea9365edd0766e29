"""Two halves of all documents, whatever corpus they stand in.

What is fitted on the outcome of a model must not look at documents that the model learned from:
two models, each trained on one half, leave every document to the one that has not seen it.
"""

from __future__ import annotations

import hashlib

from holdfast.corpora.named.overlap import pmid_of
from holdfast.document import Document


def half_of(document: Document) -> int:
    """1 or 2, by the PMID, or the id of a document that has none: the same in every corpus."""
    return half_of_id(pmid_of(document) or document.id)


def half_of_id(id: str) -> int:
    """The same for a document of which only the PMID or id is known."""
    return 1 + hashlib.sha256(id.encode()).digest()[0] % 2

"""What a writer makes up because its format needs it."""

from __future__ import annotations

from dataclasses import replace

from holdfast.document import Document


def without_made_up_ids(document: Document, original: Document) -> Document:
    """The document, with no id for each mention and relation that had none in the original."""
    mentions = zip(document.mentions, original.mentions, strict=True)
    relations = zip(document.relations, original.relations, strict=True)
    return replace(
        document,
        mentions=tuple(m if o.id else replace(m, id="") for m, o in mentions),
        relations=tuple(r if o.id else replace(r, id="") for r, o in relations),
    )

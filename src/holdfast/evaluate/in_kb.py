"""End-to-end figures over all gold mentions, and over those that a knowledge base can answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from holdfast.document import Document
from holdfast.evaluate.report import Report

OF_ENTITIES: Final = ("strong", "partial")
"""Protocols that compare entities: what a knowledge base lacks costs them recall."""

_FIGURES: Final = ("precision", "recall", "f1")


def linkable(documents: Iterable[Document], known: Mapping[str, str]) -> list[Document]:
    """The documents with those mentions that have a known id."""
    return [
        document.with_mentions(m for m in document.mentions if any(id in known for id in m.ids))
        for document in documents
    ]


def with_in_kb(whole: Report, part: Report) -> Report:
    """With the figures of the part, that was scored over linkable mentions, as `…_in_kb`.

    What is found where a gold mention cannot be linked counts as wrong in both.
    """
    in_kb = {f"{name}_in_kb": part.figures[name] for name in _FIGURES}
    counts = {**whole.counts, "n_in_kb": part.counts["n_scored"]}
    return replace(whole, figures={**whole.figures, **in_kb}, counts=counts)

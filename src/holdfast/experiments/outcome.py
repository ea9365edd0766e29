"""What running a recipe gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.evaluate.report import Report
from holdfast.kb.store import KnowledgeBase


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a recipe measured: its own protocol first, then those it asked for besides."""

    reports: tuple[Report, ...]
    kb: KnowledgeBase | None  # None: the protocol's own dictionary
    model_digest: str | None = None  # None: nothing was trained
    model: tuple[str, ...] = ()  # the names of the model's parts; none: nothing was run
    history: tuple[Mapping[str, float], ...] = ()  # of a training, where that is what is measured


def flag_rebuilt(report: Report, corpus: str) -> Report:
    """Mark results on the rebuilt MedMentions, which compare with nobody else's."""
    return report.with_context(rebuilt=True) if corpus.startswith("medmentions") else report

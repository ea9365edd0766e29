"""Holdfast in pandas: a column of strings to concepts, and documents to a frame of mentions.

frame["concept"] = link_strings(frame["diagnosis"])["id"]
mentions = mentions_frame(holdfast.load().pipe(frame["note"]))
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any, Final

import pandas as pd

from holdfast.document import Document, Mention
from holdfast.errors import UsageError
from holdfast.io.linked_strings import LinkedString, string_linker
from holdfast.kb.store import KnowledgeBase, open_kb
from holdfast.parts import DEFAULT_MODEL, Models
from holdfast.pipeline import DEFAULT_KB, load

STRING_COLUMNS: Final = (
    *("id", "label", "score", "why"),
    *("nearest_id", "nearest_label", "nearest_score", "nearest_why"),
)
MENTION_COLUMNS: Final = {
    "document": "string",
    "start": "int64",
    "end": "int64",
    "text": "string",
    "type": "string",
    "id": "string",
    "label": "string",
    "score": "float64",
    "why": "string",
    "ids": "object",
    "spans": "object",
    "status": "string",
}
"""The columns of `mentions_frame` and their types, which an empty frame has too."""


def link_strings(
    strings: pd.Series[Any],
    *,
    kb: str | Path | KnowledgeBase = DEFAULT_KB,
    model: Models = DEFAULT_MODEL,
    only: Collection[str] | None = None,
    min_score: float = 0.0,
    rules: str | Path | None = None,
    map_to: str | None = None,
) -> pd.DataFrame:
    """What each string of a column means, on the column's index: the columns STRING_COLUMNS.

    As `holdfast link --mentions`: several ids are joined by "|", what has no concept has no id, and
    then the nearest concept where one is credible. A missing value has none of these. Options are
    those of `holdfast.load`.
    """
    words = [_string(value, row) for row, value in strings.items()]
    base = kb if isinstance(kb, KnowledgeBase) else open_kb(kb)
    options = {"min_score": min_score, "rules": rules, "map_to": map_to}
    pipeline = load(base, model=model, only=only, marked=True, **options)  # type: ignore[arg-type]
    linked = string_linker(base, pipeline, only=only).link(words)
    frame = pd.DataFrame(map(_cells, linked), index=strings.index, columns=list(STRING_COLUMNS))
    scores = ["score", "nearest_score"]
    return frame.astype({c: "float64" if c in scores else "string" for c in STRING_COLUMNS})


def _string(value: Any, row: Any) -> str:
    """The value without blanks around it; "" for a missing one."""
    if isinstance(value, str):
        return value.strip()
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return ""
    raise UsageError(
        f"row {row!r}: {value!r} is no string; convert the column with .astype('string') first"
    )


def _cells(linked: LinkedString) -> tuple[str | float | None, ...]:
    chosen, nearest = linked.chosen, linked.nearest
    answer: tuple[str | float | None, ...] = (None,) * 4
    near: tuple[str | float | None, ...] = (None,) * 4
    if linked.ids:
        label = "|".join(c.label or c.name for c in chosen)
        score = min((c.score for c in chosen), default=None)
        why = "; ".join(dict.fromkeys(e.detail for c in chosen for e in c.evidence))
        answer = ("|".join(linked.ids), label, score, why)
    if nearest is not None:
        why = "; ".join(e.detail for e in nearest.evidence)
        near = (nearest.entity_id, nearest.label or nearest.name, nearest.score, why)
    return (*answer, *near)


def mentions_frame(documents: Iterable[Document]) -> pd.DataFrame:
    """One row per mention, in order, with the columns MENTION_COLUMNS.

    `id`, `label`, `score` and `why` are those of a mention's first id; `ids` and `spans` are tuples
    of all. A mention that is NIL has the id "NIL"; one that nobody linked has none.
    """
    rows = [_row(document, mention) for document in documents for mention in document.mentions]
    frame = pd.DataFrame(rows, columns=list(MENTION_COLUMNS))
    return frame.astype(MENTION_COLUMNS)


def _row(document: Document, mention: Mention) -> tuple[Any, ...]:
    best = mention.best
    return (
        document.id,
        mention.start,
        mention.end,
        document.text_of(mention),
        mention.type,
        mention.ids[0] if mention.ids else None,
        (best.label or best.name) if best else None,
        best.score if best else None,
        "; ".join(evidence.detail for evidence in best.evidence) if best else None,
        mention.ids,
        tuple(tuple(span) for span in mention.spans),
        mention.status,
    )

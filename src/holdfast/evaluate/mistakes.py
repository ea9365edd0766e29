"""Where the predictions and the gold part, for a person to read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from holdfast.document import Document, Span
from holdfast.evaluate.align import Item, Pair, align
from holdfast.evaluate.equality import Equality, Equivalents

if TYPE_CHECKING:
    from rich.table import Table

COMPARED: Final = {"mention": "", "per-token": "", "typed": "type"}
"""What besides the spans a protocol's mistakes are about; the id where it is not listed."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """One disagreement. `gold` and `predicted` are what each side says, "" if it says nothing."""

    kind: str  # "missed", "spurious", "wrong span", "wrong id" or "wrong type"
    document: str
    spans: tuple[Span, ...]  # of the gold mention, or of the spurious one
    text: str
    gold: str
    predicted: str

    def to_json(self) -> dict[str, object]:
        return {
            "kind": self.kind,
            "document": self.document,
            "spans": [list(span) for span in self.spans],
            "text": self.text,
            "gold": self.gold,
            "predicted": self.predicted,
        }


def find_mistakes(
    gold: Iterable[Document],
    predicted: Iterable[Document],
    *,
    protocol: str = "strong",
    equivalents: Equivalents | None = None,
    only: Iterable[str] = (),
) -> Iterator[Mistake]:
    """Mention by mention, in document order; mentions on both sides that agree are passed over.

    Protocols about entities look at mentions that have an id, and call an id wrong as `strong`
    does. A mention with other spans that overlaps is one mistake, "wrong span", not two.
    """
    about = COMPARED.get(protocol, "id")
    equality = Equality(equivalents)
    pairs = align(gold, predicted, only=only, compare_texts=protocol != "document")
    for pair in pairs:
        yield from sorted(_of_pair(pair, about, equality), key=lambda m: m.spans)


def _of_pair(pair: Pair, about: str, equality: Equality) -> Iterator[Mistake]:
    gold = [item for item in pair.gold if item.ids or about != "id"]
    predicted = [item for item in pair.predicted if item.ids or about != "id"]
    missed = [g for g in gold if not any(_agree(g, p, about, equality) for p in predicted)]
    spurious = [p for p in predicted if not any(_agree(g, p, about, equality) for g in gold)]
    for kind, touches in ((f"wrong {about}", _equal), ("wrong span", _overlap)):
        for item in list(missed):
            other = next((o for o in spurious if touches(item.spans, o.spans)), None)
            if other is not None:
                missed.remove(item)
                spurious.remove(other)
                yield _mistake(kind, pair, item.spans, gold=item, predicted=other, about=about)
    for item in missed:
        yield _mistake("missed", pair, item.spans, gold=item, about=about)
    for item in spurious:
        yield _mistake("spurious", pair, item.spans, predicted=item, about=about)


def _agree(gold: Item, predicted: Item, about: str, equality: Equality) -> bool:
    if gold.spans != predicted.spans:
        return False
    if about == "type":
        return gold.type == predicted.type
    return about != "id" or equality.share(gold.ids, predicted.ids[:1])


def _equal(some: Sequence[Span], others: Sequence[Span]) -> bool:
    return some == others


def _overlap(some: Sequence[Span], others: Sequence[Span]) -> bool:
    return any(a.start < b.end and b.start < a.end for a in some for b in others)


def _mistake(
    kind: str,
    pair: Pair,
    spans: tuple[Span, ...],
    *,
    gold: Item | None = None,
    predicted: Item | None = None,
    about: str,
) -> Mistake:
    return Mistake(
        kind=kind,
        document=pair.id,
        spans=spans,
        text=_words(pair, spans),
        gold=_say(gold, pair, spans, about),
        predicted=_say(predicted, pair, spans, about),
    )


def _say(item: Item | None, pair: Pair, spans: tuple[Span, ...], about: str) -> str:
    """What a side holds: its ids or type, and its words where they are not those shown."""
    if item is None:
        return ""
    label = item.type if about == "type" else " ".join(item.ids) if about == "id" else ""
    words = _words(pair, item.spans) if item.spans != spans or not label else ""
    return f"{label} ({words})" if label and words else label or words


def _words(pair: Pair, spans: tuple[Span, ...]) -> str:
    return " ".join(pair.text[start:end] for start, end in spans)


def mistakes_table(mistakes: Iterable[Mistake]) -> Table:
    """One row per mistake."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title="mistakes", title_justify="left")
    for heading in ("document", "span", "text", "mistake", "gold", "predicted"):
        table.add_column(heading)
    for mistake in mistakes:
        where = " ".join(f"{start}-{end}" for start, end in mistake.spans)
        cells = (mistake.document, where, mistake.text, mistake.kind)
        table.add_row(*map(Text, (*cells, mistake.gold, mistake.predicted)))
    return table

"""Who links a mention: the classifier, or the name linker that knows every entity."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

from holdfast.document import NIL, Document, Mention

_LEAST: Final = (0.0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1.01)
_TIMES: Final = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0, 1.1, 1.5)


@dataclass(frozen=True, slots=True)
class Switch:
    """The classifier answers if its best class is probable enough, also against the best name."""

    least: float = 0.5  # probability of the best class; above 1: the name linker always answers
    times: float = 0.0  # the class must be at least so many times as probable as the best name

    def takes_class(self, by_class: Mention, by_name: Mention) -> bool:
        """Whether the classifier's answer is taken: it has one, and is sure enough of it."""
        if by_class.ids[:1] in ((), (NIL,)) or not by_class.candidates:
            return False
        share = by_class.candidates[0].score
        named = by_name.candidates[0].score if by_name.is_linked and by_name.candidates else 0.0
        return share >= self.least and share >= self.times * named

    def to_json(self) -> dict[str, float]:
        return {"least": self.least, "times": self.times}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Switch:
        return cls(float(data["least"]), float(data["times"]))


@dataclass(frozen=True, slots=True)
class Both:
    """A mention as the classifier and the name linker link it, and what is right."""

    by_class: Mention
    by_name: Mention
    gold: frozenset[str]  # empty if nothing is annotated there


def links_right(answers: Iterable[Both], switch: Switch) -> int:
    """How many mentions are linked to a right entity."""
    return sum(_is_right(both, switch) is True for both in answers)


def fit_switch(answers: Sequence[Both]) -> Switch:
    """The switch with the most right links less wrong ones; of equals, the one first tried."""

    def worth(switch: Switch) -> int:
        judged = [_is_right(both, switch) for both in answers]
        return judged.count(True) - judged.count(False)

    return max((Switch(*values) for values in product(_LEAST, _TIMES)), key=worth)


def _is_right(both: Both, switch: Switch) -> bool | None:
    """Whether the answer that is taken is right; None if it is that nothing fits."""
    is_class = switch.takes_class(both.by_class, both.by_name)
    mention = both.by_class if is_class else both.by_name
    return bool(set(mention.ids[:1]) & both.gold) if mention.is_linked else None


def pairs_of(
    gold: Iterable[Document], by_class: Iterable[Document], by_name: Iterable[Document]
) -> Iterator[Both]:
    """The recognised mentions of documents, in their order; gold ids of the same span."""
    for right, one, other in zip(gold, by_class, by_name, strict=True):
        ids = {(m.start, m.end): frozenset(m.ids) - {NIL} for m in right.mentions}
        for first, second in zip(one.mentions, other.mentions, strict=True):
            yield Both(first, second, ids.get((first.start, first.end), frozenset()))

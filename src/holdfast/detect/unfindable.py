"""Which names of a knowledge base are not found in texts, and by which rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from rich.console import Console

from holdfast import types
from holdfast.detect.dictionary import DictionaryDetector
from holdfast.detect.scan import are_joined
from holdfast.kb.store import KnowledgeBase
from holdfast.names.credible import Fault, Trust, fault_of
from holdfast.text.safe import one_line

_EXAMPLES: Final = 5
_OTHER: Final = "of the type Other, which is found with --only other"
_BROKEN: Final = "with more between two words than a name has in a text"
_RULES: Final = {
    Fault.NOTHING: "without a letter or digit",
    Fault.SHORT: "of fewer than three letters or digits",
    Fault.COMMON_WORD: "that are common words",
    Fault.COMMON_WORDS: "of function words, numbers and single letters",
}
_LET_IN: Final = (Fault.SHORT, Fault.COMMON_WORD, Fault.COMMON_WORDS)


@dataclass(frozen=True, slots=True)
class Unfindable:
    """The names that one rule keeps out."""

    reason: str
    names: int
    examples: tuple[str, ...]
    is_let_in: bool  # whether `kb build --every-name` would find them

    def to_json(self) -> dict[str, Any]:
        return {
            "reason": self.reason,
            "names": self.names,
            "examples": list(self.examples),
            "found_with_every_name": self.is_let_in,
        }


def unfindable_names(kb: KnowledgeBase) -> list[Unfindable]:
    """What of the user's own vocabularies is not found, the most frequent reason first."""
    count = Counter[str]()
    examples: dict[str, list[str]] = {}
    for reason, name in _kept_out(kb):
        count[reason] += 1
        known = examples.setdefault(reason, [])
        if len(known) < _EXAMPLES and name not in known:
            known.append(name)
    let_in = {_RULES[fault] for fault in _LET_IN}
    return [
        Unfindable(reason, names, tuple(examples[reason]), reason in let_in)
        for reason, names in count.most_common()
    ]


def print_unfindable(kb: KnowledgeBase) -> None:
    """Tell on standard error what of a vocabulary just built will not be found, and why."""
    console = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
    found = unfindable_names(kb)
    for group in found:
        shown = ", ".join(f"“{name}”" for name in group.examples)
        more = ", …" if group.names > len(group.examples) else ""
        names = "name" if group.names == 1 else "names"
        line = f"not found in texts: {group.names:,} {names} {group.reason}: {shown}{more}"
        console.print(one_line(line))
    if any(group.is_let_in for group in found):
        console.print("--every-name lets common words and short names in.")


def _kept_out(kb: KnowledgeBase) -> Iterator[tuple[str, str]]:
    dictionary = DictionaryDetector(kb)
    other = types.mask_of([types.OTHER])
    for row, name in enumerate(kb.all_names()):
        trust = dictionary.trust_of(row)
        if trust < Trust.OWN:
            continue
        fault = fault_of(name, trust)
        if fault is not None:
            yield _RULES[fault], name
        elif kb.type_mask[kb.entity_of_name[row]] == other:
            yield _OTHER, name
        elif not are_joined(name):
            yield _BROKEN, name

"""Abbreviations on MED1250, by Ab3P's protocol."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from holdfast.text.abbreviations import find_abbreviations

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Counts:
    """Pairs, each counted once per abstract."""

    right: int = 0
    found: int = 0
    gold: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.right + other.right, self.found + other.found, self.gold + other.gold)

    @property
    def f1(self) -> float:
        return 2 * self.right / (self.found + self.gold)

    def __str__(self) -> str:
        return (
            f"precision {self.right / self.found:.4f}, recall {self.right / self.gold:.4f}, "
            f"F1 {self.f1:.4f} ({self.right} of {self.found} found, {self.gold} gold)"
        )


def compare(found: Iterable[Pair], gold: Iterable[Pair]) -> Counts:
    """A pair is right if short and long form are the same but for case and white space."""
    found_pairs, gold_pairs = set(map(comparable, found)), set(map(comparable, gold))
    return Counts(len(found_pairs & gold_pairs), len(found_pairs), len(gold_pairs))


def comparable(pair: Pair) -> Pair:
    short, long = (" ".join(part.casefold().split()) for part in pair)
    return short, long


def read_med1250(path: Path) -> Iterator[tuple[str, list[Pair]]]:
    """(text, pairs) per abstract. The annotators' "//" notes, in Windows-1252, are left out."""
    for block in re.split(r"\n(?=\d+\n)", path.read_text(encoding="cp1252")):
        text, pairs = [], []
        for line in block.split("\n")[1:]:
            if line.startswith("  "):
                short, _, long = line.partition("|")
                pairs.append((short, long))
            elif not line.startswith("//"):
                text.append(line)
        yield "\n".join(text), pairs


def test_f1_on_med1250_is_at_least_89_percent(data_dir: Path) -> None:
    path = data_dir / "corpora" / "abbreviations" / "ab3p" / "MED1250_labeled"
    counts = [
        compare(((a.short_text, a.long_text) for a in find_abbreviations(text)), gold)
        for text, gold in read_med1250(path)
    ]
    fitted, held_out = sum(counts[::2], Counts()), sum(counts[1::2], Counts())
    print(f"\neven: {fitted}\nodd:  {held_out}\nall:  {fitted + held_out}")
    assert (fitted + held_out).gold > 1150
    assert held_out.f1 >= 0.89
    assert (fitted + held_out).f1 >= 0.89

"""Several [MASK]s decoded in the order of confidence, with a beam."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from torch import Tensor

LogProbabilities = Callable[[Sequence[Sequence[int]], Sequence[Sequence[int]]], Sequence[Tensor]]
"""From sequences of tokens and places in each, to log-probabilities of tokens at these places.

*Shape:* (places, vocabulary) for each sequence.
"""


@dataclass(frozen=True, slots=True)
class Filled:
    """A sequence whose gap is filled as far as `left` allows."""

    tokens: tuple[int, ...]
    left: tuple[int, ...]  # places that are still masked
    score: float  # the sum of the log-probabilities of what was filled in


@dataclass(frozen=True, slots=True)
class MaskedSequence:
    """A sequence with masks at some places."""

    tokens: tuple[int, ...]
    places: tuple[int, ...]


def decode(
    gaps: Sequence[MaskedSequence], ask: LogProbabilities, *, beam: int
) -> list[list[Filled]]:
    """The best `beam` fillings of each gap, best first.

    In every step each partial filling is asked for all of its masks; the one token at the one
    place is filled in that keeps the sum of log-probabilities highest. The gaps are decoded side
    by side; a shorter one is done earlier.
    """
    beams = [[Filled(gap.tokens, gap.places, 0.0)] for gap in gaps]
    while True:
        open_ = [(number, one) for number, own in enumerate(beams) for one in own if one.left]
        if not open_:
            return beams
        asked = ask([one.tokens for _, one in open_], [one.left for _, one in open_])
        grown: dict[int, dict[tuple[int, ...], Filled]] = {}
        for (number, one), rows in zip(open_, asked, strict=True):
            found = grown.setdefault(number, {})
            for new in _grown(one, rows, beam):
                known = found.get(new.tokens)
                if known is None or known.score < new.score:
                    found[new.tokens] = new
        for number, found in grown.items():
            beams[number] = sorted(found.values(), key=lambda f: -f.score)[:beam]


def _grown(one: Filled, rows: Tensor, beam: int) -> list[Filled]:
    """Its best continuations: one token at one of its places each."""
    count = min(beam, rows.numel())
    best = rows.flatten().topk(count)
    found = list[Filled]()
    for score, place in zip(best.values.tolist(), best.indices.tolist(), strict=True):
        which, token = divmod(place, rows.shape[1])
        tokens = list(one.tokens)
        tokens[one.left[which]] = token
        left = tuple(p for n, p in enumerate(one.left) if n != which)
        found.append(Filled(tuple(tokens), left, one.score + score))
    return found

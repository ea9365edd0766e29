"""Decoding of several masks against trying everything."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations, product
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from holdfast.systems.kebiolm.training.probing.decode import MaskedSequence, decode  # noqa: E402

VOCABULARY = 4
MASK = 9


def ask(sequences: Sequence[Sequence[int]], places: Sequence[Sequence[int]]) -> list[Any]:
    """Log-probabilities that depend on all tokens of the sequence, and on the place."""
    found = []
    for tokens, own in zip(sequences, places, strict=True):
        rows = []
        for place in own:
            seed = hash((tuple(tokens), place)) % (1 << 30)
            logits = torch.randn(VOCABULARY, generator=torch.Generator().manual_seed(seed))
            rows.append(logits.log_softmax(0))
        found.append(torch.stack(rows))
    return found


def brute_force(gap: MaskedSequence) -> dict[tuple[int, ...], float]:
    """The best score of every filling, over all orders in which it can be filled in."""
    best = dict[tuple[int, ...], float]()
    for order in permutations(gap.places):
        for words in product(range(VOCABULARY), repeat=len(order)):
            tokens, left, score = list(gap.tokens), list(gap.places), 0.0
            for place, word in zip(order, words, strict=True):
                (rows,) = ask([tokens], [left])
                score += rows[left.index(place), word].item()
                tokens[place] = word
                left.remove(place)
            key = tuple(tokens)
            best[key] = max(best.get(key, -torch.inf), score)
    return best


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_wide_beam_finds_what_trying_everything_finds(count: int) -> None:
    gap = MaskedSequence((1, *[MASK] * count, 2), tuple(range(1, 1 + count)))
    ((*found,),) = decode([gap], ask, beam=10_000)
    expected = brute_force(gap)
    assert {one.tokens for one in found} == set(expected)
    for one in found:
        assert one.score == pytest.approx(expected[one.tokens], abs=1e-4)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


def test_the_most_confident_place_is_filled_first_and_the_beam_is_kept() -> None:
    gap = MaskedSequence((MASK, MASK, MASK), (0, 1, 2))
    narrow, wide = (decode([gap], ask, beam=beam)[0] for beam in (1, 5))
    assert len(narrow) == 1
    assert len(wide) == 5
    tokens, left, score = list(gap.tokens), [0, 1, 2], 0.0
    while left:
        (rows,) = ask([tokens], [left])
        which, word = divmod(int(rows.flatten().argmax()), VOCABULARY)
        score += rows[which, word].item()
        tokens[left.pop(which)] = word
    assert narrow[0].tokens == tuple(tokens)
    assert narrow[0].score == pytest.approx(score, abs=1e-5)
    assert wide[0].score >= narrow[0].score - 1e-6


def test_gaps_of_several_lengths_are_decoded_as_each_alone() -> None:
    gaps = [MaskedSequence((3, MASK), (1,)), MaskedSequence((3, MASK, MASK), (1, 2))]
    assert decode(gaps, ask, beam=3) == [decode([gap], ask, beam=3)[0] for gap in gaps]

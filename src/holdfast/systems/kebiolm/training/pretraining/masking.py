"""Masked language modelling with whole words and whole entities.

A word or an entity is chosen as a whole. Of what is chosen, 80 % becomes [MASK], 10 % random
tokens, and 10 % stays: with 15 % chosen, that is 12 % [MASK] and 1.5 % random tokens.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from holdfast.systems.kebiolm.training.pretraining.data import TextBatch, span_tokens


@dataclass(frozen=True, slots=True)
class MaskConfig:
    """How much is hidden. Shares are of what is chosen."""

    chosen: float = 0.15
    masked: float = 0.8
    random: float = 0.1
    whole_entities: bool = True  # False: the words of an entity are chosen one by one


@dataclass(frozen=True, slots=True)
class Masked:
    """Tokens as the network reads them, and what it must say."""

    tokens: Tensor  # (tokens,)
    places: Tensor  # of the chosen tokens; (chosen,)
    labels: Tensor  # what stood there; (chosen,)


def units_of(batch: TextBatch, *, whole_entities: bool) -> Tensor:
    """The unit that each token is chosen with: its entity, or else its word.

    Words that share a token with an entity are one unit with it. *Shape:* (tokens,)
    """
    units = batch.words.clone()
    if not whole_entities or not len(batch.spans):
        return units
    first = int(batch.words[-1]) + 1
    linked = batch.spans[batch.entities >= 0]
    places, owners = span_tokens(linked)
    parent = torch.arange(first)
    parent[batch.words[places]] = first + owners  # a whole word joins the entity that touches it
    return parent[units]


def mask(
    batch: TextBatch,
    config: MaskConfig,
    *,
    mask_token: int,
    vocabulary: int,
    generator: torch.Generator | None = None,
) -> Masked:
    """Hide units at random, by torch's generator or by one of its own."""
    units = units_of(batch, whole_entities=config.whole_entities)
    count = int(units.max()) + 1

    def drawn() -> Tensor:
        return torch.rand(count, generator=generator)[units]

    chosen = drawn() < config.chosen
    fate = drawn()
    replaced = torch.randint(vocabulary, batch.tokens.shape, generator=generator)
    tokens = torch.where(chosen & (fate < config.masked), mask_token, batch.tokens)
    is_random = chosen & (fate >= config.masked) & (fate < config.masked + config.random)
    tokens = torch.where(is_random, replaced, tokens)
    places = chosen.nonzero()[:, 0]
    return Masked(tokens, places, batch.tokens[places])

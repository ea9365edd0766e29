"""The network: an encoder of tokens, and one row per type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor, nn

from holdfast.systems.bier.training.dataset import TypedExample
from holdfast.training.bert import PackedLayout
from holdfast.training.token_encoder import TokenEncoder, TransformerTokens

Pooling = Literal["first", "mean"]


class TypingNetwork(nn.Module):
    """Rows of tokens to dense vectors, and dense vectors to the log-odds of types."""

    def __init__(self, encoder: TokenEncoder, types: int, *, pooling: Pooling = "first") -> None:
        super().__init__()
        self.encoder = encoder
        self.pooling = pooling
        self.head = nn.Parameter(torch.zeros(types, encoder.width))

    def dense(self, examples: Sequence[TypedExample]) -> Tensor:
        """*Shape:* (examples, width)"""
        tokens = torch.cat([torch.from_numpy(example.tokens).long() for example in examples])
        lengths = torch.tensor([len(example.tokens) for example in examples])
        if self.pooling == "mean":
            states = self.encoder(tokens, lengths).tokens
            owner = torch.repeat_interleave(torch.arange(len(lengths)), lengths)
            sums = states.new_zeros(len(lengths), states.shape[1]).index_add(0, owner, states)
            return sums / lengths[:, None]
        if isinstance(self.encoder, TransformerTokens):
            network = self.encoder.network
            return network.layers[-1].first(
                network.states(tokens, lengths), PackedLayout.of(lengths + 2)
            )
        return self.encoder(tokens, lengths).texts

    def forward(self, examples: Sequence[TypedExample]) -> Tensor:
        """The log-odds of every type. *Shape:* (examples, types)"""
        return self.dense(examples) @ self.head.T

    def start_at_priors(self, examples: Sequence[TypedExample], *, sampled: int = 256) -> None:
        """Set the head so that, at the mean of all vectors, each type has its usual odds.

        There is no bias: the mean's direction stands in for one. From zeros, the first hundreds
        of steps would be spent on learning that most types are rare.
        """
        counts = torch.zeros(len(self.head))
        for example in examples:
            counts[torch.from_numpy(example.types).long()] += 1
        share = (counts + 0.5) / (len(examples) + 1.0)
        step = max(1, len(examples) // sampled)
        self.eval()
        with torch.no_grad():
            parts = [self.dense(examples[a : a + 16]) for a in range(0, len(examples), 16 * step)]
            mean = torch.cat(parts).mean(dim=0)
            odds = torch.log(share / (1 - share)).clamp(-12, 12)
            self.head.copy_(odds[:, None] * (mean / mean.square().sum())[None, :])

    def keep_head(self, rows: Tensor) -> None:
        """Take another model's rows of types, and do not train them."""
        self.head = nn.Parameter(rows.clone(), requires_grad=False)

    def size(self) -> int:
        """Parameters."""
        return sum(parameter.numel() for parameter in self.parameters())


def type_loss(logits: Tensor, examples: Sequence[TypedExample]) -> Tensor:
    """Binary cross entropy summed over all types of all examples.

    softplus(x) summed over all, less x summed over the types that are right: no matrix of targets.
    """
    owner = [row for row, example in enumerate(examples) for _ in range(len(example.types))]
    types = torch.cat([torch.from_numpy(example.types).long() for example in examples])
    return nn.functional.softplus(logits).sum() - logits[torch.tensor(owner), types].sum()

"""ResCNN: a name in, a unit vector out, through a few residual blocks of narrow convolutions.

A vector depends on its own name alone: padding is zero before every convolution and never pooled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass(frozen=True, slots=True)
class ResCNNConfig:
    """The shape of the network. The defaults are the paper's."""

    vocabulary: int  # token embeddings
    embedding: int = 384  # width of a token's embedding, before the projection
    width: int = 256  # of hidden states and of the vector
    blocks: int = 4
    filters: int = 100  # of each kernel size
    kernels: tuple[int, ...] = (1, 3, 5)  # odd, so that a filter is centred on its token
    feed_forward: int = 278  # between filters * len(kernels) and width
    pooling: Literal["max", "attention"] = "max"
    dropout: float = 0.0


class Block(nn.Module):
    """Convolutions of several widths side by side, then a feed-forward layer per token."""

    def __init__(self, config: ResCNNConfig) -> None:
        super().__init__()
        self.convolutions = nn.ModuleList(
            nn.Conv1d(config.width, config.filters, kernel, padding=kernel // 2)
            for kernel in config.kernels
        )
        self.wide = nn.Linear(config.filters * len(config.kernels), config.feed_forward)
        self.narrow = nn.Linear(config.feed_forward, config.width)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """*Shape:* states (names, tokens, width), mask (names, tokens, 1), 1 for tokens."""
        columns = (states * mask).transpose(1, 2)
        found = torch.cat([F.relu(convolve(columns)) for convolve in self.convolutions], dim=1)
        hidden = F.relu(self.wide(found.transpose(1, 2)))
        return states + self.dropout(self.narrow(hidden))


class ResCNN(nn.Module):
    """Token ids to unit vectors."""

    def __init__(self, config: ResCNNConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocabulary, config.embedding)
        self.projection = nn.Linear(config.embedding, config.width)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.blocks))
        self.attention = nn.Linear(config.width, 1) if config.pooling == "attention" else None

    def forward(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        """Unit rows; a name without tokens is a zero row.

        *Shape:* tokens (names, longest), anything beyond a name's length is ignored; lengths
        (names,); result (names, width).
        """
        places = torch.arange(tokens.shape[1], device=tokens.device)
        inside = places[None, :] < lengths[:, None]
        mask = inside[:, :, None].to(self.projection.weight.dtype)
        states = self.projection(self.embedding(tokens))
        for block in self.blocks:
            states = block(states, mask)
        vectors = self._pool(states, inside)
        return F.normalize(vectors, dim=1) * (lengths > 0)[:, None]

    def _pool(self, states: Tensor, inside: Tensor) -> Tensor:
        outside = ~inside[:, :, None]
        lowest = torch.finfo(states.dtype).min
        if self.attention is None:
            return states.masked_fill(outside, lowest).amax(dim=1)
        weights = self.attention(states).masked_fill(outside, lowest).softmax(dim=1)
        return (weights * states).sum(dim=1)

    def size(self) -> int:
        """Parameters, without the embedding table."""
        return sum(parameter.numel() for parameter in self.parameters()) - (
            self.embedding.weight.numel()
        )

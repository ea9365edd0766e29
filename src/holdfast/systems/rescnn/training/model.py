"""ResCNN: a name in, a unit vector out, through a few residual blocks of narrow convolutions.

The tokens of a batch lie in one long row, with empty places between names so wide that no filter
sees two names. There is no padding to compute, and a vector depends on its own name alone.
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

    @property
    def reach(self) -> int:
        """How many tokens to each side the widest filter sees."""
        return max(self.kernels) // 2


class Convolution(nn.Module):
    """Filters of one odd kernel size over rows of tokens, as one matrix product."""

    def __init__(self, width: int, filters: int, kernel: int) -> None:
        super().__init__()
        self.kernel = kernel
        self.filters = filters
        self.taps = nn.Linear(width, kernel * filters, bias=False)  # by place, then filter
        self.bias = nn.Parameter(torch.zeros(filters))
        bound = (width * kernel) ** -0.5
        nn.init.uniform_(self.taps.weight, -bound, bound)

    def forward(self, states: Tensor) -> Tensor:
        """Beyond both ends there are zeros. *Shape:* (rows, width) to (rows, filters)."""
        rows, reach = len(states), self.kernel // 2
        taps = F.pad(self.taps(states), (0, 0, reach, reach)).chunk(self.kernel, dim=1)
        return sum((tap[i : i + rows] for i, tap in enumerate(taps)), start=self.bias)


class Block(nn.Module):
    """Convolutions of several sizes side by side, then a feed-forward layer per token."""

    def __init__(self, config: ResCNNConfig) -> None:
        super().__init__()
        self.convolutions = nn.ModuleList(
            Convolution(config.width, config.filters, kernel) for kernel in config.kernels
        )
        self.wide = nn.Linear(config.filters * len(config.kernels), config.feed_forward)
        self.narrow = nn.Linear(config.feed_forward, config.width)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, states: Tensor, full: Tensor) -> Tensor:
        """*Shape:* states (rows, width); full (rows, 1), 0 for empty places, else 1."""
        states = states * full
        found = torch.cat([convolve(states) for convolve in self.convolutions], dim=1)
        hidden = F.relu(self.wide(F.relu(found)))
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

        *Shape:* tokens (all,), those of one name after those of another; lengths (names,), their
        counts; result (names, width).
        """
        owner = torch.repeat_interleave(torch.arange(len(lengths)), lengths)
        places = torch.arange(len(tokens)) + self.config.reach * owner
        rows = len(tokens) + self.config.reach * len(lengths)
        full = torch.zeros(rows, 1).index_fill(0, places, 1.0)
        states = torch.zeros(rows, self.config.width)
        states = states.index_copy(0, places, self.projection(self.embedding(tokens)))
        for block in self.blocks:
            states = block(states, full)
        return F.normalize(self._pool(states, lengths), dim=1) * (lengths > 0)[:, None]

    def _pool(self, states: Tensor, lengths: Tensor) -> Tensor:
        """One row per name. *Shape:* (rows, width) to (names, width)."""
        firsts = torch.cumsum(lengths + self.config.reach, 0) - lengths - self.config.reach
        offsets = torch.arange(max(1, int(lengths.max())))
        inside = offsets < lengths[:, None]
        padded = states[torch.where(inside, firsts[:, None] + offsets, 0)]
        outside = ~inside[:, :, None]
        lowest = torch.finfo(states.dtype).min
        if self.attention is None:
            return padded.masked_fill(outside, lowest).amax(dim=1)
        weights = self.attention(padded).masked_fill(outside, lowest).softmax(dim=1)
        return (weights * padded).sum(dim=1)

    def size(self) -> int:
        """Parameters, without the embedding table."""
        every = sum(parameter.numel() for parameter in self.parameters())
        return every - self.embedding.weight.numel()

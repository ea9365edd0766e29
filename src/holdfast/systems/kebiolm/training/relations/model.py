"""The network of relations: an encoder that sees marks, and two networks that score pairs."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from holdfast.errors import UsageError
from holdfast.systems.kebiolm.relations.asked import MARKS, MENTION_FEATURES, PAIR_FEATURES
from holdfast.systems.kebiolm.relations.pairs import RelationShape
from holdfast.systems.kebiolm.training.relations.data import RelationBatch
from holdfast.training.bert import PackedLayout, places_of
from holdfast.training.token_encoder import TransformerTokens


class PairNetwork(nn.Module):
    """A feed-forward network with one hidden layer."""

    def __init__(self, inner: int, hidden: int, labels: int, *, dropout: float) -> None:
        super().__init__()
        self.hidden = nn.Linear(inner, hidden)
        self.out = nn.Linear(hidden, labels)
        self.dropout = nn.Dropout(dropout)

    def forward(self, rows: Tensor) -> Tensor:
        """*Shape:* (rows, inner) to (rows, labels)."""
        return self.out(self.dropout(F.relu(self.hidden(self.dropout(rows)))))


class RelationNetwork(nn.Module):
    """Questions to logits of their tails; `holdfast…relations.scores` computes the same."""

    def __init__(
        self,
        shape: RelationShape,
        encoder: nn.Module,
        *,
        hidden: int = 256,
        dropout: float = 0.2,
    ) -> None:
        super().__init__()
        if not isinstance(encoder, TransformerTokens):
            raise UsageError("a relation model begins with a BERT with exact GELU, as MiniLM is")
        self.shape = shape
        self.encoder = encoder
        width, labels = encoder.width, len(shape.labels)
        self.marks = nn.Linear(len(MARKS), width, bias=False)
        nn.init.normal_(self.marks.weight, std=0.02)
        inner = 3 * width + MENTION_FEATURES
        self.heads = nn.ModuleDict(
            {
                "mention": PairNetwork(inner, hidden, labels, dropout=dropout),
                "pair": PairNetwork(2 * width + PAIR_FEATURES, hidden, labels, dropout=dropout),
            }
        )

    def states(self, batch: RelationBatch) -> Tensor:
        """Of the tokens of all questions. *Shape:* (tokens, width)."""
        network: Any = self.encoder.network
        layout = PackedLayout.of(batch.lengths + 2)
        added = self.marks(batch.marks)
        states = network.embedded(batch.tokens, batch.lengths, layout, added=added)
        seen = layout.seen(None)
        for layer in network.layers:
            states = layer(states, layout, seen)
        return states[places_of(batch.lengths)][batch.kept]

    def forward(self, batch: RelationBatch) -> Tensor:
        """*Shape:* (tails, labels)."""
        states = self.states(batch)
        heads, tails = span_means(states, batch.heads), span_means(states, batch.tails)
        beside = heads[batch.nearest]
        seen = torch.cat([tails, beside, tails * beside, batch.of_mentions], dim=1)
        of_mentions = self.heads["mention"](seen)
        count = len(batch.questions)
        means = _means(tails, batch.owners, count)
        head = _means(heads, batch.head_owners, int(batch.questions[-1]) + 1)
        whole = torch.cat([means, head[batch.questions], batch.of_pairs], dim=1)
        return log_sums(of_mentions, batch.owners, count) + self.heads["pair"](whole)

    def size(self) -> int:
        """Parameters."""
        return sum(parameter.numel() for parameter in self.parameters())


def span_means(states: Tensor, spans: Tensor) -> Tensor:
    """The mean over the tokens of each span, ends inclusive. *Shape:* (spans, width)."""
    lengths = spans[:, 1] - spans[:, 0] + 1
    owner = torch.repeat_interleave(torch.arange(len(spans)), lengths)
    begins = torch.cumsum(lengths, 0) - lengths
    rows = torch.arange(len(owner)) - begins[owner] + spans[owner, 0]
    return _means(states[rows], owner, len(spans))


def _means(rows: Tensor, owners: Tensor, count: int) -> Tensor:
    """The mean of the rows of each owner. *Shape:* (count, width)."""
    sums = rows.new_zeros(count, rows.shape[1]).index_add(0, owners, rows)
    return sums / torch.bincount(owners, minlength=count)[:, None]


def log_sums(scores: Tensor, owners: Tensor, count: int) -> Tensor:
    """The log of the sum of exponentials over the rows of each owner. *Shape:* (count, labels)."""
    index = owners[:, None].expand_as(scores)
    lowest = torch.full((count, scores.shape[1]), torch.finfo(scores.dtype).min)
    highest = lowest.scatter_reduce(0, index, scores, "amax", include_self=False).detach()
    sums = torch.zeros_like(highest).index_add(0, owners, (scores - highest[owners]).exp())
    return highest + sums.log()

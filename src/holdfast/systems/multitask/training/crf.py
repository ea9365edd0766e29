"""A linear-chain conditional random field over the tags of sentences."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class ChainCrf(nn.Module):
    """Scores of neighbouring tags, and the likelihood of rows of tags.

    `transitions` has a row for the tag before and a column for the tag after. Its last row stands
    for the start of a sentence, its last column for the end.
    """

    def __init__(self, tags: int) -> None:
        super().__init__()
        self.tags = tags
        self.transitions = nn.Parameter(torch.zeros(tags + 1, tags + 1))
        nn.init.uniform_(self.transitions, -0.1, 0.1)

    def loss(self, scores: Tensor, tags: Tensor, lengths: Tensor) -> Tensor:
        """Minus the log-likelihood, summed over the sentences.

        *Shape:* scores (words, tags) and tags (words,), sentence after sentence; lengths
        (sentences,), all positive.
        """
        ends = torch.cumsum(lengths, 0) - 1
        firsts = ends - lengths + 1
        return self._log_total(scores, lengths) - self._score(scores, tags, firsts, ends)

    def _score(self, scores: Tensor, tags: Tensor, firsts: Tensor, ends: Tensor) -> Tensor:
        """The sum of the scores of these tags and of their transitions."""
        before = torch.cat([tags.new_full((1,), self.tags), tags[:-1]])
        before[firsts] = self.tags
        emitted = scores.gather(1, tags[:, None]).sum()
        return emitted + self.transitions[before, tags].sum() + self._last(tags[ends]).sum()

    def _log_total(self, scores: Tensor, lengths: Tensor) -> Tensor:
        """The log of the sum over all rows of tags, for all sentences together."""
        parts = torch.nn.utils.rnn.pad_sequence(scores.split(lengths.tolist()), batch_first=True)
        inner = self.transitions[:-1, :-1]
        total = parts[:, 0] + self.transitions[-1, :-1]
        for word in range(1, parts.shape[1]):
            following = (total[:, :, None] + inner).logsumexp(dim=1) + parts[:, word]
            total = torch.where((word < lengths)[:, None], following, total)
        return (total + self.transitions[:-1, -1]).logsumexp(dim=1).sum()

    def _last(self, tags: Tensor) -> Tensor:
        return self.transitions[tags, -1]

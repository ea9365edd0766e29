"""From the states of a question's tokens to scores of its tails, in numpy.

Every mention of a tail is scored against the nearest mention of the head, and an entity's score is
the log of the sum over its mentions, so that one clear mention is enough; a second network sees the
entity as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from holdfast.systems.kebiolm.relations.asked import Asked, Floats, Integers


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Of one question. Logits are not yet probabilities."""

    of_mentions: Floats  # (mentions of tails, labels)
    of_tails: Floats  # (tails, labels)


def score(states: Floats, asked: Asked, weights: Mapping[str, Floats]) -> Scores:
    """*Shape:* states (tokens, width); weights as `RelationNetwork.heads` has them."""
    tails = span_means(states, asked.tails)
    heads = span_means(states, asked.heads)
    beside = heads[asked.nearest]
    seen = np.concatenate([tails, beside, tails * beside, asked.of_mentions], axis=1)
    of_mentions = _network(seen, weights, "mention")
    count = len(asked.judged)
    means = np.zeros((count, states.shape[1]), dtype=np.float32)
    np.add.at(means, asked.owners, tails)
    means /= np.bincount(asked.owners, minlength=count)[:, None]
    head = np.broadcast_to(heads.mean(axis=0), means.shape)
    whole = np.concatenate([means, head, asked.of_pairs], axis=1)
    pooled = _log_sums(of_mentions, asked.owners, count)
    return Scores(of_mentions, (pooled + _network(whole, weights, "pair")).astype(np.float32))


def span_means(states: Floats, spans: Integers) -> Floats:
    """The mean over the tokens of each span, ends inclusive. *Shape:* (spans, width)."""
    rows = [states[first : last + 1].mean(axis=0) for first, last in spans.tolist()]
    return np.stack(rows) if rows else np.zeros((0, states.shape[1]), dtype=np.float32)


def _network(rows: Floats, weights: Mapping[str, Floats], name: str) -> Floats:
    hidden = rows @ weights[f"{name}.hidden.weight"].T + weights[f"{name}.hidden.bias"]
    found: Floats = (
        np.maximum(hidden, 0) @ weights[f"{name}.out.weight"].T + weights[f"{name}.out.bias"]
    )
    return found


def _log_sums(scores: Floats, owners: Integers, count: int) -> Floats:
    """The log of the sum of exponentials over the mentions of each tail."""
    highest = np.full((count, scores.shape[1]), -np.inf, dtype=np.float32)
    np.maximum.at(highest, owners, scores)
    sums = np.zeros_like(highest)
    np.add.at(sums, owners, np.exp(scores - highest[owners]))
    found: Floats = highest + np.log(sums)
    return found

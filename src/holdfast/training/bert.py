"""A BERT-type encoder of names: the transformer that ResCNN is compared with.

It is trained and asked as ResCNN is: the tokens of a batch in one row, a unit vector for each name.
A name's vector is the last layer's state of [CLS], so that layer computes nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from holdfast.errors import ArtifactError, InvalidValueError
from holdfast.training.precision import layer_products
from holdfast.training.pretrained import (
    named_if_damaged,
    pretrained_config,
    pretrained_tokenizer,
    pretrained_weights,
)

# Ours, and what a Hugging Face folder calls it: of the network, and of each layer.
_OUTSIDE: Final = (
    ("embedding", "embeddings.word_embeddings"),
    ("position", "embeddings.position_embeddings"),
    ("norm", "embeddings.LayerNorm"),
)
_INSIDE: Final = (
    ("query", "attention.self.query"),
    ("key", "attention.self.key"),
    ("value", "attention.self.value"),
    ("mix", "attention.output.dense"),
    ("mixed", "attention.output.LayerNorm"),
    ("wide", "intermediate.dense"),
    ("narrow", "output.dense"),
    ("fed", "output.LayerNorm"),
)
_TYPES: Final = "embeddings.token_type_embeddings.weight"


@dataclass(frozen=True, slots=True)
class TransformerConfig:
    """The shape of the network. The defaults are MiniLM's."""

    vocabulary: int  # token embeddings
    first: int  # the token before a name: [CLS]
    last: int  # the token after it: [SEP]
    width: int = 384  # of hidden states and of the vector
    layers: int = 6
    heads: int = 12
    feed_forward: int = 1536
    positions: int = 512  # most tokens of a name, with the first and the last
    epsilon: float = 1e-12  # of layer normalisation


@dataclass(frozen=True, slots=True)
class PackedLayout:
    """Where the tokens of a batch lie: all in one row, [CLS] and [SEP] with their name."""

    firsts: Tensor  # (names,): the place of each name's first token
    offsets: Tensor  # (all,): how far each token is from its name's first
    inside: Tensor  # (names, longest): whether the name has a token there
    rows: Tensor  # (all,): the place of each token among names * longest

    @classmethod
    def of(cls, lengths: Tensor) -> PackedLayout:
        """*Shape:* lengths (names,), with the first and the last token."""
        firsts = torch.cumsum(lengths, 0) - lengths
        across = torch.arange(int(lengths.max()))
        inside = across < lengths[:, None]
        offsets = torch.arange(int(lengths.sum())) - torch.repeat_interleave(firsts, lengths)
        return cls(firsts, offsets, inside, inside.flatten().nonzero()[:, 0])

    def pad(self, states: Tensor) -> Tensor:
        """A row of names for a row of tokens; zeros where a name has no token.

        Copies, and gathers in `pack`, have cheap gradients on a CPU; indexing has not.

        *Shape:* (all, width) to (names, longest, width).
        """
        names, longest = self.inside.shape
        empty = states.new_zeros(names * longest, states.shape[1])
        return empty.index_copy(0, self.rows, states).unflatten(0, (names, longest))

    def pack(self, states: Tensor) -> Tensor:
        """The reverse of `pad`. *Shape:* (names, longest, width) to (all, width)."""
        return states.flatten(0, 1).index_select(0, self.rows)

    def seen(self, window: int | None) -> Tensor:
        """Which tokens a token attends to: its name's, at most window // 2 away.

        *Shape:* (names, longest, longest), by who looks, then by who is seen.
        """
        across = torch.arange(self.inside.shape[1])
        distance = (across[:, None] - across).abs()
        # Every place sees itself, padding too: a row of nothing would not be a number.
        seen = self.inside[:, None, :] | (distance == 0)
        return seen if window is None else seen & (distance <= window // 2)


def places_of(lengths: Tensor) -> Tensor:
    """Where tokens are among those with [CLS] and [SEP]. *Shape:* (names,) to (tokens,)."""
    owner = torch.repeat_interleave(torch.arange(len(lengths)), lengths)
    return torch.arange(len(owner)) + 2 * owner + 1


class Layer(nn.Module):
    """Self-attention and a feed-forward layer, each added to its input and then normalised."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        width = config.width
        self.heads = config.heads
        self.query, self.key, self.value, self.mix = (nn.Linear(width, width) for _ in range(4))
        self.wide = nn.Linear(width, config.feed_forward)
        self.narrow = nn.Linear(config.feed_forward, width)
        self.mixed = nn.LayerNorm(width, eps=config.epsilon)
        self.fed = nn.LayerNorm(width, eps=config.epsilon)

    def forward(self, states: Tensor, layout: PackedLayout, seen: Tensor) -> Tensor:
        """The new state of every token. *Shape:* (all, width) to (all, width)."""
        with layer_products():
            queries = layout.pad(self.query(states))
            return self._finish(states, layout.pack(self._attend(queries, states, layout, seen)))

    def first(self, states: Tensor, layout: PackedLayout) -> Tensor:
        """The new state of each name's first token, which sees the whole name.

        *Shape:* (all, width) to (names, width).
        """
        with layer_products():
            own = states[layout.firsts]
            found = self._attend(self.query(own)[:, None], states, layout, layout.inside[:, None])
            return self._finish(own, found[:, 0])

    def _attend(
        self, queries: Tensor, states: Tensor, layout: PackedLayout, seen: Tensor
    ) -> Tensor:
        """*Shape:* queries (names, asking, width); seen (names, asking, longest).

        Written out: on a CPU this is several times as fast as torch's fused attention when it is
        computed in bfloat16, and no slower otherwise.
        """
        keys, values = layout.pad(self.key(states)), layout.pad(self.value(states))
        split = (part.unflatten(2, (self.heads, -1)) for part in (queries, keys, values))
        query, key, value = (part.transpose(1, 2) for part in split)
        scores = (query * key.shape[-1] ** -0.5) @ key.transpose(2, 3)
        unseen = torch.zeros(seen.shape, dtype=scores.dtype).masked_fill(~seen, -1e30)
        with torch.autocast("cpu", enabled=False):  # which would widen the shares to 32 bits
            shares = (scores + unseen[:, None]).softmax(dim=-1)
        return (shares @ value).transpose(1, 2).flatten(2)

    def _finish(self, states: Tensor, found: Tensor) -> Tensor:
        states = self.mixed(states + self.mix(found))
        return self.fed(states + self.narrow(F.gelu(self.wide(states))))


class TransformerLinker(nn.Module):
    """Token ids to unit vectors."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocabulary, config.width)
        self.position = nn.Embedding(config.positions, config.width)
        self.norm = nn.LayerNorm(config.width, eps=config.epsilon)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.layers))

    def forward(self, tokens: Tensor, lengths: Tensor, *, window: int | None = None) -> Tensor:
        """Unit rows; a name without tokens is a zero row.

        `window`, an odd number, limits every attention but the last layer's: a token sees itself
        and window // 2 tokens to each side.

        *Shape:* tokens (all,), those of one name after those of another; lengths (names,), their
        counts; result (names, width).
        """
        layout = PackedLayout.of(lengths + 2)
        states = self.states(tokens, lengths, window=window)
        vectors = self.layers[-1].first(states, layout)
        return F.normalize(vectors, dim=1) * (lengths > 0)[:, None]

    def states(self, tokens: Tensor, lengths: Tensor, *, window: int | None = None) -> Tensor:
        """What the last layer looks at: a row per token, [CLS] and [SEP] with their name.

        *Shape:* (tokens + 2 * names, width).
        """
        if window is not None and (window < 1 or window % 2 == 0):
            raise InvalidValueError(f"a window of {window}: it must be odd, as 3 and 5 are")
        layout = PackedLayout.of(lengths + 2)
        states = self.embedded(tokens, lengths, layout)
        seen = layout.seen(window)
        for layer in list(self.layers)[:-1]:
            states = layer(states, layout, seen)
        return states

    def embedded(
        self, tokens: Tensor, lengths: Tensor, layout: PackedLayout, *, added: Tensor | None = None
    ) -> Tensor:
        """What the first layer reads; `added` joins the embeddings of the tokens.

        *Shape:* added (tokens, width); result (tokens + 2 * names, width).
        """
        states = self.embedding(self._framed(tokens, lengths, layout))
        if added is not None:
            states = states.index_add(0, places_of(lengths), added)
        return self.norm(states + self.position(layout.offsets))

    def _framed(self, tokens: Tensor, lengths: Tensor, layout: PackedLayout) -> Tensor:
        """The tokens with [CLS] before and [SEP] after each name's."""
        framed = torch.full((len(layout.offsets),), self.config.last)
        framed[layout.firsts] = self.config.first
        framed[places_of(lengths)] = tokens
        return framed

    def size(self) -> int:
        """Parameters, without the embedding table."""
        every = sum(parameter.numel() for parameter in self.parameters())
        return every - self.embedding.weight.numel()


def pretrained_transformer(encoder: Path) -> TransformerLinker:
    """The encoder of a Hugging Face folder: a BERT with exact GELU, as MiniLM is."""
    config = pretrained_config(encoder)
    kind = (config.get("model_type"), config.get("hidden_act"))
    if kind != ("bert", "gelu"):
        raise ArtifactError(f"{encoder}: is {kind[0]} with {kind[1]}; it must be bert with gelu")
    weights = pretrained_weights(encoder)
    with named_if_damaged(encoder / "config.json"):
        model = TransformerLinker(_config(config, encoder))
    weights = {name.removeprefix("bert."): tensor for name, tensor in weights.items()}
    try:
        put_weights(model, weights)
    except (KeyError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise ArtifactError(f"{encoder}: weights that do not fit its config ({reason})") from error
    return model


def put_weights(model: TransformerLinker, weights: Mapping[str, Tensor]) -> None:
    """Put in weights that are called as in a Hugging Face BERT; KeyError if one is missing."""
    model.load_state_dict(_own_names(weights, layers=model.config.layers))


def hugging_face_weights(model: TransformerLinker) -> dict[str, Tensor]:
    """The weights as a Hugging Face BERT calls them; the one type of tokens there is is zero."""
    pairs = list(_OUTSIDE) + [
        (f"layers.{i}.{own}", f"encoder.layer.{i}.{foreign}")
        for i in range(model.config.layers)
        for own, foreign in _INSIDE
    ]
    own = model.state_dict()
    found = {
        f"{foreign}.{part}": own[f"{name}.{part}"]
        for name, foreign in pairs
        for part in ("weight", "bias")
        if f"{name}.{part}" in own
    }
    return {**found, _TYPES: torch.zeros(2, model.config.width)}


def _config(config: dict[str, Any], encoder: Path) -> TransformerConfig:
    tokenizer = pretrained_tokenizer(encoder)
    first, last = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
    if first is None or last is None:
        raise ArtifactError(f"{encoder}: its tokenizer has no [CLS] or no [SEP]")
    return TransformerConfig(
        vocabulary=config["vocab_size"],
        first=first,
        last=last,
        width=config["hidden_size"],
        layers=config["num_hidden_layers"],
        heads=config["num_attention_heads"],
        feed_forward=config["intermediate_size"],
        positions=config["max_position_embeddings"],
        epsilon=config.get("layer_norm_eps", 1e-12),
    )


def _own_names(weights: Mapping[str, Tensor], *, layers: int) -> dict[str, Tensor]:
    """The weights that are used, renamed; the one token type there is goes into the positions."""
    pairs = list(_OUTSIDE) + [
        (f"layers.{i}.{own}", f"encoder.layer.{i}.{foreign}")
        for i in range(layers)
        for own, foreign in _INSIDE
    ]
    found = {
        f"{own}.{part}": weights[f"{foreign}.{part}"]
        for own, foreign in pairs
        for part in ("weight", "bias")
        if part == "weight" or own not in ("embedding", "position")
    }
    found["position.weight"] = found["position.weight"] + weights[_TYPES][0]
    return found

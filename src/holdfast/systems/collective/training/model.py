"""The dual encoder: mentions in their document and entities by their names, as vectors.

A mention's vector, times an entity's, is the score. Both are unit vectors but for one learned
scale, which the mention's carries, so that the score stays a plain dot product.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from holdfast.errors import InvalidValueError
from holdfast.training.token_encoder import Pooling, TokenEncoder, open_token_encoder

Detection = Literal["", "bio", "spans"]


@dataclass(frozen=True, slots=True)
class DualEncoderShape:
    """What is learned, whatever it is learned from."""

    encoder: str = "minilm"  # or rescnn, or a Hugging Face folder
    mention: Literal["ends", "mean"] = "ends"  # W[h_i; h_j] + b, or the mean of its tokens
    entity: Pooling = "mean"  # of a name's tokens; "first": [CLS]
    detection: Detection = ""  # "": mentions are given
    shared: bool = False  # one encoder for documents and names
    longest_name: int = 24  # tokens that are read of a name
    longest_span: int = 10  # words of a mention, for "spans"
    scale: float = 16.0  # of the dot product, to begin with

    def __post_init__(self) -> None:
        allowed = {
            "mention": ("ends", "mean"),
            "entity": ("first", "mean"),
            "detection": ("", "bio", "spans"),
        }
        for name, values in allowed.items():
            value = getattr(self, name)
            if value not in values:
                raise InvalidValueError(
                    f"{name} = {value!r}: it is one of {', '.join(map(repr, values))}"
                )


class DualEncoder(nn.Module):
    """Documents to mention vectors, names to entity vectors."""

    def __init__(
        self,
        shape: DualEncoderShape,
        *,
        encoders: tuple[TokenEncoder, ...] = (),
        encodes_names: bool = True,
    ) -> None:
        """`encoders`: of documents and of names, if not those that the shape names.

        Without `encodes_names` it has no encoder of names: their vectors come from elsewhere.
        """
        super().__init__()
        self.shape = shape
        self.encodes_names = encodes_names
        has_two = encodes_names and not shape.shared
        made = encoders or tuple(open_token_encoder(shape.encoder) for _ in range(1 + has_two))
        self.documents = made[0]
        self.own_names = made[1] if has_two else None
        width = self.width = self.documents.width
        self.ends = nn.Linear(2 * width, width) if shape.mention == "ends" else None
        self.log_scale = nn.Parameter(torch.tensor(shape.scale).log())
        self.tags = nn.Linear(width, 3) if shape.detection == "bio" else None
        self.span = nn.Linear(width, 3) if shape.detection == "spans" else None
        if self.ends is not None:
            # Begins as the mean of both ends, which means something from the first step on.
            with torch.no_grad():
                half = torch.eye(width) / 2
                self.ends.weight.copy_(torch.cat([half, half], dim=1))
                self.ends.bias.zero_()

    @property
    def names(self) -> TokenEncoder:
        return self.documents if self.own_names is None else self.own_names

    def fix_names(self) -> None:
        """From now on only the encoder of documents learns, and what sits on it."""
        if self.own_names is None:
            raise InvalidValueError("fixed_names: documents and names share one encoder")
        self.own_names.requires_grad_(requires_grad=False)

    def states(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        """*Shape:* tokens (all,), lengths (texts,) to (all, width)."""
        return self.documents(tokens, lengths).tokens

    def mentions(self, states: Tensor, spans: Tensor) -> Tensor:
        """*Shape:* states (all, width); spans (mentions, 2), rows of the first and last state."""
        if self.ends is not None:
            pair = torch.cat([states[spans[:, 0]], states[spans[:, 1]]], dim=1)
            vectors = self.ends(pair)
        else:
            vectors = means(states, spans[:, 0], spans[:, 1] - spans[:, 0] + 1)
        return F.normalize(vectors, dim=1) * self.log_scale.exp()

    def entities(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        """Unit rows. *Shape:* tokens (all,), lengths (names,) to (names, width)."""
        assert self.encodes_names
        found = self.names(tokens, lengths)
        if self.shape.entity == "first":
            return F.normalize(found.texts, dim=1)
        firsts = torch.cumsum(lengths, 0) - lengths
        return F.normalize(means(found.tokens, firsts, lengths), dim=1)

    def span_scores(self, states: Tensor, spans: Tensor) -> Tensor:
        """The log-odds that each span is a mention: its ends, and the sum over its tokens.

        *Shape:* states (all, width); spans (spans, 2) to (spans,).
        """
        assert self.span is not None
        starts, ends, middles = self.span(states).unbind(dim=1)
        sums = F.pad(middles.cumsum(0), (1, 0))
        inner = sums[spans[:, 1] + 1] - sums[spans[:, 0]]
        return starts[spans[:, 0]] + ends[spans[:, 1]] + inner

    def size(self) -> int:
        """Parameters; those that both encoders share count once."""
        return sum(parameter.numel() for parameter in self.parameters())


def means(states: Tensor, firsts: Tensor, lengths: Tensor) -> Tensor:
    """The mean of each run of rows; a run of none is zeros. *Shape:* (runs, width)."""
    owner = torch.repeat_interleave(torch.arange(len(lengths)), lengths)
    begins = torch.cumsum(lengths, 0) - lengths
    rows = torch.arange(len(owner)) - begins[owner] + firsts[owner]
    sums = torch.zeros(len(lengths), states.shape[1]).index_add(0, owner, states[rows])
    return sums / lengths.clamp(min=1)[:, None]


def link_loss(scores: Tensor, is_gold: Tensor) -> Tensor:
    """Cross entropy over candidates; a mention may have several right ones, any of which will do.

    *Shape:* scores (mentions, candidates); is_gold the same. Every mention has a gold candidate.
    """
    right = scores.masked_fill(~is_gold, -torch.inf).logsumexp(dim=1)
    return (scores.logsumexp(dim=1) - right).mean()


def shape_of(config: Mapping[str, Any]) -> DualEncoderShape:
    """From a manifest's or a recipe's values; an unknown one is an error that names it."""
    known = asdict(DualEncoderShape())
    if unknown := set(config) - set(known):
        raise InvalidValueError(f"a dual encoder has no {min(unknown)!r}")
    return DualEncoderShape(**{**known, **config})

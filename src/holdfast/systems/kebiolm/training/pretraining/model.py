"""The network: text layers, an entity memory, fusion layers, and the heads of three losses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from holdfast.errors import InvalidValueError
from holdfast.systems.kebiolm.training.pretraining.data import (
    NO_ENTITY,
    TextBatch,
    span_tokens,
    spans_of_tags,
)
from holdfast.training.bert import PackedLayout, TransformerLinker, places_of
from holdfast.training.precision import layer_products
from holdfast.training.token_encoder import States

TAGS = 3


@dataclass(frozen=True, slots=True)
class KnowledgeShape:
    """What the network consists of besides its encoder."""

    text_layers: int = 4  # before the entity memory; the others come after it
    entity_width: int = 100
    nearest: int = 100  # entities that a mention's state is mixed from
    knowledge: bool = True  # False: the twin, a plain masked language model


@dataclass(frozen=True, slots=True)
class Read:
    """What the network made of a batch. Rows are of tokens without the special ones."""

    tokens: Tensor  # the last states; (tokens, width)
    texts: Tensor  # those of [CLS]; (sequences, width)
    tags: Tensor | None  # logits of BIO from the text layers; (tokens, TAGS)
    links: Tensor | None  # of every mention to every entity; (mentions, entities)
    spans: Tensor  # the mentions; (mentions, 2)


class EntityMemory(nn.Module):
    """Vectors of entities that mentions look up, and what they bring back."""

    def __init__(self, width: int, entities: Tensor, *, nearest: int) -> None:
        super().__init__()
        self.nearest = nearest
        self.table = nn.Embedding.from_pretrained(entities.clone(), freeze=False)
        self.query = nn.Linear(2 * width, entities.shape[1])
        self.project = nn.Linear(entities.shape[1], width)

    def links(self, states: Tensor, spans: Tensor) -> Tensor:
        """Products of each mention, its first and its last state, with each entity's vector."""
        ends = torch.cat([states.index_select(0, end) for end in spans.unbind(1)], dim=1)
        return self.query(ends) @ self.table.weight.T

    def mixed(self, links: Tensor) -> Tensor:
        """The mean of the nearest vectors, by softmax, projected. *Shape:* (mentions, width)."""
        best = links.topk(min(self.nearest, links.shape[1]), dim=1)
        shares = best.values.softmax(dim=1)
        mean = (shares[:, :, None] * self.table(best.indices)).sum(dim=1)
        return self.project(mean)


class MaskedHead(nn.Module):
    """BERT's head of masked tokens; its last matrix is the embedding table."""

    def __init__(self, width: int, vocabulary: int, *, epsilon: float) -> None:
        super().__init__()
        self.dense = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width, eps=epsilon)
        self.bias = nn.Parameter(torch.zeros(vocabulary))

    def forward(self, states: Tensor, table: Tensor) -> Tensor:
        """*Shape:* states (places, width), table (vocabulary, width) to (places, vocabulary)."""
        return self.norm(F.gelu(self.dense(states))) @ table.T + self.bias


class KnowledgeNetwork(nn.Module):
    """A BERT in two groups of layers with the entity memory between them.

    Without a second group nothing is added: it is a plain BERT that also learns to detect and link.
    """

    def __init__(
        self, network: TransformerLinker, shape: KnowledgeShape, entities: Tensor | None
    ) -> None:
        """`entities`: the vectors to begin with; needed unless the shape has no knowledge."""
        super().__init__()
        layers = network.config.layers
        if not 0 < shape.text_layers <= layers:
            raise InvalidValueError(f"text_layers = {shape.text_layers}: it lies in 1 to {layers}")
        self.network = network
        self.shape = shape
        width = network.config.width
        self.masked = MaskedHead(width, network.config.vocabulary, epsilon=network.config.epsilon)
        self.detect: nn.Linear | None = None
        self.memory: EntityMemory | None = None
        if shape.knowledge:
            if entities is None:
                raise InvalidValueError("an entity memory needs entities")
            self.detect = nn.Linear(width, TAGS)
            self.memory = EntityMemory(width, entities, nearest=shape.nearest)

    def forward(
        self,
        tokens: Tensor,
        lengths: Tensor,
        *,
        spans: Tensor | None = None,
        known: Tensor | None = None,
    ) -> Read:
        """Read sequences. Without `spans`, the mentions are those that the network detects.

        `known` says which mentions have an entity: the others receive no entity state.

        *Shape:* tokens (tokens,), lengths (sequences,), spans (mentions, 2), known (mentions,).
        """
        layout = PackedLayout.of(lengths + 2)
        seen, places = layout.seen(None), places_of(lengths)
        states = self.network.embedded(tokens, lengths, layout)
        layers: list[Any] = list(self.network.layers)
        for layer in layers[: self.shape.text_layers]:
            states = layer(states, layout, seen)
        tags = links = None
        if self.detect is not None and self.memory is not None:
            own = states.index_select(0, places)
            tags = self.detect(own)
            if spans is None:
                spans = spans_of_tags(tags.argmax(dim=1), lengths)
            links = self.memory.links(own, spans)
            if self.shape.text_layers < len(layers):
                states = add_entities(states, self.memory.mixed(links), spans, places, known)
        for layer in layers[self.shape.text_layers :]:
            states = layer(states, layout, seen)
        none = torch.zeros((0, 2), dtype=torch.long)
        return Read(
            states.index_select(0, places),
            states.index_select(0, layout.firsts),
            tags,
            links,
            none if spans is None else spans,
        )

    def vocabulary_logits(self, states: Tensor) -> Tensor:
        """*Shape:* (places, width) to (places, vocabulary)."""
        with layer_products():
            found: Tensor = self.masked(states, self.network.embedding.weight)
        return found.float()

    def size(self) -> int:
        """Parameters."""
        return sum(parameter.numel() for parameter in self.parameters())


def add_entities(
    states: Tensor, brought: Tensor, spans: Tensor, places: Tensor, known: Tensor | None
) -> Tensor:
    """Add what each mention brought to exactly its tokens; [CLS] and [SEP] receive nothing.

    *Shape:* states (all, width), special tokens with them; brought (mentions, width); places
    (tokens,), of the tokens among the states.
    """
    if known is not None:
        spans, brought = spans[known], brought[known]
    if not len(spans):
        return states
    own, owners = span_tokens(spans)
    return states.index_add(0, places[own], brought[owners])


def knowledge_losses(
    model: KnowledgeNetwork, batch: TextBatch, tokens: Tensor, places: Tensor, labels: Tensor
) -> dict[str, Tensor]:
    """Mean losses by name: of masked tokens, of tags, and of links over all entities.

    Mentions whose entity has no vector are not linked, but detected.
    """
    known = batch.entities != NO_ENTITY
    spans = batch.spans if model.shape.knowledge else None
    read = model(tokens, batch.lengths, spans=spans, known=known)
    zero = read.tokens.sum() * 0
    losses = {"masked": zero}
    if len(places):
        losses["masked"] = F.cross_entropy(model.vocabulary_logits(read.tokens[places]), labels)
    if read.tags is not None and read.links is not None:
        losses["detection"] = F.cross_entropy(read.tags, batch.tags())
        linked = F.cross_entropy(read.links[known], batch.entities[known]) if known.any() else zero
        losses["linking"] = linked
    return losses


class KnowledgeTokens(nn.Module):
    """The whole network as an encoder of tokens: mentions are those that it detects itself."""

    def __init__(self, model: KnowledgeNetwork) -> None:
        super().__init__()
        self.model = model
        self.width = model.network.config.width
        self.longest = model.network.config.positions - 2
        model.network.embedding.weight.requires_grad = False
        for unused in model.masked.parameters():
            unused.requires_grad = False

    def forward(self, tokens: Tensor, lengths: Tensor) -> States:
        """*Shape:* tokens (all,); lengths (texts,), the number of tokens of each text."""
        read = self.model(tokens, lengths)
        return States(read.tokens, read.texts)

"""Token encoders of dual encoders as ONNX graphs.

A graph takes texts of one length between their special tokens, so it needs no mask: tokens, int64
(texts, length + 2), to states, float32 (texts, length + 2, width).
"""

from __future__ import annotations

import torch

from holdfast.encoders.tokens import INPUT
from holdfast.systems.rescnn.training.model import Block
from holdfast.training.bert import Layer
from holdfast.training.export.graph import Graph
from holdfast.training.export.layers import (
    TransformerLayer,
    add_block,
    add_positions,
    add_transformer_layer,
)
from holdfast.training.export.traced import traced
from holdfast.training.token_encoder import (
    ResCNNTokens,
    TokenEncoder,
    TransformerTokens,
)


def add_states(graph: Graph, encoder: TokenEncoder) -> str:
    """The nodes from tokens to the state of every token, special ones with them."""
    if isinstance(encoder, TransformerTokens):
        return add_transformer(graph, encoder)
    if isinstance(encoder, ResCNNTokens):
        return _rescnn(graph, encoder)
    network = traced(encoder.network, token=encoder.frame[0], quantised=graph.quantised)
    return graph.include(network)


def add_transformer(graph: Graph, encoder: TransformerTokens, *, added: str = "") -> str:
    """The nodes of a BERT; what `added` names joins the embeddings of the tokens."""
    network = encoder.network
    words = graph.rows(network.embedding.weight, INPUT)
    if added:
        words = graph.add("Add", words, added)
    states = add_positions(graph, words, network.position.weight, network.norm, INPUT)
    for layer in network.layers:
        assert isinstance(layer, Layer)
        own = TransformerLayer(
            heads=layer.heads,
            query=layer.query,
            key=layer.key,
            value=layer.value,
            mix=layer.mix,
            mixed=layer.mixed,
            wide=layer.wide,
            narrow=layer.narrow,
            fed=layer.fed,
        )
        states = add_transformer_layer(graph, own, states)
    return states


def _rescnn(graph: Graph, encoder: ResCNNTokens) -> str:
    """The special tokens are not looked at, and their states are zeros."""
    tokens = graph.part(INPUT, 1, -1, axis=1)
    with torch.inference_mode():
        folded = encoder.projection(encoder.embedding.weight)
    states = graph.rows(folded, tokens)
    for block in encoder.blocks:
        assert isinstance(block, Block)
        states = add_block(graph, block, states, exact=False)
    return graph.add("Pad", graph.norm(states, encoder.norm), graph.numbers(0, 1, 0, 0, 1, 0))


def add_text_vector(graph: Graph, encoder: TokenEncoder, states: str, *, pooling: str) -> str:
    """The nodes from states to one row per text. *Shape:* (texts, width)."""
    inner = graph.part(states, 1, -1, axis=1)
    if pooling == "mean":
        return graph.add("ReduceMean", inner, graph.numbers(1), keepdims=0)
    if isinstance(encoder, ResCNNTokens):
        return graph.add("ReduceMax", inner, graph.numbers(1), keepdims=0)
    return graph.add("Squeeze", graph.part(states, 0, 1, axis=1), graph.numbers(1))

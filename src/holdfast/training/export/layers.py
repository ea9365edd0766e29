"""The layers of our networks as nodes of an ONNX graph: BERT's and ResCNN's.

Texts of one graph run are of one length, so that no layer needs a mask.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn

from holdfast.systems.rescnn.training.model import Block, Convolution
from holdfast.training.export.graph import MICROSOFT, Graph

_LAST: Final = int(np.iinfo(np.int64).max)  # where a slice goes to the end


@dataclass(frozen=True, slots=True)
class TransformerLayer:
    """What a layer of BERT consists of, whoever holds it."""

    heads: int
    query: nn.Linear
    key: nn.Linear
    value: nn.Linear
    mix: nn.Linear  # what attention found, before it joins the states
    mixed: nn.LayerNorm
    wide: nn.Linear
    narrow: nn.Linear
    fed: nn.LayerNorm


def add_positions(graph: Graph, words: str, table: Tensor, norm: nn.LayerNorm, tokens: str) -> str:
    """The embeddings of words with those of their places, normalised.

    *Shape:* words (texts, length, width); table (positions, width); tokens (texts, length).
    """
    length = graph.part(graph.add("Shape", tokens), 1, 2, axis=0)
    zero = graph.numbers(0)
    places = graph.add("Slice", graph.weight(table), zero, length, zero)
    return graph.norm(graph.add("Add", words, places), norm)


def add_transformer_layer(graph: Graph, layer: TransformerLayer, states: str) -> str:
    """With exact GELU. *Shape:* states and result (texts, length, width)."""
    # One matrix for all three, so that the states are quantised once.
    parts = (layer.query, layer.key, layer.value)
    matrix = torch.cat([part.weight for part in parts])
    bias = torch.cat([part.bias for part in parts])
    every = graph.add("Add", graph.product(states, matrix), graph.weight(bias))
    query = graph.add("Split", every, outputs=3, axis=2, num_outputs=3)
    keys, values = f"{query}.1", f"{query}.2"
    found = graph.add(
        "MultiHeadAttention", query, keys, values, domain=MICROSOFT, num_heads=layer.heads
    )
    states = _joined(graph, found, states, layer.mix, layer.mixed)
    wide = graph.product(states, layer.wide.weight)
    wide = graph.add("BiasGelu", wide, graph.weight(layer.wide.bias), domain=MICROSOFT)
    return _joined(graph, wide, states, layer.narrow, layer.fed)


def add_block(graph: Graph, block: Block, states: str, *, exact: bool) -> str:
    """Convolutions of several widths and a feed-forward layer, added to their input.

    `exact`: products are in 32 bits also in a graph that is quantised.

    *Shape:* states and result (texts, length, width).
    """
    linear = graph.exact_linear if exact else graph.linear
    found = []
    for convolution in block.convolutions:
        assert isinstance(convolution, Convolution)
        found.append(_convolution(graph, convolution, states, exact=exact))
    joined = graph.add("Relu", graph.add("Concat", *found, axis=2))
    hidden = graph.add("Relu", linear(joined, block.wide))
    return graph.add("Add", states, linear(hidden, block.narrow))


def _joined(graph: Graph, found: str, states: str, layer: nn.Linear, norm: nn.LayerNorm) -> str:
    """The layer's outcome, added to the states and normalised."""
    return graph.add(
        "SkipLayerNormalization",
        graph.product(found, layer.weight),
        states,
        graph.weight(norm.weight),
        graph.weight(norm.bias),
        graph.weight(layer.bias),
        domain=MICROSOFT,
        epsilon=norm.eps,
    )


def _convolution(graph: Graph, convolution: Convolution, states: str, *, exact: bool) -> str:
    """The window of each token side by side, times one matrix."""
    reach = convolution.kernel // 2
    window = states
    if reach:
        padded = graph.add("Pad", states, graph.numbers(0, reach, 0, 0, reach, 0))
        parts = [
            graph.part(padded, i, (i - 2 * reach) or _LAST, axis=1)
            for i in range(convolution.kernel)
        ]
        window = graph.add("Concat", *parts, axis=2)
    taps = convolution.taps.weight.reshape(convolution.kernel, convolution.filters, -1)
    matrix = taps.permute(0, 2, 1).reshape(-1, convolution.filters)
    if exact:
        product = graph.add("MatMul", window, graph.weight(matrix))
    else:
        product = graph.product(window, matrix.T)
    return graph.add("Add", product, graph.weight(convolution.bias))

"""Token encoders as ONNX graphs, node by node.

A graph takes texts of one length between their special tokens, so it needs no mask: tokens, int64
(texts, length + 2), to states, float32 (texts, length + 2, width).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn

from holdfast.detect.token_encoder import INPUT
from holdfast.errors import UsageError
from holdfast.training.collective_encoder import (
    ResCNNTokens,
    TokenEncoder,
    TransformerTokens,
)
from holdfast.training.export import quantised
from holdfast.training.rescnn import Block, Convolution
from holdfast.training.transformer_linker import Layer

_OPSET: Final = 18
_IR: Final = 8

Array = npt.NDArray[Any]


class Graph:
    """Nodes and weights in the order they are added; names are made up as needed."""

    def __init__(self, *, small: bool) -> None:
        """`small`: token embeddings as int8, with a scale for each."""
        self.small = small
        self._nodes: list[onnx.NodeProto] = []
        self._weights: list[onnx.TensorProto] = []

    def weight(self, value: Array | Tensor) -> str:
        array = value.detach().numpy() if isinstance(value, Tensor) else value
        name = f"w{len(self._weights)}"
        self._weights.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def numbers(self, *values: int) -> str:
        return self.weight(np.array(values, dtype=np.int64))

    def add(self, kind: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:
        output = output or f"n{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def linear(self, layer: nn.Linear, states: str) -> str:
        product = self.add("MatMul", states, self.weight(layer.weight.T))
        return self.add("Add", product, self.weight(layer.bias))

    def norm(self, layer: nn.LayerNorm, states: str) -> str:
        scale, bias = self.weight(layer.weight), self.weight(layer.bias)
        return self.add("LayerNormalization", states, scale, bias, axis=-1, epsilon=layer.eps)

    def rows(self, table: Tensor, places: str) -> str:
        """Rows of an embedding table."""
        if not self.small:
            return self.add("Gather", self.weight(table), places)
        whole, scale = quantised(table.detach().numpy())
        numbers = self.add(
            "Cast", self.add("Gather", self.weight(whole), places), to=TensorProto.FLOAT
        )
        return self.add("Mul", numbers, self.add("Gather", self.weight(scale), places))

    def part(self, states: str, start: int, end: int, *, axis: int) -> str:
        bounds = self.numbers(start), self.numbers(end), self.numbers(axis)
        return self.add("Slice", states, *bounds)

    def finish(self, output: str, shape: list[str | int]) -> onnx.ModelProto:
        graph = helper.make_graph(
            self._nodes,
            "tokens",
            [helper.make_tensor_value_info(INPUT, TensorProto.INT64, ["texts", "length"])],
            [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)],
            self._weights,
        )
        opset = helper.make_opsetid("", _OPSET)
        proto = helper.make_model(graph, opset_imports=[opset], ir_version=_IR)
        onnx.checker.check_model(proto)
        return proto


def add_states(graph: Graph, encoder: TokenEncoder) -> str:
    """The nodes from tokens to the state of every token, special ones with them."""
    if isinstance(encoder, TransformerTokens):
        return _transformer(graph, encoder)
    if isinstance(encoder, ResCNNTokens):
        return _rescnn(graph, encoder)
    raise UsageError("only BERT encoders with exact GELU and ResCNN are exported to ONNX")


def _transformer(graph: Graph, encoder: TransformerTokens) -> str:
    network = encoder.network
    length = graph.part(graph.add("Shape", INPUT), 1, 2, axis=0)
    positions = graph.add(
        "Slice", graph.weight(network.position.weight), graph.numbers(0), length, graph.numbers(0)
    )
    states = graph.add("Add", graph.rows(network.embedding.weight, INPUT), positions)
    states = graph.norm(network.norm, states)
    for layer in network.layers:
        assert isinstance(layer, Layer)
        found = graph.linear(layer.mix, _attend(graph, layer, states))
        states = graph.norm(layer.mixed, graph.add("Add", states, found))
        hidden = _gelu(graph, graph.linear(layer.wide, states))
        states = graph.norm(layer.fed, graph.add("Add", states, graph.linear(layer.narrow, hidden)))
    return states


def _attend(graph: Graph, layer: Layer, states: str) -> str:
    width = layer.query.out_features
    split = graph.numbers(0, 0, layer.heads, width // layer.heads)
    query, key, value = (
        graph.add("Reshape", graph.linear(part, states), split)
        for part in (layer.query, layer.key, layer.value)
    )
    scale = graph.weight(np.array((width // layer.heads) ** -0.5, dtype=np.float32))
    query = graph.add("Mul", graph.add("Transpose", query, perm=[0, 2, 1, 3]), scale)
    key = graph.add("Transpose", key, perm=[0, 2, 3, 1])
    weights = graph.add("Softmax", graph.add("MatMul", query, key), axis=-1)
    value = graph.add("Transpose", value, perm=[0, 2, 1, 3])
    found = graph.add("Transpose", graph.add("MatMul", weights, value), perm=[0, 2, 1, 3])
    return graph.add("Reshape", found, graph.numbers(0, 0, width))


def _gelu(graph: Graph, states: str) -> str:
    """x / 2 (1 + erf(x / √2)), in the shape that onnxruntime fuses."""
    root, one, half = (np.array(x, dtype=np.float32) for x in (2**0.5, 1.0, 0.5))
    error = graph.add("Erf", graph.add("Div", states, graph.weight(root)))
    lifted = graph.add("Mul", states, graph.add("Add", error, graph.weight(one)))
    return graph.add("Mul", lifted, graph.weight(half))


def _rescnn(graph: Graph, encoder: ResCNNTokens) -> str:
    """The special tokens are not looked at, and their states are zeros."""
    tokens = graph.part(INPUT, 1, -1, axis=1)
    with torch.inference_mode():
        table = encoder.projection(encoder.embedding.weight).clone()
    states = graph.rows(table, tokens)
    for block in encoder.blocks:
        assert isinstance(block, Block)
        states = _block(graph, block, states)
    states = graph.norm(encoder.norm, states)
    return graph.add("Pad", states, graph.numbers(0, 1, 0, 0, 1, 0))


def _block(graph: Graph, block: Block, states: str) -> str:
    across = graph.add("Transpose", states, perm=[0, 2, 1])
    found = list[str]()
    for convolution in block.convolutions:
        assert isinstance(convolution, Convolution)
        taps = convolution.taps.weight.reshape(convolution.kernel, convolution.filters, -1)
        reach = convolution.kernel // 2
        found.append(
            graph.add(
                "Conv",
                across,
                graph.weight(taps.permute(1, 2, 0)),
                graph.weight(convolution.bias),
                pads=[reach, reach],
            )
        )
    joined = graph.add("Transpose", graph.add("Concat", *found, axis=1), perm=[0, 2, 1])
    hidden = graph.add("Relu", graph.linear(block.wide, graph.add("Relu", joined)))
    return graph.add("Add", states, graph.linear(block.narrow, hidden))


def add_text_vector(graph: Graph, encoder: TokenEncoder, states: str, *, pooling: str) -> str:
    """The nodes from states to one row per text. *Shape:* (texts, width)."""
    inner = graph.part(states, 1, -1, axis=1)
    if pooling == "mean":
        return graph.add("ReduceMean", inner, graph.numbers(1), keepdims=0)
    if isinstance(encoder, ResCNNTokens):
        return graph.add("ReduceMax", inner, graph.numbers(1), keepdims=0)
    return graph.add("Squeeze", graph.part(states, 0, 1, axis=1), graph.numbers(1))

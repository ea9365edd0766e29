"""Writes a trained name encoder as the folder that `holdfast.names.encoder` opens.

The projection is folded into the embedding table, whose rows become int8 with a scale each; the
other weights are stored in 16 bits and computed with in 32. The graph takes names of one length at
a time, so it needs no mask.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from torch import Tensor

from holdfast import artifacts
from holdfast.names.encoder import INPUT, KIND, MODEL, OUTPUT, TOKENIZER, UNKNOWN, VERSION
from holdfast.training.rescnn import Block, Convolution, ResCNN

_OPSET: Final = 18
_IR: Final = 8

Array = npt.NDArray[Any]


def export_encoder(
    model: ResCNN,
    tokenizer: Tokenizer,
    folder: Path,
    *,
    longest: int,
    description: Mapping[str, Any],
) -> artifacts.Manifest:
    """Write the folder, or replace it. `description` (licence, data, scores) joins the manifest."""
    config = {
        "width": model.config.width,
        "longest": longest,
        "unknown": tokenizer.token_to_id(UNKNOWN),
        "pooling": model.config.pooling,
        "parameters": model.size(),
        "vocabulary": model.config.vocabulary,
        **description,
    }
    with artifacts.publish(folder) as scratch:
        onnx.save_model(onnx_of(model), str(scratch / MODEL))
        (scratch / TOKENIZER).write_text(tokenizer.to_str(), encoding="utf-8")
        return artifacts.write_manifest(scratch, kind=KIND, version=VERSION, config=config)


def onnx_of(model: ResCNN) -> onnx.ModelProto:
    """A graph from tokens, int64 (names, length), to unit vectors, float32 (names, width)."""
    graph = _Graph()
    states = _embed(graph, model)
    for block in model.blocks:
        assert isinstance(block, Block)
        states = _block(graph, block, states)
    vectors = _pool(graph, model, states)
    graph.add("LpNormalization", vectors, output=OUTPUT, axis=1, p=2)
    return graph.finish(model.config.width)


def quantised(table: Array) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]:
    """Rows as int8 and the scale to multiply each with. *Shape:* (rows, width), (rows, 1)."""
    scale = np.abs(table).max(axis=1, keepdims=True) / 127
    scale = np.where(scale > 0, scale, 1).astype(np.float32)
    return np.rint(table / scale).astype(np.int8), scale


class _Graph:
    """Nodes and weights in the order they are added; names are made up as needed."""

    def __init__(self) -> None:
        self._nodes: list[onnx.NodeProto] = []
        self._weights: list[onnx.TensorProto] = []

    def weight(self, value: Array | Tensor) -> str:
        """A constant as it is."""
        array = value.detach().numpy() if isinstance(value, Tensor) else value
        name = f"w{len(self._weights)}"
        self._weights.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def half(self, value: Tensor) -> str:
        """A constant that is stored in 16 bits; the runtime widens it once, when it loads."""
        return self.add("Cast", self.weight(value.detach().half()), to=TensorProto.FLOAT)

    def add(self, kind: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:
        output = output or f"n{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def finish(self, width: int) -> onnx.ModelProto:
        graph = helper.make_graph(
            self._nodes,
            "rescnn",
            [helper.make_tensor_value_info(INPUT, TensorProto.INT64, ["names", "length"])],
            [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["names", width])],
            self._weights,
        )
        opset = helper.make_opsetid("", _OPSET)
        proto = helper.make_model(graph, opset_imports=[opset], ir_version=_IR)
        onnx.checker.check_model(proto)
        return proto


def _embed(graph: _Graph, model: ResCNN) -> str:
    with torch.inference_mode():
        rows, scale = quantised(model.projection(model.embedding.weight).numpy())
    taken = graph.add("Gather", graph.weight(rows), INPUT)
    numbers = graph.add("Cast", taken, to=TensorProto.FLOAT)
    return graph.add("Mul", numbers, graph.add("Gather", graph.weight(scale), INPUT))


def _block(graph: _Graph, block: Block, states: str) -> str:
    found = []
    for convolution in block.convolutions:
        assert isinstance(convolution, Convolution)
        found.append(_convolution(graph, convolution, states))
    joined = graph.add("Relu", graph.add("Concat", *found, axis=2))
    hidden = graph.add("Relu", _linear(graph, block.wide, joined))
    return graph.add("Add", states, _linear(graph, block.narrow, hidden))


def _convolution(graph: _Graph, convolution: Convolution, states: str) -> str:
    """The window of each token side by side, times one matrix."""
    reach = convolution.kernel // 2
    window = states
    if reach:
        pads = graph.weight(np.array([0, reach, 0, 0, reach, 0], dtype=np.int64))
        padded = graph.add("Pad", states, pads)
        parts = [
            graph.add("Slice", padded, *_bounds(graph, i, i - 2 * reach), _axis(graph))
            for i in range(convolution.kernel)
        ]
        window = graph.add("Concat", *parts, axis=2)
    taps = convolution.taps.weight.reshape(convolution.kernel, convolution.filters, -1)
    matrix = taps.permute(0, 2, 1).reshape(-1, convolution.filters)
    return graph.add(
        "Add", graph.add("MatMul", window, graph.half(matrix)), graph.half(convolution.bias)
    )


def _bounds(graph: _Graph, start: int, end: int) -> tuple[str, str]:
    """Of a slice; an end of 0 is the end of the axis, others count back from it."""
    last = np.iinfo(np.int64).max if end == 0 else end
    return (
        graph.weight(np.array([start], dtype=np.int64)),
        graph.weight(np.array([last], dtype=np.int64)),
    )


def _axis(graph: _Graph) -> str:
    return graph.weight(np.array([1], dtype=np.int64))


def _linear(graph: _Graph, linear: torch.nn.Linear, states: str) -> str:
    product = graph.add("MatMul", states, graph.half(linear.weight.T))
    return graph.add("Add", product, graph.half(linear.bias))


def _pool(graph: _Graph, model: ResCNN, states: str) -> str:
    if model.attention is None:
        return graph.add("ReduceMax", states, _axis(graph), keepdims=0)
    weights = graph.add("Softmax", _linear(graph, model.attention, states), axis=1)
    weighted = graph.add("Mul", weights, states)
    return graph.add("ReduceSum", weighted, _axis(graph), keepdims=0)

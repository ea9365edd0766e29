"""ONNX graphs by hand, for networks over tokens: nodes, and weights in 8, 16 or 32 bits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, compose, helper, numpy_helper
from torch import Tensor, nn

MICROSOFT: Final = "com.microsoft"
"""The operators of onnxruntime itself: fused ones, several times faster than their parts."""

OPSET: Final = 18
_IR: Final = 8
# Seven bits: processors without VNNI add two products in 16 bits, which eight would overflow.
_MOST: Final = 63

Array = npt.NDArray[Any]


class Graph:
    """Nodes and weights in the order they are added; names are made up as needed.

    `quantised`: matrices of the layers as int8 with a scale per column, tables as int8 with a
    scale per row, all else in 16 bits. Otherwise everything is stored as it is, in 32.
    """

    def __init__(self, *, quantised: bool) -> None:
        self.quantised = quantised
        self._nodes: list[onnx.NodeProto] = []
        self._weights: list[onnx.TensorProto] = []

    def add(
        self,
        kind: str,
        *inputs: str,
        output: str | None = None,
        outputs: int = 1,
        domain: str = "",
        **attributes: Any,
    ) -> str:
        """The name of the node's first output; the others end in .1, .2, …"""
        name = output or f"n{len(self._nodes)}"
        names = [name, *(f"{name}.{i}" for i in range(1, outputs))]
        node = helper.make_node(kind, list(inputs), names, domain=domain, **attributes)
        self._nodes.append(node)
        return name

    def constant(self, value: Array | Tensor) -> str:
        """A constant as it is."""
        array = value.detach().numpy() if isinstance(value, Tensor) else value
        name = f"w{len(self._weights)}"
        self._weights.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def numbers(self, *values: int) -> str:
        """Whole numbers in a row: places, shapes, axes."""
        return self.constant(np.array(values, dtype=np.int64))

    def weight(self, value: Tensor) -> str:
        """A constant that may be stored in 16 bits; the runtime widens it once, when it loads."""
        if not self.quantised:
            return self.constant(value.detach().float())
        return self.add("Cast", self.constant(value.detach().half()), to=TensorProto.FLOAT)

    def rows(self, table: Tensor, places: str) -> str:
        """The table's rows at some places."""
        if not self.quantised:
            return self.add("Gather", self.constant(table.detach().float()), places)
        rows, scale = quantised_rows(table.detach().numpy())
        numbers = self.add("Cast", self._gather(rows, places), to=TensorProto.FLOAT)
        return self.add("Mul", numbers, self._gather(scale, places))

    def packed(self, value: Tensor) -> str:
        """A constant of rows that may be stored in 8 bits; it is unpacked once, when it loads."""
        if not self.quantised:
            return self.constant(value.detach().float())
        flat, scale = quantised_rows(value.detach().flatten(0, -2).numpy())
        rows = self.add("Cast", self.constant(flat.reshape(value.shape)), to=TensorProto.FLOAT)
        return self.add("Mul", rows, self.constant(scale.reshape(*value.shape[:-1], 1)))

    def product(self, states: str, matrix: Tensor) -> str:
        """States times the transpose of a layer's matrix. *Shape:* matrix (out, in)."""
        if not self.quantised:
            return self.add("MatMul", states, self.constant(matrix.detach().float().T))
        rows, scale = quantised_rows(matrix.detach().numpy(), most=_MOST)
        return self.add(
            "DynamicQuantizeMatMul",
            states,
            self.constant(rows.T),
            self.constant(scale[:, 0]),
            domain=MICROSOFT,
        )

    def linear(self, states: str, layer: nn.Linear) -> str:
        """A layer whose product is in 8 bits if the graph is quantised."""
        return self.add("Add", self.product(states, layer.weight), self.weight(layer.bias))

    def exact_linear(self, states: str, layer: nn.Linear) -> str:
        """A layer whose product is in 32 bits in any case."""
        product = self.add("MatMul", states, self.weight(layer.weight.T))
        return self.add("Add", product, self.weight(layer.bias))

    def norm(self, states: str, layer: nn.LayerNorm) -> str:
        scale, bias = self.weight(layer.weight), self.weight(layer.bias)
        return self.add("LayerNormalization", states, scale, bias, axis=-1, epsilon=layer.eps)

    def part(self, states: str, start: int, end: int, *, axis: int) -> str:
        """A slice of one axis; a negative end counts from behind."""
        bounds = self.numbers(start), self.numbers(end), self.numbers(axis)
        return self.add("Slice", states, *bounds)

    def include(self, model: onnx.ModelProto) -> str:
        """The nodes and weights of another graph over the same input; the name of its output."""
        (made,) = model.graph.output
        before = f"n{len(self._nodes)}."
        prefixed = compose.add_prefix(model, before, rename_inputs=False).graph
        self._nodes += prefixed.node
        self._weights += prefixed.initializer
        return before + made.name

    def finish(
        self,
        *,
        inputs: Mapping[str, Sequence[str | int]],
        output: str,
        shape: Sequence[str | int],
        kinds: Sequence[int] = (),  # of the inputs; by default, the first holds ids, others numbers
    ) -> onnx.ModelProto:
        kinds = kinds or [TensorProto.INT64] + [TensorProto.FLOAT] * (len(inputs) - 1)
        graph = helper.make_graph(
            self._nodes,
            "tokens",
            [
                helper.make_tensor_value_info(name, kind, list(size))
                for (name, size), kind in zip(inputs.items(), kinds, strict=True)
            ],
            [helper.make_tensor_value_info(output, TensorProto.FLOAT, list(shape))],
            self._weights,
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)]
        proto = helper.make_model(graph, opset_imports=opsets, ir_version=_IR)
        onnx.checker.check_model(proto)
        return proto

    def _gather(self, table: Array, places: str) -> str:
        return self.add("Gather", self.constant(table), places)


def quantised_rows(
    table: npt.NDArray[np.float32], *, most: int = 127
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]:
    """Rows as int8 and the scale to multiply each with. *Shape:* (rows, width), (rows, 1)."""
    scale = np.abs(table).max(axis=1, keepdims=True) / most
    scale = np.where(scale > 0, scale, 1).astype(np.float32)
    return np.rint(table / scale).astype(np.int8), scale

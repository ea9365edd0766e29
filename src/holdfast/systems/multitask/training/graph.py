"""The networks of a multi-task model as ONNX graphs.

The first takes windows of one length and gives the states of tokens. The second takes sentences,
padded to the longest, and gives the states of words of all tasks side by side.
"""

from __future__ import annotations

from typing import Any

import onnx
import torch
from onnx import TensorProto
from torch import Tensor, nn

from holdfast.encoders.tokens import INPUT, OUTPUT
from holdfast.systems.multitask.model import FEATURES, LENGTHS, WORDS
from holdfast.systems.multitask.training.model import (
    EmbeddingTokens,
    MultitaskNetwork,
    SentenceEncoder,
)
from holdfast.training.export.graph import Graph
from holdfast.training.export.tokens import add_states


def encoder_graph(model: MultitaskNetwork, *, quantised: bool) -> onnx.ModelProto:
    """Tokens (windows, length) to states (windows, length, width)."""
    graph = Graph(quantised=quantised)
    if isinstance(model.encoder, EmbeddingTokens):
        states = graph.rows(model.encoder.embedding.weight, INPUT)
    else:
        states = add_states(graph, model.encoder)
    graph.add("Identity", states, output=OUTPUT)
    shape = ("windows", "length", model.encoder.width)
    return graph.finish(inputs={INPUT: ("windows", "length")}, output=OUTPUT, shape=shape)


def tasks_graph(model: MultitaskNetwork, *, quantised: bool) -> onnx.ModelProto:
    """Words (sentences, longest, width) and lengths (sentences,) to features of all tasks.

    *Shape:* (sentences, longest, tasks * width of a task's encoder).
    """
    graph = Graph(quantised=quantised)
    words = graph.add("Transpose", WORDS, perm=(1, 0, 2))
    found = list[str]()
    for encoder in model.encoders.values():
        assert isinstance(encoder, SentenceEncoder)
        states = graph.add("Concat", words, found[-1], axis=2) if found else words
        found.append(_bilstm(graph, encoder.lstm, states))
    every = graph.add("Concat", *found, axis=2)
    graph.add("Transpose", every, output=FEATURES, perm=(1, 0, 2))
    width = sum(encoder.width for encoder in model.encoders.values())
    return graph.finish(
        inputs={WORDS: ("sentences", "longest", model.encoder.width), LENGTHS: ("sentences",)},
        kinds=(TensorProto.FLOAT, TensorProto.INT32),
        output=FEATURES,
        shape=("sentences", "longest", width),
    )


def _bilstm(graph: Graph, lstm: nn.LSTM, states: str) -> str:
    """All layers. *Shape:* states (longest, sentences, inner) to (longest, sentences, width)."""
    for layer in range(lstm.num_layers):
        inner, recurrent, bias = (
            torch.stack([_part(lstm, name, layer, suffix) for suffix in ("", "_reverse")])
            for name in ("weight_ih", "weight_hh", "bias")
        )
        found = graph.add(
            "LSTM",
            states,
            graph.packed(inner),
            graph.packed(recurrent),
            graph.weight(bias),
            LENGTHS,
            hidden_size=lstm.hidden_size,
            direction="bidirectional",
        )
        sides = graph.add("Transpose", found, perm=(0, 2, 1, 3))
        states = graph.add("Reshape", sides, graph.numbers(0, 0, 2 * lstm.hidden_size))
    return states


def _part(lstm: nn.LSTM, name: str, layer: int, suffix: str) -> Tensor:
    """A direction's weights, gates in the order of ONNX: input, output, forget, cell."""

    def reordered(kind: str) -> Tensor:
        value: Any = getattr(lstm, f"{kind}_l{layer}{suffix}")
        gates = value.detach().chunk(4)
        return torch.cat([gates[place] for place in (0, 3, 1, 2)])

    if name == "bias":
        return torch.cat([reordered("bias_ih"), reordered("bias_hh")])
    return reordered(name)

"""Writes a trained name encoder as the folder that `holdfast.encoders.names` opens.

The projection is folded into the embedding table, whose rows become int8 with a scale each; the
other weights are stored in 16 bits and computed with in 32. The graph takes names of one length at
a time, so it needs no mask.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import onnx
import torch
from tokenizers import Tokenizer

from holdfast import artifacts
from holdfast.encoders.names import INPUT, KIND, MODEL, OUTPUT, TOKENIZER, UNKNOWN, VERSION
from holdfast.systems.rescnn.training.model import Block, ResCNN
from holdfast.training.export.graph import Graph
from holdfast.training.export.layers import add_block


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
    graph = Graph(quantised=True)
    with torch.inference_mode():
        folded = model.projection(model.embedding.weight)
    states = graph.rows(folded, INPUT)
    for block in model.blocks:
        assert isinstance(block, Block)
        states = add_block(graph, block, states, exact=True)
    vectors = _pool(graph, model, states)
    graph.add("LpNormalization", vectors, output=OUTPUT, axis=1, p=2)
    width = model.config.width
    return graph.finish(inputs={INPUT: ("names", "length")}, output=OUTPUT, shape=("names", width))


def _pool(graph: Graph, model: ResCNN, states: str) -> str:
    if model.attention is None:
        return graph.add("ReduceMax", states, graph.numbers(1), keepdims=0)
    weights = graph.add("Softmax", graph.exact_linear(states, model.attention), axis=1)
    weighted = graph.add("Mul", weights, states)
    return graph.add("ReduceSum", weighted, graph.numbers(1), keepdims=0)

"""Writes encoders of BERT's kind as graphs over windows of one length, and taggers as folders.

Windows are never padded, so that the graph needs no mask.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from holdfast import artifacts
from holdfast.detect.tagger import KIND, VERSION
from holdfast.detect.token_encoder import INPUT, MARKS, MODEL, OUTPUT, TOKENIZER
from holdfast.errors import ArtifactError
from holdfast.training.detector_model import TokenTagger
from holdfast.training.onnx_graph import MICROSOFT, Graph

_EMBEDDING: Final = "embeddings.word_embeddings.weight"
_POSITION: Final = "embeddings.position_embeddings.weight"
_KIND: Final = "embeddings.token_type_embeddings.weight"


def export_tagger(
    model: TokenTagger,
    tokenizer: Tokenizer,
    folder: Path,
    *,
    quantised: bool,
    config: Mapping[str, Any],  # joins the manifest; the runtime needs what `Tagger.open` reads
) -> artifacts.Manifest:
    """Write the model folder that `holdfast.detect.tagger` opens, or replace it."""
    with artifacts.publish(folder) as scratch:
        onnx.save_model(tagger_graph(model, quantised=quantised), str(scratch / MODEL))
        (scratch / TOKENIZER).write_text(tokenizer.to_str(), encoding="utf-8")
        return artifacts.write_manifest(scratch, kind=KIND, version=VERSION, config=config)


def tagger_graph(model: TokenTagger, *, quantised: bool) -> onnx.ModelProto:
    """From tokens (windows, length) and marks (windows, length, marks) to scores of tags."""
    graph = Graph(quantised=quantised)
    marks = graph.add("MatMul", MARKS, graph.weight(model.marks.weight.T))
    states = add_bert(graph, model.encoder, tokens=INPUT, added=marks)
    joined = graph.add("Concat", states, MARKS, axis=2)
    hidden = graph.add("Gelu", _linear(graph, joined, model.hidden), domain=MICROSOFT)
    product = graph.add("MatMul", hidden, graph.weight(model.out.weight.T))
    graph.add("Add", product, graph.weight(model.out.bias), output=OUTPUT)
    tags, width = model.out.weight.shape[0], model.marks.weight.shape[1]
    return graph.finish(
        inputs={INPUT: ("windows", "length"), MARKS: ("windows", "length", width)},
        output=OUTPUT,
        shape=("windows", "length", tags),
    )


def check_exportable(encoder: nn.Module) -> None:
    """ArtifactError unless it is a BERT with exact GELU, as MiniLM and PubMedBERT are."""
    said = encoder.config
    kind = (said.model_type, getattr(said, "hidden_act", ""))
    if kind != ("bert", "gelu"):
        raise ArtifactError(f"the encoder is {kind[0]} with {kind[1]}; it must be bert with gelu")


def add_bert(graph: Graph, encoder: nn.Module, *, tokens: str, added: str | None = None) -> str:
    """The name of the last layer's states. *Shape:* (windows, length, width).

    `tokens` names ids (windows, length), `added` what joins the embeddings of the words.
    """
    check_exportable(encoder)
    weights = {name: value.detach().float() for name, value in encoder.state_dict().items()}
    epsilon = float(encoder.config.layer_norm_eps)
    words = graph.rows(weights[_EMBEDDING], tokens)
    if added is not None:
        words = graph.add("Add", words, added)
    places = graph.add("Add", words, _positions(graph, weights, tokens))
    norm = "embeddings.LayerNorm"
    states = graph.add(
        "LayerNormalization",
        places,
        graph.weight(weights[f"{norm}.weight"]),
        graph.weight(weights[f"{norm}.bias"]),
        axis=-1,
        epsilon=epsilon,
    )
    for layer in range(encoder.config.num_hidden_layers):
        prefix = f"encoder.layer.{layer}."
        own = {k.removeprefix(prefix): v for k, v in weights.items() if k.startswith(prefix)}
        states = _layer(graph, own, states, encoder.config.num_attention_heads, epsilon)
    return states


def _positions(graph: Graph, weights: Mapping[str, Tensor], tokens: str) -> str:
    """The rows of as many positions as there are tokens; the one kind of token joins them."""
    table = graph.weight(weights[_POSITION] + weights[_KIND][0])
    shape = graph.add("Shape", tokens)
    zero, one, two = (graph.constant(np.array([i], dtype=np.int64)) for i in (0, 1, 2))
    length = graph.add("Slice", shape, one, two)
    return graph.add("Slice", table, zero, length, zero)


def _layer(
    graph: Graph, weights: Mapping[str, Tensor], states: str, heads: int, epsilon: float
) -> str:
    parts = [f"attention.self.{name}" for name in ("query", "key", "value")]
    # One matrix for all three, so that the states are quantised once.
    matrix = torch.cat([weights[f"{part}.weight"] for part in parts])
    bias = torch.cat([weights[f"{part}.bias"] for part in parts])
    every = graph.add("Add", graph.product(states, matrix), graph.weight(bias))
    query = graph.add("Split", every, outputs=3, axis=2, num_outputs=3)
    found = graph.add(
        "MultiHeadAttention",
        query,
        f"{query}.1",
        f"{query}.2",
        domain=MICROSOFT,
        num_heads=heads,
    )
    mixed = graph.product(found, weights["attention.output.dense.weight"])
    states = _added(graph, mixed, states, weights, "attention.output", epsilon)
    wide = graph.add(
        "BiasGelu",
        graph.product(states, weights["intermediate.dense.weight"]),
        graph.weight(weights["intermediate.dense.bias"]),
        domain=MICROSOFT,
    )
    narrow = graph.product(wide, weights["output.dense.weight"])
    return _added(graph, narrow, states, weights, "output", epsilon)


def _added(
    graph: Graph,
    product: str,
    states: str,
    weights: Mapping[str, Tensor],
    part: str,
    epsilon: float,
) -> str:
    """The product with its bias, added to the states and normalised."""
    return graph.add(
        "SkipLayerNormalization",
        product,
        states,
        graph.weight(weights[f"{part}.LayerNorm.weight"]),
        graph.weight(weights[f"{part}.LayerNorm.bias"]),
        graph.weight(weights[f"{part}.dense.bias"]),
        domain=MICROSOFT,
        epsilon=epsilon,
    )


def _linear(graph: Graph, states: str, linear: nn.Linear) -> str:
    product = graph.add("MatMul", states, graph.weight(linear.weight.T))
    return graph.add("Add", product, graph.weight(linear.bias))

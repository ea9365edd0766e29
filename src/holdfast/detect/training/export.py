"""Writes a trained tagger as the folder that `holdfast.detect.tagger` opens.

Windows of one run are of one length, so that the graph needs no mask.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import onnx
from tokenizers import Tokenizer
from torch import nn

from holdfast import artifacts
from holdfast.detect.tagger import KIND, VERSION
from holdfast.detect.training.model import TokenTagger
from holdfast.encoders.tokens import INPUT, MARKS, MODEL, OUTPUT, TOKENIZER
from holdfast.errors import ArtifactError
from holdfast.training.export.graph import MICROSOFT, Graph
from holdfast.training.export.layers import TransformerLayer, add_positions, add_transformer_layer


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
    states = _add_bert(graph, model.encoder, added=marks)
    joined = graph.add("Concat", states, MARKS, axis=2)
    hidden = graph.add("Gelu", graph.exact_linear(joined, model.hidden), domain=MICROSOFT)
    graph.add("Identity", graph.exact_linear(hidden, model.out), output=OUTPUT)
    tags, width = model.out.weight.shape[0], model.marks.weight.shape[1]
    return graph.finish(
        inputs={INPUT: ("windows", "length"), MARKS: ("windows", "length", width)},
        output=OUTPUT,
        shape=("windows", "length", tags),
    )


def check_exportable(encoder: nn.Module) -> None:
    """ArtifactError unless it is a BERT with exact GELU, as MiniLM and PubMedBERT are."""
    config = encoder.config
    kind = (config.model_type, getattr(config, "hidden_act", ""))
    if kind != ("bert", "gelu"):
        raise ArtifactError(f"the encoder is {kind[0]} with {kind[1]}; it must be bert with gelu")


def _add_bert(graph: Graph, encoder: Any, *, added: str) -> str:
    """The name of the last layer's states; `added` joins the embeddings of the words.

    *Shape:* (windows, length, width).
    """
    check_exportable(encoder)
    known = encoder.embeddings
    words = graph.add("Add", graph.rows(known.word_embeddings.weight, INPUT), added)
    # The one kind of token that there is goes into the positions.
    table = known.position_embeddings.weight + known.token_type_embeddings.weight[0]
    states = add_positions(graph, words, table, known.LayerNorm, INPUT)
    for layer in encoder.encoder.layer:
        own = TransformerLayer(
            heads=encoder.config.num_attention_heads,
            query=layer.attention.self.query,
            key=layer.attention.self.key,
            value=layer.attention.self.value,
            mix=layer.attention.output.dense,
            mixed=layer.attention.output.LayerNorm,
            wide=layer.intermediate.dense,
            narrow=layer.output.dense,
            fed=layer.output.LayerNorm,
        )
        states = add_transformer_layer(graph, own, states)
    return states

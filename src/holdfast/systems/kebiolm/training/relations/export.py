"""Writes a trained relation model as the folder that `holdfast…relations.model` opens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from tokenizers import Tokenizer

from holdfast import artifacts
from holdfast.encoders.tokens import INPUT, MARKS, MODEL, OUTPUT, TOKENIZER
from holdfast.systems.kebiolm.relations import asked
from holdfast.systems.kebiolm.relations.model import HEADS, VERSION
from holdfast.systems.kebiolm.relations.pairs import RELATION_MODEL
from holdfast.systems.kebiolm.training.relations.data import ReadingConfig
from holdfast.systems.kebiolm.training.relations.model import RelationNetwork
from holdfast.systems.kebiolm.training.relations.select import Fitted
from holdfast.training.export.graph import Graph
from holdfast.training.export.tokens import add_transformer


def export_relations(
    model: RelationNetwork,
    tokenizer: Tokenizer,
    folder: Path,
    *,
    reading: ReadingConfig,
    fitted: Fitted,
    small: bool = False,  # weights in 8 bits
    description: Mapping[str, Any],
) -> artifacts.Manifest:
    """Write the folder, or replace it. `description` (licence, data, scores) joins the manifest."""
    config = {
        "width": model.encoder.width,
        "longest": min(reading.window, model.encoder.longest) + 2,
        "overlap": reading.overlap,
        "marks": list(asked.MARKS),
        "pairs": list(model.shape.pairs),
        "labels": list(model.shape.labels),
        "within": model.shape.within,
        "hides_names": model.shape.hides_names,
        "calibrations": [asdict(one) for one in fitted.calibrations],
        "drops_hypernyms": fitted.drops_hypernyms,
        "parameters": model.size(),
        "bits": 8 if small else 32,
        **description,
    }
    model.eval()
    with artifacts.publish(folder) as scratch:
        onnx.save_model(marked_graph(model, quantised=small), str(scratch / MODEL))
        kind = np.float16 if small else np.float32
        heads: dict[str, Any] = {
            name: tensor.detach().numpy().astype(kind)
            for name, tensor in model.heads.state_dict().items()
        }
        np.savez(scratch / HEADS, **heads)
        (scratch / TOKENIZER).write_text(tokenizer.to_str(), encoding="utf-8")
        return artifacts.write_manifest(
            scratch, kind=RELATION_MODEL, version=VERSION, config=config
        )


def marked_graph(model: RelationNetwork, *, quantised: bool) -> onnx.ModelProto:
    """Tokens (windows, length) and marks (windows, length, marks) to states."""
    graph = Graph(quantised=quantised)
    added = graph.add("MatMul", MARKS, graph.weight(model.marks.weight.T))
    states = add_transformer(graph, model.encoder, added=added)
    graph.add("Identity", states, output=OUTPUT)
    marks = len(asked.MARKS)
    return graph.finish(
        inputs={INPUT: ("windows", "length"), MARKS: ("windows", "length", marks)},
        output=OUTPUT,
        shape=("windows", "length", model.encoder.width),
    )

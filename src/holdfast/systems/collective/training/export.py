"""Writes a trained dual encoder as the folder that `holdfast.systems.collective.model` opens."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from tokenizers import Tokenizer

from holdfast import artifacts
from holdfast.encoders.tokens import INPUT, MODEL, OUTPUT, TOKENIZER
from holdfast.systems.collective.model import HEADS, KIND, NAMES, VECTORS, VERSION
from holdfast.systems.collective.training.data import SegmentConfig
from holdfast.systems.collective.training.model import DualEncoder
from holdfast.training.export.graph import Graph
from holdfast.training.export.tokens import add_states, add_text_vector


def export_dual_encoder(
    model: DualEncoder,
    tokenizer: Tokenizer,
    folder: Path,
    *,
    reading: SegmentConfig,
    names: int = 1,  # of an entity that are encoded
    names_model: str = "",  # the folder whose network encodes names, if the model does not
    threshold: float = 0.5,  # above which a span is a mention
    small: bool = False,  # weights in 8 bits
    description: Mapping[str, Any],
) -> artifacts.Manifest:
    """Write the folder, or replace it. `description` (licence, data, scores) joins the manifest."""
    shape = model.shape
    config = {
        "width": model.width,
        "longest": min(reading.window, model.documents.longest) + 2,
        "overlap": reading.overlap,
        "context": reading.context,
        "longest_name": shape.longest_name,
        "longest_span": shape.longest_span,
        "detection": shape.detection,
        "threshold": threshold,
        "names": names,
        "parameters": model.size(),
        "bits": 8 if small else 32,
        **({"names_model": names_model} if names_model else {}),
        **description,
    }
    model.eval()
    with artifacts.publish(folder) as scratch:
        onnx.save_model(_documents(model, quantised=small), str(scratch / MODEL))
        if not names_model:
            onnx.save_model(_names(model, quantised=small), str(scratch / NAMES))
        heads: Any = _heads(model)
        np.savez(scratch / HEADS, **heads)
        (scratch / TOKENIZER).write_text(tokenizer.to_str(), encoding="utf-8")
        return artifacts.write_manifest(scratch, kind=KIND, version=VERSION, config=config)


def _documents(model: DualEncoder, *, quantised: bool) -> onnx.ModelProto:
    graph = Graph(quantised=quantised)
    graph.add("Identity", add_states(graph, model.documents), output=OUTPUT)
    shape = ("texts", "length", model.width)
    return graph.finish(inputs={INPUT: ("texts", "length")}, output=OUTPUT, shape=shape)


def _names(model: DualEncoder, *, quantised: bool) -> onnx.ModelProto:
    graph = Graph(quantised=quantised)
    states = add_states(graph, model.names)
    found = add_text_vector(graph, model.names, states, pooling=model.shape.entity)
    graph.add("LpNormalization", found, output=VECTORS, axis=1, p=2)
    shape = ("texts", model.width)
    return graph.finish(inputs={INPUT: ("texts", "length")}, output=VECTORS, shape=shape)


def _heads(model: DualEncoder) -> dict[str, np.ndarray[Any, Any]]:
    """What sits on top of the states, by the names that the linker reads."""
    found = {"scale": model.log_scale.exp()}
    for name in ("ends", "tags", "span"):
        layer = getattr(model, name)
        if layer is not None:
            found |= {f"{name}_weight": layer.weight, f"{name}_bias": layer.bias}
    return {name: value.detach().numpy() for name, value in found.items()}

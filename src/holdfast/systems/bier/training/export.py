"""Writes a trained typing model as the folder that `holdfast.systems.bier.model` opens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from tokenizers import Tokenizer

from holdfast import artifacts
from holdfast.encoders.tokens import INPUT, MODEL, TOKENIZER
from holdfast.systems.bier.model import DENSE, HEAD, TYPING, VERSION
from holdfast.systems.bier.reading import Shape
from holdfast.systems.bier.training.model import TypingNetwork
from holdfast.systems.bier.type_list import TypeList, check_fits
from holdfast.training.export.graph import Graph, quantised_rows
from holdfast.training.export.tokens import add_states, add_text_vector


def encoder_graph(model: TypingNetwork, *, quantised: bool) -> onnx.ModelProto:
    """Tokens (texts, length) to dense vectors (texts, width)."""
    graph = Graph(quantised=quantised)
    states = add_states(graph, model.encoder)
    dense = add_text_vector(graph, model.encoder, states, pooling=model.pooling)
    graph.add("Identity", dense, output=DENSE)
    return graph.finish(
        inputs={INPUT: ("texts", "length")}, output=DENSE, shape=("texts", model.encoder.width)
    )


def export_typing(
    model: TypingNetwork,
    tokenizer: Tokenizer,
    types: TypeList,
    folder: Path,
    *,
    shape: Shape,
    small: bool = False,  # weights in 8 bits
    description: Mapping[str, Any],
) -> artifacts.Manifest:
    """Write the folder, or replace it. `description` (licence, data, scores) joins the manifest."""
    check_fits(types, len(model.head), folder)
    config = {
        "width": model.encoder.width,
        "shape": asdict(shape),
        "types": len(types),
        "parameters": model.size(),
        "bits": 8 if small else 32,
        **description,
    }
    model.eval()
    rows = model.head.detach().numpy().astype(np.float32)
    with artifacts.publish(folder) as scratch:
        onnx.save_model(encoder_graph(model, quantised=small), str(scratch / MODEL))
        if small:
            packed, scale = quantised_rows(rows)
            np.savez(scratch / HEAD, rows=packed, scale=scale)
        else:
            np.savez(scratch / HEAD, rows=rows)
        types.write(scratch)
        (scratch / TOKENIZER).write_text(tokenizer.to_str(), encoding="utf-8")
        return artifacts.write_manifest(scratch, kind=TYPING, version=VERSION, config=config)

"""Writes a trained model as the folder that `holdfast.systems.multitask.model` opens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from tokenizers import Tokenizer

from holdfast import artifacts
from holdfast.encoders.tokens import MODEL, TOKENIZER
from holdfast.models import manifest_of
from holdfast.systems.multitask.labels import Labels
from holdfast.systems.multitask.model import HEADS, SCALE, TASKS_MODEL, VERSION
from holdfast.systems.multitask.shape import MULTITASK, READING
from holdfast.systems.multitask.training.data import WindowConfig
from holdfast.systems.multitask.training.graph import encoder_graph, tasks_graph
from holdfast.systems.multitask.training.model import MultitaskNetwork
from holdfast.systems.multitask.training.select import heads_of
from holdfast.training.export.graph import quantised_rows


def export_multitask(
    model: MultitaskNetwork,
    tokenizer: Tokenizer,
    labels: Labels,
    folder: Path,
    *,
    reading: WindowConfig,
    small: bool = False,  # weights in 8 bits
    description: Mapping[str, Any],
) -> artifacts.Manifest:
    """Write the folder, or replace it. `description` (licence, data, scores) joins the manifest."""
    config = {
        "width": model.encoder.width,
        "longest": min(reading.window, model.encoder.longest) + 2,
        "overlap": reading.overlap,
        **asdict(model.shape),
        "tasks": list(model.shape.tasks),
        "classes": labels.classes,
        "parameters": model.size(),
        "bits": 8 if small else 32,
        **description,
    }
    model.eval()
    with artifacts.publish(folder) as scratch:
        onnx.save_model(encoder_graph(model, quantised=small), str(scratch / MODEL))
        if model.shape.has_task_encoders:
            onnx.save_model(tasks_graph(model, quantised=small), str(scratch / TASKS_MODEL))
        heads: Any = _heads(model, quantised=small)
        np.savez(scratch / HEADS, **heads)
        labels.write(scratch)
        (scratch / TOKENIZER).write_text(tokenizer.to_str(), encoding="utf-8")
        return artifacts.write_manifest(scratch, kind=MULTITASK, version=VERSION, config=config)


def write_reading(folder: Path, model: Path, *, read: str) -> None:
    """Write a model folder that reads another one's mentions off the task `read`."""
    config = manifest_of(model).config
    with artifacts.publish(folder) as scratch:
        artifacts.write_manifest(
            scratch,
            kind=READING,
            version=VERSION,
            config={
                **{key: config[key] for key in ("layout", "setup", "tasks", "encoder")},
                **{key: config[key] for key in ("recipes", "training_data") if key in config},
                "model": model.name,
                "read": read,
            },
        )


def _heads(model: MultitaskNetwork, *, quantised: bool) -> dict[str, np.ndarray[Any, Any]]:
    """Weights by name; quantised, the rows of matrices in 8 bits, each with a scale."""
    found = dict[str, np.ndarray[Any, Any]]()
    for name, value in heads_of(model).weights.items():
        if quantised and name.endswith(".weight"):
            found[name], found[f"{name}{SCALE}"] = quantised_rows(value)
        else:
            found[name] = value
    return found

"""The weights of a trained network in 8 bits, for other trainings to begin with.

A checkpoint in 32 bits is too large to be given out. Rows in 8 bits, each with a scale, are a
quarter of it, and a training that begins with them makes up for what rounding lost.

    manifest.json        kind "encoder start", the recipes that trained it
    weights.safetensors  the tensors by name; matrices as int8, with their scales beside them
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from holdfast import artifacts
from holdfast.training.export.graph import quantised_rows

KIND: Final = "encoder start"
VERSION: Final = 1
SUFFIX: Final = "-start"
"""What such a folder is called, after the recipe that trained the network."""

_WEIGHTS: Final = "weights.safetensors"
_SCALE: Final = ".scale"


def write_compact(
    weights: Mapping[str, Tensor], folder: Path, *, description: Mapping[str, Any]
) -> artifacts.Manifest:
    """Write the folder, or replace it. `description` (licence, recipes, data) is its manifest's."""
    found = dict[str, Tensor]()
    for name, value in weights.items():
        if value.ndim == 2:
            rows, scale = quantised_rows(value.detach().float().numpy())
            found[name], found[f"{name}{_SCALE}"] = torch.from_numpy(rows), torch.from_numpy(scale)
        else:
            found[name] = value.detach().half().contiguous()
    with artifacts.publish(folder) as scratch:
        save_file(found, scratch / _WEIGHTS)
        return artifacts.write_manifest(
            scratch, kind=KIND, version=VERSION, config={"bits": 8, **description}
        )


def read_compact(folder: Path) -> dict[str, Tensor]:
    """The tensors by name, in 32 bits; a damaged folder is an ArtifactError."""
    manifest = artifacts.read_manifest(folder, kind=KIND, version=VERSION)
    artifacts.verify(folder, manifest)
    stored = load_file(folder / _WEIGHTS)
    return {
        name: value.float() * stored[f"{name}{_SCALE}"]
        if value.dtype == torch.int8
        else value.float()
        for name, value in stored.items()
        if not name.endswith(_SCALE)
    }

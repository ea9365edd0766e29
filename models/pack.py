"""Puts trained models into this folder, and pins them in the package's `weights/offered.json`.

    python models/pack.py                  # all of MODELS that were trained in the home folder
    python models/pack.py collective-names # only some

A network of names that several dual encoders share becomes a folder of its own, so that no folder
is larger than LARGEST.
"""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from safetensors.torch import load_file

from holdfast import artifacts
from holdfast.errors import ArtifactError
from holdfast.model_store import CHECKOUT, OFFERED
from holdfast.models import manifest_of, trained_model
from holdfast.systems.collective.model import NAMES, NAMES_KIND
from holdfast.training.checkpoint import WEIGHTS
from holdfast.training.compact import SUFFIX, write_compact
from holdfast.training.loop import RUN
from holdfast.training.starts import checkpoints_of, encoder_weights

LARGEST: Final = 28e6  # bytes


@dataclass(frozen=True, slots=True)
class Packed:
    """A model to pack: the trained folder it comes from, and the models that it is made of."""

    trained: str
    about: str
    names_model: str = ""  # taken out of the folder, into this one
    is_start: bool = False  # the encoder of its checkpoint, for other trainings to begin with
    needs: tuple[str, ...] = ()  # other models of this folder that it is made of


NAMES_MODEL: Final = "collective-names"
DETECTOR: Final = "detector-train"
MULTITASK: Final = "multitask-bc5cdr-network-int8"
MODELS: Final = {
    NAMES_MODEL: Packed(
        "collective-bc5cdr-int8", "the network of names that the collective models share"
    ),
    "collective-bc5cdr-int8": Packed(
        "collective-bc5cdr-int8", "links the marked mentions of a document at once", NAMES_MODEL
    ),
    "collective-bc5cdr-end-to-end-spans-int8": Packed(
        "collective-bc5cdr-end-to-end-spans-int8", "finds and links in one pass", NAMES_MODEL
    ),
    f"{DETECTOR}{SUFFIX}": Packed(
        DETECTOR,
        "the encoder of a detector without dev splits, to begin a training with",
        is_start=True,
    ),
    MULTITASK: Packed(MULTITASK, "finds, types and links what BC5CDR has, by classes alone"),
    "multitask-bc5cdr": Packed(
        "multitask-bc5cdr",
        "finds, types and links in one pass, with the name linker where classes are uncertain",
        needs=(MULTITASK,),
    ),
    "bier-open-int8": Packed("bier-open-int8", "says in words what kind of thing each mention is"),
    "relations-bc5cdr-int8": Packed(
        "relations-bc5cdr-int8", "says which chemicals of a document induced which diseases"
    ),
    "encoder-aligned": Packed(
        "encoder-aligned", "names to vectors, before any corpus that rankers are fitted on"
    ),
}


def pack(name: str, model: Packed) -> dict[str, object]:
    """Write the model's folder; return its line of `offered.json`."""
    source, target = trained_model(model.trained), CHECKOUT / name
    manifest = manifest_of(source)
    if model.is_start:
        return _line(_pack_start(source, target, manifest, model), target, model)
    artifacts.verify(source, manifest)
    config, kind, version = dict(manifest.config), manifest.kind, manifest.version
    left_out = {NAMES} & set(manifest.files) if model.names_model else set[str]()
    if name == NAMES_MODEL:
        kind, version, left_out = NAMES_KIND, 1, set(manifest.files) - {NAMES}
        kept = ("licence", "recipes", "training_data", "bits")
        config = {key: config[key] for key in kept if key in config}
    if left_out and model.names_model:
        shared = manifest_of(CHECKOUT / model.names_model).files[NAMES]["sha256"]
        if shared != manifest.files[NAMES]["sha256"]:
            raise ArtifactError(f"{source}: encodes names otherwise than {model.names_model}")
        config["names_model"] = model.names_model
    config["about"] = model.about
    with artifacts.publish(target) as scratch:
        for file in set(manifest.files) - left_out:
            shutil.copyfile(source / file, scratch / file)
        written = artifacts.write_manifest(scratch, kind=kind, version=version, config=config)
    return _line(written, target, model)


def _pack_start(
    source: Path, target: Path, manifest: artifacts.Manifest, model: Packed
) -> artifacts.Manifest:
    weights = encoder_weights(load_file(checkpoints_of(source) / RUN / WEIGHTS))
    kept = ("licence", "recipes", "training_data")
    described = {key: manifest.config[key] for key in kept if key in manifest.config}
    return write_compact(weights, target, description={**described, "about": model.about})


def _line(written: artifacts.Manifest, target: Path, model: Packed) -> dict[str, object]:
    """The model's line of `offered.json`."""
    size = sum(entry["size"] for entry in written.files.values())
    if size > LARGEST:
        raise ArtifactError(f"{target}: {size / 1e6:.1f} MB, more than {LARGEST / 1e6:.0f}")
    return {
        "sha256": artifacts.sha256_of(target / artifacts.MANIFEST),
        "megabytes": round(size / 1e6, 1),
        "about": model.about,
        "needs": [*model.needs, *filter(None, [model.names_model])],
    }


def main(names: list[str]) -> None:
    """Pack the models of these names, all by default, and keep the lines of the others."""
    lines = json.loads(OFFERED.read_text(encoding="utf-8")) if OFFERED.exists() else {}
    for name in names or MODELS:
        lines[name] = pack(name, MODELS[name])
        print(f"{name}: {lines[name]['megabytes']} MB")
    OFFERED.write_text(json.dumps(lines, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main([Path(name).name for name in sys.argv[1:]])

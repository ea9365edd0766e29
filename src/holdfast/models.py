"""Model folders: where they are, what they say of themselves, and which parts a model has.

A model that a user chooses is a folder of kind "pipeline", whose manifest lists its parts by name.
A part is a model folder too: a detector, a linker, a joint model. Names are looked up beside the
folder that uses them, among the models that ship, and in the home folder.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from holdfast import artifacts
from holdfast.errors import ArtifactError, UsageError
from holdfast.model_store import is_offered

WEIGHTS: Final = Path(__file__).parent / "weights"
_RECIPES: Final = Path(__file__).parent / "experiments" / "recipes"
MEASURED: Final = "measured.json"
"""Beside the folders that ship: what was measured of each, made from results/."""

PIPELINE: Final = "pipeline"
DEFAULT_TYPES: Final = "bier-open-int8"
"""The typing model of `link --types`."""
VERSION: Final = 1  # of the pipeline's manifest
_LISTED: Final = 6  # models that a message names
_ANY: Final = 1 << 30  # any version: a listing reads nothing but the manifest
_DAMAGED: Final = "damaged"


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """What the manifest of a model folder says."""

    name: str
    folder: Path
    is_shipped: bool
    kind: str  # "name encoder", "name ranker", …; "damaged" if the manifest cannot be read
    megabytes: float = 0.0
    parameters: int | None = None
    training_data: tuple[str, ...] = ()
    results: Mapping[str, float] = field(default_factory=dict)  # what was measured -> the figure
    licence: str = ""
    recipes: tuple[str, ...] = ()  # that trained it, in their order
    parts: tuple[str, ...] = ()  # of a pipeline
    about: str = ""  # one line

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "folder": str(self.folder),
            "shipped": self.is_shipped,
            "kind": self.kind,
            "about": self.about,
            "parts": list(self.parts),
            "megabytes": round(self.megabytes, 1),
            "parameters": self.parameters,
            "training_data": list(self.training_data),
            "results": dict(self.results),
            "licence": self.licence,
            "recipes": list(self.recipes),
        }


def trained_models() -> Path:
    """The home folder's models: those trained here, and those that `holdfast models get` put."""
    return artifacts.home() / "models"


def trained_model(recipe: str) -> Path:
    """Where the model that was last trained by the recipe of this name is, or will be."""
    return trained_models() / recipe


def find_model(name: str | Path, *, beside: Path | None = None) -> Path:
    """The model folder of a name, or the folder itself; UsageError if there is none.

    A bare name means a model that ships or is in the home folder before a folder of the working
    directory; `./name` means that folder. `beside` is the folder of the model that has this one as
    a part.
    """
    is_bare = str(name) == Path(name).name
    places = [WEIGHTS / name, trained_models() / name] if is_bare else []
    places.append(Path(name))
    if beside is not None:
        places.insert(0, beside.parent / name)
    for folder in places:
        if (folder / artifacts.MANIFEST).is_file():
            return folder
    raise UsageError(_missing(str(name), beside))


def _missing(name: str, beside: Path | None) -> str:
    whose = f"the model {beside.name!r} has a part {name!r}, which is not here" if beside else ""
    if is_offered(name):
        return f"{whose or f'the model {name!r} is not here yet'}; `holdfast models get {name}`"
    if whose:
        return f"{whose}; train it: `holdfast train {name.removesuffix('-int8')}`"
    recipe = name.removesuffix("-int8")
    if any(_RECIPES.glob(f"*/{recipe}.toml")):
        return f"the model {name!r} is not trained here yet; `holdfast train {recipe}`"
    known = [model.name for model in list_models() if model.kind != _DAMAGED]
    near = get_close_matches(name, known, _LISTED)
    shown = near or known[:_LISTED]
    more = "" if len(shown) == len(known) else "; `holdfast models` lists all"
    return f"no model is called {name!r}; there is: {', '.join(shown)}{more}"


def check_replaceable(folder: Path, *, force: bool) -> None:
    """Raise a UsageError if a model may not be put at this place.

    An existing model is replaced only with `force`, and anything else never.
    """
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not (folder / artifacts.MANIFEST).exists():
        raise UsageError(f"{folder} holds something else than a model; name another folder")
    if not force:
        raise UsageError(
            f"there is already a model at {folder}; give --force to replace it, or another folder"
        )


def manifest_of(folder: Path) -> artifacts.Manifest:
    """A model folder's manifest, whatever its kind."""
    path = folder / artifacts.MANIFEST
    try:
        kind = json.loads(path.read_text(encoding="utf-8"))["kind"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ArtifactError(f"{path}: damaged ({error}); train it again") from error
    return artifacts.read_manifest(folder, kind=kind, version=_ANY)


def parts_of(folder: Path) -> list[Path]:
    """The folders of a pipeline's parts, in their order; any other folder is its own only part."""
    manifest = manifest_of(folder)
    if manifest.kind != PIPELINE:
        return [folder]
    artifacts.read_manifest(folder, kind=PIPELINE, version=VERSION)
    names = manifest.config.get("parts")
    if not isinstance(names, list) or not names or not all(isinstance(n, str) for n in names):
        raise ArtifactError(f"{folder / artifacts.MANIFEST}: `parts` must list the parts' names")
    return [find_model(name, beside=folder) for name in names]


def list_models() -> list[ModelFolder]:
    """The folders that ship, then those in the home folder: pipelines first, each by name."""
    measured = _measured()
    shipped = (_describe(folder, is_shipped=True) for folder in _folders(WEIGHTS))
    found = [
        *(replace(m, results={**m.results, **measured.get(m.name, {})}) for m in shipped),
        *(_describe(folder, is_shipped=False) for folder in _folders(trained_models())),
    ]
    return sorted(found, key=lambda m: (not m.is_shipped, m.kind != PIPELINE, m.name))


def describe_model(name: str | Path) -> ModelFolder:
    """What the manifest of one model says, by its name or folder; UsageError if there is none."""
    folder = find_model(name)
    listed = (model for model in list_models() if model.folder.resolve() == folder.resolve())
    return next(listed, None) or _describe(folder, is_shipped=False)


def _measured() -> Mapping[str, Mapping[str, float]]:
    path = WEIGHTS / MEASURED
    if not path.exists():
        return {}
    try:
        found: dict[str, dict[str, float]] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ArtifactError(f"{path}: damaged ({error}); install holdfast again") from error
    return found


def _describe(folder: Path, *, is_shipped: bool) -> ModelFolder:
    try:
        manifest = manifest_of(folder)
    except ArtifactError:
        return ModelFolder(folder.name, folder, is_shipped, _DAMAGED)
    config = manifest.config
    return ModelFolder(
        name=folder.name,
        folder=folder,
        is_shipped=is_shipped,
        kind=manifest.kind,
        megabytes=sum(entry["size"] for entry in manifest.files.values()) / 1e6,
        parameters=config.get("parameters"),
        training_data=tuple(map(str, config.get("training_data", ()))),
        results=config.get("results", {}),
        licence=str(config.get("licence", "")),
        recipes=tuple(map(str, config.get("recipes", ()))),
        parts=tuple(map(str, config.get("parts", ()))),
        about=str(config.get("about", "")),
    )


def _folders(parent: Path) -> Iterator[Path]:
    """Those with a manifest, by name; what is still being written is hidden."""
    folders = (path.parent for path in parent.glob(f"*/{artifacts.MANIFEST}"))
    for folder in sorted(folders):
        if not folder.name.startswith(".") and not folder.name.endswith("-checkpoints"):
            yield folder

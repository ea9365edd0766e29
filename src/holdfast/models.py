"""The models there are: those of the registry, those that ship, and those trained here."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from holdfast import artifacts
from holdfast.errors import ArtifactError, UsageError
from holdfast.kb.store import KnowledgeBase
from holdfast.link.species_genes import genes_by_species
from holdfast.registry import (
    ANNOTATORS,
    DETECTORS,
    LINKERS,
    MODELS,
    MakeDetector,
    MakeLinker,
    Step,
    component,
)

if TYPE_CHECKING:
    from holdfast.kb.build import Progress

WEIGHTS: Final = Path(__file__).parent / "weights"
MEASURED: Final = "measured.json"
"""Beside the folders that ship: what was measured of each, made from results/."""

_RANKER: Final = "name ranker"
_TAGGER: Final = "detector"
_DUAL_ENCODER: Final = "dual encoder"
_CHOICES: Final = (_RANKER, _TAGGER, _DUAL_ENCODER)
_ANY: Final = 1 << 30  # any version: a listing reads nothing but the manifest
_DAMAGED: Final = "damaged"


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a pipeline of a model is made with."""

    detector: MakeDetector
    linker: MakeLinker | None
    annotator: MakeLinker | None = None  # where there is no linker: finds and links
    encodes_names: bool = False  # whether it needs the vectors of the knowledge base's names
    dual_encoder: Path | None = None  # the folder of the one that encodes entities, if any


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
    recipe: str = ""  # that trained it

    @property
    def is_choice(self) -> bool:
        """Whether `--model` takes it."""
        return self.kind in _CHOICES

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "folder": str(self.folder),
            "shipped": self.is_shipped,
            "kind": self.kind,
            "megabytes": round(self.megabytes, 1),
            "parameters": self.parameters,
            "training_data": list(self.training_data),
            "results": dict(self.results),
            "licence": self.licence,
            "recipe": self.recipe,
        }


def choose_model(name: str | Path) -> Chosen:
    """A model by its name in MODELS, by the recipe that trained it here, or by its folder."""
    if isinstance(name, str) and name in MODELS:
        model = MODELS[name]
        return Chosen(
            component(DETECTORS, model.detector),
            component(LINKERS, model.linker) if model.linker else None,
            None if model.linker else component(ANNOTATORS, model.detector),
            encodes_names=model.encodes_names,
            dual_encoder=_dual_encoder(model.dual_encoder),
        )
    for folder in (Path(name), _trained() / name):
        if (folder / artifacts.MANIFEST).is_file():
            return _of_folder(folder)
    known = [*MODELS, *(m.name for m in list_models() if m.is_choice and not m.is_shipped)]
    raise UsageError(f"no model is called {str(name)!r}; there is: {', '.join(known)}")


def prepare(
    kb: KnowledgeBase, chosen: Chosen, progress: Progress, *, must_keep: bool = True
) -> None:
    """Encode what the model compares texts with, unless that was done before.

    With `must_keep`, an ArtifactError if it cannot be written; without, it is made as far as the
    model needs it now.
    """
    if chosen.encodes_names:
        prepare_names(kb, progress, must_keep=must_keep)
    if chosen.dual_encoder is not None:
        _prepare_entities(kb, chosen.dual_encoder, progress, must_keep=must_keep)


def prepare_names(kb: KnowledgeBase, progress: Progress, *, must_keep: bool = True) -> None:
    """Encode and index the names of a knowledge base, unless that was done before."""
    from holdfast.link.ranking.dense_names import dense_index_of, name_vectors_of
    from holdfast.link.ranking.shipped import shipped_encoder

    make = dense_index_of if must_keep else name_vectors_of
    make(kb, shipped_encoder(), progress=partial(progress, "encoding names"))


def _prepare_entities(
    kb: KnowledgeBase, folder: Path, progress: Progress, *, must_keep: bool
) -> None:
    from holdfast.systems.collective.entities import EntityNames, entity_vectors_of
    from holdfast.systems.collective.model import DualEncoderModel

    model = DualEncoderModel.open(folder)

    @cache
    def what() -> str:
        count = len(EntityNames.of(kb, most=model.names).rows)
        return f"encoding {count:,} names of entities"

    def show(done: float) -> None:
        progress(what(), done)

    entity_vectors_of(kb, model, most=model.names, must_keep=must_keep, progress=show)


def list_models() -> list[ModelFolder]:
    """The folders that ship, then those in the home folder, each by name; no checkpoints."""
    measured = _measured()
    shipped = (_describe(folder, is_shipped=True) for folder in _folders(WEIGHTS))
    return [
        *(replace(m, results={**m.results, **measured.get(m.name, {})}) for m in shipped),
        *(_describe(folder, is_shipped=False) for folder in _folders(_trained())),
    ]


def _measured() -> Mapping[str, Mapping[str, float]]:
    path = WEIGHTS / MEASURED
    if not path.exists():
        return {}
    try:
        found: dict[str, dict[str, float]] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ArtifactError(f"{path}: damaged ({error}); install holdfast again") from error
    return found


def _of_folder(folder: Path) -> Chosen:
    manifest = manifest_of(folder)
    if manifest.kind not in _CHOICES:
        raise UsageError(f"{folder}: holds a {manifest.kind}, which cannot link by itself")
    usual = MODELS["default"]
    detector = component(DETECTORS, usual.detector)
    linker = None if usual.linker is None else component(LINKERS, usual.linker)
    if manifest.kind == _TAGGER:
        return Chosen(partial(_tagger_of_folder, folder=folder), linker, encodes_names=True)
    if manifest.kind == _RANKER:
        return Chosen(detector, partial(_ranked_of_folder, folder=folder), encodes_names=True)
    if manifest.config.get("detection"):
        annotator = partial(_annotator_of_folder, folder=folder)
        return Chosen(annotator, None, annotator, dual_encoder=folder)
    return Chosen(detector, partial(_dual_of_folder, folder=folder), dual_encoder=folder)


def _dual_encoder(recipe: str) -> Path | None:
    if not recipe:
        return None
    from holdfast.systems.collective.trained import trained_folder

    return trained_folder(recipe)


# What these import takes a while, and is needed by one model only.


def _tagger_of_folder(
    kb: KnowledgeBase, *, only: Collection[str] | None, folder: Path, nested: bool = False
) -> Step:
    from holdfast.detect.tagger import Tagger
    from holdfast.detect.trained import TrainedDetector

    return TrainedDetector(kb, only=only, nested=nested, tagger=Tagger.open(folder))


def _ranked_of_folder(
    kb: KnowledgeBase, *, only: Collection[str] | None, top: int, folder: Path
) -> Step:
    from holdfast.link.ranking.dense_names import name_vectors_of
    from holdfast.link.ranking.linker import RankedLinker
    from holdfast.link.ranking.shipped import shipped_encoder

    has_encoder = bool(manifest_of(folder).config.get("encoder"))
    dense = name_vectors_of(kb, shipped_encoder()) if has_encoder else None
    make = partial(RankedLinker.open, folder, dense=dense)
    return genes_by_species(make, kb, only=only, top=top)


def _annotator_of_folder(
    kb: KnowledgeBase, *, only: Collection[str] | None, top: int = 1, folder: Path
) -> Step:
    from holdfast.systems.collective.linker import CollectiveAnnotator

    return CollectiveAnnotator.open(folder, kb, only=only, top=top)


def _dual_of_folder(
    kb: KnowledgeBase, *, only: Collection[str] | None, top: int, folder: Path
) -> Step:
    from holdfast.systems.collective.linker import CollectiveLinker

    return CollectiveLinker.open(folder, kb, only=only, top=top)


def _describe(folder: Path, *, is_shipped: bool) -> ModelFolder:
    try:
        manifest = manifest_of(folder)
    except ArtifactError:
        return ModelFolder(folder.name, folder, is_shipped, _DAMAGED)
    config = manifest.config
    data = config.get("training_data") or config.get("fitted_on") or ()
    return ModelFolder(
        name=folder.name,
        folder=folder,
        is_shipped=is_shipped,
        kind=manifest.kind,
        megabytes=sum(entry["size"] for entry in manifest.files.values()) / 1e6,
        parameters=config.get("parameters"),
        training_data=tuple(map(str, data)),
        results=config.get("results", {}),
        licence=str(config.get("licence", "")),
        recipe=str(config.get("recipe", "")),
    )


def manifest_of(folder: Path) -> artifacts.Manifest:
    """A model folder's manifest, whatever its kind."""
    path = folder / artifacts.MANIFEST
    try:
        kind = json.loads(path.read_text(encoding="utf-8"))["kind"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ArtifactError(f"{path}: damaged ({error}); train it again") from error
    return artifacts.read_manifest(folder, kind=kind, version=_ANY)


def _trained() -> Path:
    return artifacts.home() / "models"


def _folders(parent: Path) -> Iterator[Path]:
    """Those with a manifest, by name; what is still being written is hidden."""
    folders = (path.parent for path in parent.glob(f"*/{artifacts.MANIFEST}"))
    for folder in sorted(folders):
        if not folder.name.startswith(".") and not folder.name.endswith("-checkpoints"):
            yield folder

"""Trains the detector of a recipe: an encoder that tags words, on several corpora at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from holdfast import artifacts
from holdfast.corpora.named import CORPORA, load_corpus, load_training
from holdfast.corpora.named.splits import parse_splits
from holdfast.detect.dictionary import DictionaryDetector
from holdfast.detect.marks import NAMES_OF_MARKS
from holdfast.detect.tagger import KIND, VERSION, Tagger
from holdfast.detect.training.choice import choose_caution
from holdfast.detect.training.export import check_exportable, export_tagger
from holdfast.detect.training.learning import DetectorConfig, learn
from holdfast.detect.training.lessons import Lesson, lessons
from holdfast.detect.training.model import TokenTagger, pretrained_tagger
from holdfast.detect.training.schemes import SCHEMES, TAUGHT
from holdfast.encoders.tokens import TokenReader
from holdfast.errors import UsageError
from holdfast.experiments.recipe import KbSpec, Recipe
from holdfast.experiments.recipe_kb import kb_of
from holdfast.experiments.settings import read_config
from holdfast.models import trained_model
from holdfast.systems.rescnn.training.probing.linkers import find_encoder
from holdfast.training.checkpoint import load_checkpoint
from holdfast.training.loop import RUN, Report
from holdfast.training.pretrained import pretrained_tokenizer


@dataclass(frozen=True, slots=True)
class Material:
    """What there is to learn, and the vocabularies that are marked in it."""

    lessons: tuple[Lesson, ...]
    dictionaries: tuple[DictionaryDetector, ...]


def train_detector(
    recipe: Recipe,
    *,
    data: Path,
    out: Path,
    report: Report,
    encoder: Path | None = None,  # a Hugging Face folder; MiniLM by default
) -> artifacts.Manifest:
    """Train what the recipe describes and write the model folder `out`, in 8 bits.

    A recipe with a `start` begins with what that recipe trained, and is as cautious. One with a
    `select` chooses its caution by that split, which it holds out. Checkpoints are kept beside
    `out`, so that a run that was stopped goes on.
    """
    chosen = read_config(DetectorConfig, recipe)
    folder = encoder or find_encoder()
    torch.manual_seed(chosen.seed)
    if chosen.threads:
        torch.set_num_threads(chosen.threads)
    model = pretrained_tagger(folder, marks=len(NAMES_OF_MARKS), tags=2 * len(TAUGHT) + 1)
    check_exportable(model.encoder)
    if chosen.start:
        load_checkpoint(_checkpoints(trained_model(chosen.start)) / RUN, model)
    tokenizer = pretrained_tokenizer(folder)
    reader = TokenReader.of(tokenizer)
    material = read_material(recipe, chosen, reader=reader, data=data, report=report)
    learn(model, material.lessons, chosen, reader=reader, work=_checkpoints(out), report=report)
    model.eval()
    described = _described(recipe, chosen, model)
    manifest = export_tagger(model, tokenizer, out, quantised=True, config=described)
    if recipe.trained.select:
        found = _chosen(recipe, out, next(iter(material.dictionaries), None), data=data)
        report(f"{found}")
        described |= found
        manifest = export_tagger(model, tokenizer, out, quantised=True, config=described)
    return manifest


def read_material(
    recipe: Recipe, config: DetectorConfig, *, reader: TokenReader, data: Path, report: Report
) -> Material:
    """The windows of the recipe's training splits, without documents of those it holds out."""
    if not recipe.trained.on:
        raise UsageError(f"recipe {recipe.name!r}: [train] has nothing to train `on`")
    splits = parse_splits(recipe.trained.on)
    for name, _ in splits:
        if name not in SCHEMES:
            raise UsageError(f"{name!r}: which types it annotates is not known; leave it out")
    corpora = load_training(splits, evaluated=_held_out(recipe), data=data)
    if not corpora.weights_may_ship:
        raise UsageError(f"recipe {recipe.name!r}: weights trained on its corpora may not ship")
    dictionaries = tuple(
        DictionaryDetector(kb_of(replace(recipe, kb=KbSpec(get=name)), data=data), for_marks=True)
        for name in config.vocabularies
    )
    found = list[Lesson]()
    for part in corpora.parts:
        report(str(part))
        found += lessons(
            part.documents,
            SCHEMES[part.corpus],
            reader=reader,
            dictionaries=dictionaries,
            size=config.longest - 2,
            overlap=config.overlap,
            short=config.short,
        )
    return Material(tuple(found), dictionaries)


def _described(recipe: Recipe, config: DetectorConfig, model: TokenTagger) -> dict[str, Any]:
    """What the manifest says of the model."""
    earlier: Mapping[str, Any] = {}
    if config.start:
        folder = trained_model(config.start)
        earlier = artifacts.read_manifest(folder, kind=KIND, version=VERSION).config
    licences = dict.fromkeys(CORPORA[name].licence for name, _ in parse_splits(recipe.trained.on))
    return {
        "types": list(TAUGHT),
        "marks": list(NAMES_OF_MARKS),
        "caution": earlier.get("caution", 0.0),
        "width": 2 * len(TAUGHT) + 1,
        "longest": config.longest,
        "overlap": config.overlap,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "recipes": [*earlier.get("recipes", ()), recipe.name],
        "training_data": list(recipe.trained.on),
        "held_out": [" ".join(split) for split in _held_out(recipe)],
        "licence": "Apache-2.0",
        "licences_of_data": list(licences),
        "results": {},
    }


def _chosen(
    recipe: Recipe, folder: Path, dictionary: DictionaryDetector | None, *, data: Path
) -> dict[str, Any]:
    select = recipe.trained.select
    ((corpus, split),) = parse_splits([select])
    documents = list(load_corpus(corpus, split, data=data))
    choice = choose_caution(Tagger.open(folder), documents, SCHEMES[corpus], dictionary=dictionary)
    results = {f"{select} typed F1, {name}": round(f1, 4) for name, f1 in choice.f1.items()}
    return {"caution": choice.caution, "results": results}


def _held_out(recipe: Recipe) -> list[tuple[str, str]]:
    """The splits whose documents are not learned from."""
    select = [recipe.trained.select] if recipe.trained.select else []
    return parse_splits(dict.fromkeys([*recipe.trained.held_out, *select]))


def _checkpoints(out: Path) -> Path:
    return out.with_name(f"{out.name}-checkpoints")

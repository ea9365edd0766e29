"""Trains the detector of a recipe: an encoder that tags words, on several corpora at once."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch

from holdfast import artifacts
from holdfast.corpora.named import corpus_named, load_corpus, load_training
from holdfast.corpora.named.splits import parse_splits, split_name
from holdfast.corpora.named.table import FILE
from holdfast.detect.dictionary import DictionaryDetector
from holdfast.detect.marks import NAMES_OF_MARKS
from holdfast.detect.tagger import KIND, VERSION, Tagger
from holdfast.detect.training.choice import choose_caution
from holdfast.detect.training.export import check_exportable, export_tagger
from holdfast.detect.training.learning import DetectorConfig, learn
from holdfast.detect.training.lessons import Lesson, lessons
from holdfast.detect.training.model import TokenTagger, pretrained_tagger
from holdfast.detect.training.own import (
    annotated_types,
    digest_of,
    own_scheme,
    paced,
    sized,
)
from holdfast.detect.training.schemes import SCHEMES, TAUGHT
from holdfast.encoders.tokens import TokenReader
from holdfast.errors import UsageError
from holdfast.experiments.recipe import KbSpec, Recipe
from holdfast.experiments.recipe_kb import kb_of
from holdfast.experiments.settings import read_config
from holdfast.kb.own_types import own_types
from holdfast.models import trained_model
from holdfast.progress import Log
from holdfast.training.checkpoint import load_checkpoint
from holdfast.training.loop import RUN
from holdfast.training.pretrained import find_encoder, pretrained_tokenizer


@dataclass(frozen=True, slots=True)
class TaggerData:
    """What there is to learn, and the vocabularies that are marked in it."""

    lessons: tuple[Lesson, ...]
    dictionaries: tuple[DictionaryDetector, ...]
    types: tuple[str, ...] = TAUGHT  # in the order of their tags
    is_own: bool = False  # of files alone, with the types that they annotate

    def configured(self, config: DetectorConfig, settings: Mapping[str, Any]) -> DetectorConfig:
        """The configuration; how long files are learned depends on their size, unless it is set."""
        if not self.is_own:
            return config
        return (sized if "passes" in settings else paced)(config, self.lessons)


def train_detector(
    recipe: Recipe,
    *,
    data: Path,
    out: Path,
    report: Log,
    encoder: Path | None = None,  # a Hugging Face folder; MiniLM by default
) -> artifacts.Manifest:
    """Train what the recipe describes and write the model folder `out`, in 8 bits.

    A recipe with a `start` begins with what that recipe trained, and is as cautious. One with a
    `select` chooses its caution by that split, which it holds out. Checkpoints are kept beside
    `out`, so that a run that was stopped goes on.
    """
    chosen = read_config(DetectorConfig, recipe)
    folder = encoder or find_encoder()
    if chosen.threads:
        torch.set_num_threads(chosen.threads)
    tokenizer = pretrained_tokenizer(folder)
    reader = TokenReader.of(tokenizer)
    material = read_material(recipe, chosen, reader=reader, data=data, report=report)
    chosen = material.configured(chosen, recipe.trained.settings)
    model = _untrained(folder, chosen, material)
    work = _checkpoints(out)
    _learn(model, material, chosen, reader=reader, work=work, report=report)
    write = partial(export_tagger, model.eval(), tokenizer, quantised=True)
    described = _described(recipe, chosen, model, material)
    if recipe.trained.select:
        trial = work / "chosen"
        write(trial, config=described)
        described |= _chosen(recipe, trial, material, data=data, report=report)
        shutil.rmtree(trial)
    manifest = write(out, config=described)
    if material.is_own:  # no other training begins with it
        shutil.rmtree(work / RUN)
    return manifest


def _learn(
    model: TokenTagger,
    material: TaggerData,
    config: DetectorConfig,
    *,
    reader: TokenReader,
    work: Path,
    report: Log,
) -> None:
    """Train in place. A run of files is not continued on other files or annotations."""
    documents = digest_of(material.lessons) if material.is_own else ""
    start = partial(learn, reader=reader, work=work, report=report, documents=documents)
    try:
        start(model, material.lessons, config)
    except KeyboardInterrupt:
        report(f"stopped; the checkpoint is in {work}, and the same command goes on from there")
        raise


def _untrained(encoder: Path, config: DetectorConfig, material: TaggerData) -> TokenTagger:
    """The network before the first step."""
    torch.manual_seed(config.seed)
    tags = 2 * len(material.types) + 1
    model = pretrained_tagger(encoder, marks=len(NAMES_OF_MARKS), tags=tags)
    check_exportable(model.encoder)
    if config.start:
        load_checkpoint(_checkpoints(trained_model(config.start)) / RUN, model)
    return model


def read_material(
    recipe: Recipe, config: DetectorConfig, *, reader: TokenReader, data: Path, report: Log
) -> TaggerData:
    """The windows of the recipe's training splits, without documents of those it holds out."""
    if not recipe.trained.on:
        raise UsageError(f"recipe {recipe.name!r}: [train] has nothing to train `on`")
    splits = parse_splits(recipe.trained.on)
    for name, split in splits:
        if name not in SCHEMES and split != FILE:
            raise UsageError(f"{name!r}: which types it annotates is not known; leave it out")
    corpora = load_training(splits, evaluated=_held_out(recipe), data=data)
    if not corpora.weights_may_ship:
        raise UsageError(f"recipe {recipe.name!r}: weights trained on its corpora may not ship")
    bases = [kb_of(replace(recipe, kb=KbSpec(get=name)), data=data) for name in config.vocabularies]
    dictionaries = tuple(DictionaryDetector(base, for_marks=True) for base in bases)
    is_own = all(split == FILE for _, split in splits)
    types: tuple[str, ...] = TAUGHT
    if is_own:
        spelled = [type for base in bases for type in own_types(base)]
        types = annotated_types(corpora.documents, spelled)
    found = list[Lesson]()
    for part in corpora.parts:
        report(str(part))
        found += lessons(
            part.documents,
            SCHEMES.get(part.corpus) or own_scheme(part.documents, types),
            reader=reader,
            dictionaries=dictionaries,
            size=config.longest - 2,
            overlap=config.overlap,
            short=config.short,
        )
    return TaggerData(tuple(found), dictionaries, types, is_own)


def _described(
    recipe: Recipe, config: DetectorConfig, model: TokenTagger, material: TaggerData
) -> dict[str, Any]:
    """What the manifest says of the model."""
    earlier: Mapping[str, Any] = {}
    if config.start:
        folder = trained_model(config.start)
        earlier = artifacts.read_manifest(folder, kind=KIND, version=VERSION).config
    splits = parse_splits(recipe.trained.on)
    licences = dict.fromkeys(corpus_named(name).licence for name, _ in splits)
    return {
        "types": list(material.types),
        "everywhere": material.is_own,
        "marks": list(NAMES_OF_MARKS),
        "caution": earlier.get("caution", 0.0),
        "width": 2 * len(material.types) + 1,
        "longest": config.longest,
        "overlap": config.overlap,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "recipes": [*earlier.get("recipes", ()), recipe.name],
        "training_data": [split_name(split) for split in splits],
        "held_out": [split_name(split) for split in _held_out(recipe)],
        "licence": "your own" if material.is_own else "Apache-2.0",
        "licences_of_data": list(licences),
        "results": {},
    }


def _chosen(
    recipe: Recipe, folder: Path, material: TaggerData, *, data: Path, report: Log
) -> dict[str, Any]:
    """The caution that is best on the documents of `select`, and the figures with it."""
    (split,) = parse_splits([recipe.trained.select])
    documents = list(load_corpus(*split, data=data))
    scheme = SCHEMES.get(split[0]) or own_scheme(documents, material.types)
    dictionary = next(iter(material.dictionaries), None)
    choice = choose_caution(Tagger.open(folder), documents, scheme, dictionary=dictionary)
    figures = ", ".join(f"{name} {100 * f1:.1f}" for name, f1 in choice.f1.items())
    report(f"{split_name(split)}: typed F1 in %: {figures}; caution {choice.caution}")
    results = {
        f"{split_name(split)} typed F1, {name}": round(f1, 4) for name, f1 in choice.f1.items()
    }
    return {"caution": choice.caution, "results": results}


def _held_out(recipe: Recipe) -> list[tuple[str, str]]:
    """The splits whose documents are not learned from."""
    select = [recipe.trained.select] if recipe.trained.select else []
    return parse_splits(dict.fromkeys([*recipe.trained.held_out, *select]))


def _checkpoints(out: Path) -> Path:
    return out.with_name(f"{out.name}-checkpoints")

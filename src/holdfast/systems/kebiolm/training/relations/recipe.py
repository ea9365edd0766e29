"""Trains the relation model of a recipe and writes it as model folders, in 32 and in 8 bits."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer

from holdfast.corpora.named import CORPORA, load_corpus, load_training
from holdfast.corpora.named.splits import parse_splits
from holdfast.document import Document
from holdfast.encoders.tokens import TokenReader
from holdfast.errors import UsageError
from holdfast.experiments.recipe import Recipe
from holdfast.experiments.recipe_kb import kb_of, primary_ids, with_primary_ids
from holdfast.experiments.settings import read_parts
from holdfast.kb.hierarchy import ancestors
from holdfast.models import find_model, manifest_of
from holdfast.progress import Log
from holdfast.systems.kebiolm.relations.model import Calibration
from holdfast.systems.kebiolm.relations.pairs import (
    RELATION_MODEL,
    SENTENCE,
    WHOLE,
    RelationShape,
)
from holdfast.systems.kebiolm.training.relations.data import Above, ReadingConfig, examples_of
from holdfast.systems.kebiolm.training.relations.excerpts import excerpts_of_all
from holdfast.systems.kebiolm.training.relations.export import export_relations
from holdfast.systems.kebiolm.training.relations.model import RelationNetwork
from holdfast.systems.kebiolm.training.relations.select import Fitted
from holdfast.systems.kebiolm.training.relations.train import (
    Development,
    RelationConfig,
    RelationTask,
    train_relations,
)
from holdfast.training.loop import best_entry
from holdfast.training.starts import begin_with_detector, check_starts, checkpoints_of, starts_of
from holdfast.training.token_encoder import open_token_encoder, open_tokenizer

SMALL = "-int8"
_READ = {WHOLE: "whole documents", SENTENCE: "single sentences"}


@dataclass(frozen=True, slots=True)
class RelationRecipeConfig:
    """The settings of a recipe's [train] besides those of the model, the reading and the run."""

    encoder: str = "minilm"  # or the folder of a Hugging Face BERT
    detector: str = ""  # the recipe of the detector whose encoder it begins with; "": pretrained
    learns_hypernyms: bool = False  # whether pairs more general than annotated ones are negatives
    fitted_by: str = ""  # without `select`: the recipe whose thresholds are taken
    excerpts: int = 0  # of a few sentences that are learned besides each document
    chosen_share: float = 0.0  # without `select`: share of the documents that is chosen by instead


def train_relation_recipe(
    recipe: Recipe, *, data: Path, out: Path, report: Log, encoder: Path | None = None
) -> None:
    """Train what the recipe describes; write `out` and, in 8 bits, `out-int8`."""
    train = recipe.trained
    if not train.on:
        raise UsageError(f"recipe {recipe.name!r}: [train] has nothing to train `on`")
    if encoder is not None:
        changed = {**train.settings, "encoder": str(encoder)}
        recipe = replace(recipe, train=replace(train, settings=changed))
    shape, config, reading, own = read_parts(
        recipe, RelationShape, RelationConfig, ReadingConfig, RelationRecipeConfig
    )
    given = _given_fit(own, train.select, recipe.name)
    check_starts(recipe, data=data)
    torch.manual_seed(config.seed)
    tokenizer = open_tokenizer(own.encoder)
    model = RelationNetwork(
        shape, open_token_encoder(own.encoder), hidden=config.hidden, dropout=config.dropout
    )
    if own.detector:
        begin_with_detector(model.encoder, own.detector)
    reading = replace(reading, window=min(reading.window, model.encoder.longest))
    task = _task(recipe, model, config, reading, own, data=data, report=report)
    history = train_relations(
        task,
        config,
        folder=checkpoints_of(out),
        about=_about(recipe),
        report=report,
    )
    described = {
        **_description(recipe, shape),
        "selected_on": _selected_on(recipe, own),
        "settings": _plain(config, reading, own),
        "log": [dict(entry) for entry in history],
    }
    if not given:
        best = best_entry(history, "f1")
        described["results"] = {f"{_selected_on(recipe, own)}, when chosen: F1": best["f1"]}
    _write(model, tokenizer, reading, given or task.fitted(), out=out, description=described)


def _write(
    model: RelationNetwork,
    tokenizer: Tokenizer,
    reading: ReadingConfig,
    fitted: Fitted,
    *,
    out: Path,
    description: dict[str, Any],
) -> None:
    """Write the model in 32 bits and, beside it, in 8."""
    for small, folder in ((False, out), (True, out.with_name(f"{out.name}{SMALL}"))):
        export_relations(
            model,
            tokenizer,
            folder,
            reading=reading,
            fitted=fitted,
            small=small,
            description=description,
        )


def _task(
    recipe: Recipe,
    model: RelationNetwork,
    config: RelationConfig,
    reading: ReadingConfig,
    own: RelationRecipeConfig,
    *,
    data: Path,
    report: Log,
) -> RelationTask:
    """Load the documents of the recipe, with ids of its knowledge base, as questions."""
    kb = kb_of(recipe, data=data)

    @cache
    def above(id: str) -> frozenset[str]:
        return ancestors(kb, id)

    training, selected = _documents(recipe, own.chosen_share, data=data, report=report)
    ids = primary_ids(kb)
    reader = TokenReader.of(open_tokenizer(own.encoder))
    hidden: Above | None = None if own.learns_hypernyms else above
    whole = list(with_primary_ids(training, ids))
    excerpts = excerpts_of_all(whole, own.excerpts, seed=config.seed)
    examples = partial(examples_of, reader=reader, shape=model.shape, reading=reading, above=hidden)
    learned = [*examples(whole), *examples(excerpts, are_excerpts=True)]
    if not learned:
        raise UsageError(
            f"recipe {recipe.name!r}: no training document has two linked entities of the types "
            f"{', '.join(model.shape.pairs)}"
        )
    chosen = list(with_primary_ids(selected, ids))
    asked = list(examples_of(chosen, reader, model.shape, reading))
    pairs = sum(len(example.labels) for example in learned)
    related = sum(int((example.labels == 1).sum()) for example in learned)
    if not related:
        raise UsageError(
            f"recipe {recipe.name!r}: no training document relates linked entities of the types "
            f"{', '.join(model.shape.pairs)} by {', '.join(model.shape.labels)}"
        )
    report(f"{len(learned):,} questions, {pairs:,} pairs, {related:,} of them related")
    development = Development(chosen, asked, above)
    return RelationTask(model, learned, development, config, mask=reader.blank)


def _documents(
    recipe: Recipe, chosen_share: float, *, data: Path, report: Log
) -> tuple[list[Document], list[Document]]:
    """To learn from, and to choose by."""
    train = recipe.trained
    looked = parse_splits([train.select] if train.select else [])
    evaluated = [*recipe.evaluated, *parse_splits(train.held_out), *looked]
    found = load_training(parse_splits(train.on), evaluated=evaluated, data=data)
    for part in found.parts:
        report(str(part))
    if looked or not chosen_share:
        selected = [d for corpus, split in looked for d in load_corpus(corpus, split, data=data)]
        return list(found.documents), selected
    parts: tuple[list[Document], list[Document]] = ([], [])
    for document in found.documents:
        digest = hashlib.sha256(document.text.encode("utf-8", "replace")).digest()
        parts[int.from_bytes(digest[:8], "big") / 2**64 < chosen_share].append(document)
    if not all(parts):
        raise UsageError(
            f"recipe {recipe.name!r}: chosen_share = {chosen_share} leaves nothing to learn from "
            "or to choose by"
        )
    report(f"{len(parts[1]):,} of these documents are not learned, but chosen by")
    return parts


def _selected_on(recipe: Recipe, own: RelationRecipeConfig) -> str:
    if recipe.trained.select or not own.chosen_share:
        return recipe.trained.select
    return f"{own.chosen_share:.0%} of the training documents"


def _given_fit(own: RelationRecipeConfig, select: str, name: str) -> Fitted | None:
    """The thresholds of another recipe's model, where there is nothing to choose by."""
    if select or own.chosen_share:
        return None
    if not own.fitted_by:
        raise UsageError(f"recipe {name!r}: [train] needs `select`, `chosen_share` or `fitted_by`")
    folder = find_model(own.fitted_by)
    config = manifest_of(folder).config
    if manifest_of(folder).kind != RELATION_MODEL:
        raise UsageError(f"recipe {name!r}: {own.fitted_by!r} is no relation model")
    calibrations = tuple(Calibration(**one) for one in config["calibrations"])
    return Fitted(calibrations, bool(config["drops_hypernyms"]), 0.0, 0.0, 0.0, 0.0, 0.0)


def _description(recipe: Recipe, shape: RelationShape) -> dict[str, Any]:
    earlier = list(dict.fromkeys(each.name for each in starts_of(recipe)))
    learned = (split for each in (recipe, *starts_of(recipe)) for split in each.trained.on)
    fit = list(dict.fromkeys(learned))
    names = [name for name, _ in parse_splits(fit) if name in CORPORA]
    return {
        "recipes": [*reversed(earlier), recipe.name],
        "training_data": fit,
        "licence": "; ".join(dict.fromkeys(CORPORA[name].licence for name in names)),
        "about": f"relations between linked entities, read off {_READ[shape.within]}",
    }


def _about(recipe: Recipe) -> dict[str, Any]:
    """Settings that invalidate a checkpoint."""
    train = recipe.trained
    free = {"steps", "threads", "save_every", "evaluate_every"}
    kept = {key: value for key, value in train.settings.items() if key not in free}
    return {**kept, "select": train.select, "recipe": recipe.name, "on": list(train.on)}


def _plain(*configs: Any) -> dict[str, Any]:
    found = dict[str, Any]()
    for config in configs:
        found |= asdict(config)
    return found

"""Trains the dual encoder or cross-encoder of a recipe and writes it as a model folder.

The recipe's `on` names what is trained on, its `select` what is looked at to choose.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from tokenizers import Tokenizer

from holdfast.corpora.named import corpus_named, load_corpus, load_training
from holdfast.corpora.named.splits import parse_splits
from holdfast.document import Document
from holdfast.encoders.tokens import TokenReader
from holdfast.errors import UsageError
from holdfast.experiments.given import blank
from holdfast.experiments.recipe import Recipe
from holdfast.experiments.recipe_kb import kb_of, primary_ids, with_primary_ids
from holdfast.kb.store import KnowledgeBase, open_kb
from holdfast.models import trained_model
from holdfast.pipeline import load
from holdfast.progress import Log
from holdfast.systems.collective.cross import KIND as CROSS_ENCODER
from holdfast.systems.collective.cross import PairReader
from holdfast.systems.collective.model import SMALL
from holdfast.systems.collective.training.cross import (
    cases_of,
    export_cross_encoder,
    open_cross_encoder,
    train_cross_encoder,
)
from holdfast.systems.collective.training.data import (
    NameTable,
    SegmentConfig,
    segments_of,
    synonyms_of,
)
from holdfast.systems.collective.training.export import export_dual_encoder
from holdfast.systems.collective.training.model import DualEncoder
from holdfast.systems.collective.training.settings import (
    DualEncoderSettings,
    read_cross_settings,
    read_settings,
)
from holdfast.systems.collective.training.start import (
    encode_outside,
    read_like_detector,
    start_from,
)
from holdfast.systems.collective.training.train import (
    DualEncoderData,
    train_dual_encoder,
)
from holdfast.training.history import Entry
from holdfast.training.loop import best_entry
from holdfast.training.starts import check_starts, checkpoints_of, starts_of
from holdfast.training.token_encoder import open_tokenizer

Candidates = Callable[[Document], list[list[tuple[str, str]]]]  # (id, name) for each mention

# The figures on development documents in words; of mentions in the knowledge base.
_FIGURES: Final = {"accuracy": "given mentions right", "f1": "F1 of mentions found and linked"}
_CROSS_FIGURES: Final = {"accuracy": "right where the entity was retrieved"}
CANDIDATES: Final = 10  # that a cross-encoder compares


def train_collective(
    recipe: Recipe, *, data: Path, out: Path, report: Log, encoder: Path | None = None
) -> None:
    """Train what the recipe describes; write `out`, and beside it the same in 8 bits.

    Checkpoints are kept beside it, so that a run that was stopped goes on. `encoder` is a Hugging
    Face folder to begin with instead of the recipe's.
    """
    if not recipe.trained.on:
        raise UsageError(f"recipe {recipe.name!r}: [train] has nothing to train `on`")
    if encoder is not None:
        settings = {**recipe.trained.settings, "encoder": str(encoder)}
        recipe = replace(recipe, train=replace(recipe.trained, settings=settings))
    if recipe.trained.kind == CROSS_ENCODER:
        _train_cross(recipe, data=data, out=out, report=report)
    else:
        _train_dual(recipe, data=data, out=out, report=report)


def _train_dual(recipe: Recipe, *, data: Path, out: Path, report: Log) -> None:
    settings = read_settings(recipe)
    check_starts(recipe, data=data)
    corpora = _Corpora.load(recipe, data=data, report=report)
    tokenizer = open_tokenizer(settings.shape.encoder)
    model = DualEncoder(settings.shape, encodes_names=not settings.own.names_model)
    if settings.own.start:
        start_from(model, _checkpoints(settings.own.start))
    if settings.own.detector:
        read_like_detector(model, settings.own.detector)
    window = min(settings.reading.window, model.documents.longest)
    reading = replace(settings.reading, window=window)
    development = corpora.development[: settings.own.select_documents]
    material = _material(settings, corpora, development, tokenizer=tokenizer, reading=reading)
    report(f"{len(material.training):,} segments, {len(material.table):,} names")
    work = checkpoints_of(out)
    history = train_dual_encoder(
        model, material, settings.train, folder=work, about=_about(recipe), report=report
    )
    selected = "f1" if settings.shape.detection else "accuracy"
    threshold = best_entry(history, selected).get("threshold", 0.5)
    for small, folder in ((False, out), (True, out.with_name(f"{out.name}{SMALL}"))):
        export_dual_encoder(
            model,
            tokenizer,
            folder,
            reading=reading,
            names=settings.own.names,
            names_model=settings.own.names_model,
            threshold=threshold,
            small=small,
            description=_description(recipe, history, asdict(settings))
            | (
                {}
                if small
                else _results(recipe.trained.select, len(development), history, _FIGURES)
            ),
        )


def _material(
    settings: DualEncoderSettings,
    corpora: _Corpora,
    development: Sequence[Document],
    *,
    tokenizer: Tokenizer,
    reading: SegmentConfig,
) -> DualEncoderData:
    """Documents as segments, and the names of the knowledge base as tokens."""
    looked = replace(reading, mentions=0)
    kb, reader = corpora.kb, TokenReader.of(tokenizer)
    rows = {kb.id_at(row): row for row in range(len(kb))}
    source = open_kb(settings.own.align_kb) if settings.own.align_kb else kb
    own = settings.own
    table = NameTable.of(kb, tokenizer, longest=settings.shape.longest_name, most=own.names)
    return DualEncoderData(
        reader,
        table,
        list(segments_of(corpora.training, reader, reading, rows=rows)),
        list(segments_of(development, reader, looked, rows=rows)),
        synonyms=list(synonyms_of(kb, source, rows)) if settings.train.align_steps else (),
        reading=looked,
        vectors=encode_outside(own.names_model, table, reader) if own.names_model else None,
    )


def _train_cross(recipe: Recipe, *, data: Path, out: Path, report: Log) -> None:
    settings = read_cross_settings(recipe)
    config, own = settings.network, settings.own
    check_starts(recipe, data=data)
    corpora = _Corpora.load(recipe, data=data, report=report)
    tokenizer = open_tokenizer(config.encoder)
    reader = PairReader.of(
        tokenizer,
        context=config.context,
        longest_context=config.longest_context,
        longest_name=config.longest_name,
    )
    retrieve = _retriever(own.retriever, corpora.kb)
    development = corpora.development[: own.select_documents]
    documents = _some(corpora.training, own.fit_documents, seed=config.seed)
    training = cases_of(documents, reader, _for_training(retrieve, corpora.kb, config.seed))
    looked = cases_of(development, reader, retrieve)
    report(f"{len(training):,} mentions, {sum(case.gold >= 0 for case in training):,} retrieved")
    model = open_cross_encoder(config)
    work = checkpoints_of(out)
    history = train_cross_encoder(
        model, training, looked, reader, config, folder=work, about=_about(recipe), report=report
    )
    results = _results(recipe.trained.select, len(development), history, _CROSS_FIGURES)
    for small, folder in ((False, out), (True, out.with_name(f"{out.name}{SMALL}"))):
        export_cross_encoder(
            model,
            tokenizer,
            folder,
            config=config,
            small=small,
            description=_description(recipe, history, {**asdict(own), **asdict(config)})
            | ({} if small else results),
        )


def _checkpoints(recipe: str) -> Path:
    """The recipe's checkpoint folder."""
    folder = trained_model(recipe)
    if not folder.exists():
        raise UsageError(f"{folder}: not there; first `holdfast train {recipe}`")
    return checkpoints_of(folder)


def _about(recipe: Recipe) -> dict[str, Any]:
    """Settings that invalidate a checkpoint."""
    train = recipe.trained
    return {**train.settings, "select": train.select, "recipe": recipe.name, "fit": list(train.on)}


def _some(documents: Sequence[Document], count: int | None, *, seed: int) -> Sequence[Document]:
    """So many of them, drawn at random; all by default."""
    if count is None or count >= len(documents):
        return documents
    drawn = np.random.default_rng(seed).choice(len(documents), size=count, replace=False)
    return [documents[at] for at in sorted(drawn.tolist())]


def _retriever(model: str, kb: KnowledgeBase) -> Candidates:
    """Entities and their names for each mention, as a linker finds them."""
    pipeline = load(kb, model=[model], marked=True, top=CANDIDATES)

    def retrieve(document: Document) -> list[list[tuple[str, str]]]:
        linked = pipeline(blank(document))
        return [[(c.entity_id, c.name) for c in mention.candidates] for mention in linked.mentions]

    return retrieve


def _for_training(retrieve: Candidates, kb: KnowledgeBase, seed: int) -> Candidates:
    """Candidates with the gold entity where it is missing, and random ones where there are few."""
    rng = np.random.default_rng(seed)

    def filled(document: Document) -> list[list[tuple[str, str]]]:
        found = list[list[tuple[str, str]]]()
        for mention, near in zip(document.mentions, retrieve(document), strict=True):
            known = dict(near)
            if not any(id in known for id in mention.ids):
                rows = [row for id in mention.ids if (row := kb.row_of(id)) is not None]
                known |= {kb.id_at(row): kb.label_at(row) for row in rows[:1]}
            for row in rng.integers(len(kb), size=max(0, CANDIDATES - len(known))).tolist():
                if kb.id_at(row) not in mention.ids:
                    known.setdefault(kb.id_at(row), kb.label_at(row))
            found.append(list(known.items()))
        return found

    return filled


@dataclass(frozen=True, slots=True)
class _Corpora:
    """What is trained on and looked at, with ids of the knowledge base."""

    kb: KnowledgeBase
    training: tuple[Document, ...]
    development: tuple[Document, ...]

    @classmethod
    def load(cls, recipe: Recipe, *, data: Path, report: Log) -> _Corpora:
        train = recipe.trained
        looked = parse_splits([train.select] if train.select else [])
        evaluated = [*recipe.evaluated, *parse_splits(train.held_out), *looked]
        kb = kb_of(recipe, looked[0][1] if looked else recipe.measured.split, data=data)
        found = load_training(parse_splits(train.on), evaluated=evaluated, data=data)
        for part in found.parts:
            report(str(part))
        ids = primary_ids(kb)
        development = [d for corpus, split in looked for d in load_corpus(corpus, split, data=data)]
        return cls(
            kb,
            tuple(with_primary_ids(found.documents, ids)),
            tuple(with_primary_ids(development, ids)),
        )


def _description(
    recipe: Recipe, history: Sequence[Entry], settings: Mapping[str, Any]
) -> dict[str, object]:
    earlier = list(dict.fromkeys(each.name for each in starts_of(recipe)))
    learned = (split for each in (recipe, *starts_of(recipe)) for split in each.trained.on)
    fit = list(dict.fromkeys(learned))
    corpora = parse_splits(fit)
    return {
        "recipes": [*reversed(earlier), recipe.name],
        "training_data": fit,
        "licence": "; ".join(dict.fromkeys(corpus_named(name).licence for name, _ in corpora)),
        "settings": dict(settings),
        "log": [dict(entry) for entry in history],
    }


def _results(
    select: str, documents: int, history: Sequence[Entry], figures: Mapping[str, str]
) -> dict[str, object]:
    """What `holdfast models` shows: the development figures that the model was chosen by.

    It was the model in 32 bits: of that in 8 bits nothing is known before it is measured.
    """
    if not documents:
        return {}
    selected = next(key for key in ("f1", "accuracy") if any(key in entry for entry in history))
    best = best_entry(history, selected)
    where = f"{documents} documents of {select}, when it was chosen: "
    found = {where + words: round(best[key], 4) for key, words in figures.items() if key in best}
    return {"results": found}

"""Annotates open text with the default linker, shard by shard; a killed run goes on."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

from holdfast import artifacts
from holdfast.corpora.named import load_corpus
from holdfast.corpora.named.overlap import Fingerprint, SharedText, build_shared_text
from holdfast.corpora.named.splits import parse_splits
from holdfast.document import Document
from holdfast.errors import UsageError
from holdfast.experiments.recipe import Recipe
from holdfast.experiments.recipe_kb import kb_of
from holdfast.experiments.settings import read_parts
from holdfast.files import write_durably
from holdfast.parts import DEFAULT_MODEL
from holdfast.pipeline import Pipeline, load
from holdfast.progress import Log
from holdfast.step import Step
from holdfast.systems.kebiolm.knowledge.annotated_text import (
    KIND,
    PATTERN,
    VERSION,
    AnnotatedText,
    count_entities,
    read_shards,
    shard_path,
    write_shard,
)
from holdfast.training.abstracts import read_abstract_documents
from holdfast.training.time_left import time_left

SETTINGS: Final = "settings.json"
"""How the shards beside it were made."""


@dataclass(frozen=True, slots=True)
class TextConfig:
    """Which text is annotated, and what of the annotation is kept."""

    linker: str = DEFAULT_MODEL  # the model that finds and links
    share: float = 1.0  # of the documents, chosen by their text
    documents: int | None = None  # how many are annotated; all by default
    least: float = 0.85  # the score of a link that is kept
    shard: int = 200  # documents of a file
    files: tuple[str, ...] = ()  # your own text instead of MEDLINE's and eLife's abstracts


def annotate_recipe(
    recipe: Recipe, *, data: Path, out: Path, report: Log, encoder: Path | None = None
) -> None:
    """Annotate the recipe's text and write the model folder `out`.

    Documents of the recipe's `held_out` splits are removed. Finished shards are kept beside `out`
    until all are there, so that a run that was stopped goes on.
    """
    if encoder is not None:
        raise UsageError(f"recipe {recipe.name!r} has no use for an --encoder")
    (config,) = read_parts(recipe, TextConfig)
    kb = kb_of(recipe, data=data)
    pipeline = load(kb, model=config.linker, top=1)
    splits = parse_splits(recipe.trained.held_out)
    shared = build_shared_text(
        d for name, part in splits for d in load_corpus(name, part, data=data)
    )
    work = out.with_name(f"{out.name}-checkpoints")
    work.mkdir(parents=True, exist_ok=True)
    _check_settings(
        work / SETTINGS,
        {
            **asdict(config),
            "files": list(config.files),
            "kb": kb.manifest.digest,
            "linker": pipeline.digest,
            "held_out": list(recipe.trained.held_out),
        },
    )
    total = sum(1 for _ in _documents(config, data))
    documents = _documents(config, data)
    removed = write_shards(documents, pipeline, shared, config, work, report, total=total)
    about = {
        "recipes": [recipe.name],
        "training_data": list(config.files) or ["MEDLINE and eLife abstracts"],
        "kb": kb.name,
        "kb_digest": kb.manifest.digest,
        "linker_digest": pipeline.digest,
        "least": config.least,
        "removed_as_evaluated": removed,
        "held_out": list(recipe.trained.held_out),
    }
    _publish(work, out, about, report)


def _check_settings(path: Path, settings: dict[str, Any]) -> None:
    """A UsageError if the shards that are there were made in another way."""
    if not path.exists():
        if any(path.parent.glob(PATTERN)):
            raise UsageError(f"{path.parent}: shards of unknown settings; delete it to begin anew")
        write_durably(path, json.dumps(settings).encode())
    elif json.loads(path.read_text(encoding="utf-8")) != settings:
        raise UsageError(f"{path.parent}: shards of other settings; delete it to begin anew")


def _publish(work: Path, out: Path, about: dict[str, Any], report: Log) -> None:
    """Copy the finished shards into the model folder."""
    texts = list(read_shards(work))
    entities = count_entities(texts)
    report(
        f"{len(texts):,} documents, {entities.total():,} mentions of {len(entities):,} entities; "
        f"{about['removed_as_evaluated']:,} documents removed as evaluated"
    )
    counts = {"documents": len(texts), "mentions": entities.total(), "entities": len(entities)}
    with artifacts.publish(out) as scratch:
        for path in sorted(work.glob(PATTERN)):
            shutil.copyfile(path, scratch / path.name)
        artifacts.write_manifest(scratch, kind=KIND, version=VERSION, config={**about, **counts})


def write_shards(
    documents: Iterable[Document],
    linker: Step | Pipeline,
    shared: SharedText,
    config: TextConfig,
    folder: Path,
    report: Log,
    *,
    total: int,
) -> int:
    """Annotate what has no shard yet; how many documents were removed as evaluated."""
    stream, number, removed = iter(documents), 0, 0
    began, annotated = time.monotonic(), 0
    while block := list(islice(stream, config.shard)):
        path = shard_path(folder, number)
        kept = [d for d in block if shared.reason(Fingerprint.of(d)) is None]
        removed += len(block) - len(kept)
        if not path.exists():
            linked = linker.pipe(kept)
            write_shard((AnnotatedText.of(d, least=config.least) for d in linked), path)
            annotated += len(block)
            done = number * config.shard + len(block)
            seconds = (time.monotonic() - began) / annotated * max(0, total - done)
            report(f"{done:,} of {total:,} documents annotated{time_left(seconds)}")
        number += 1
    return removed


def _documents(config: TextConfig, data: Path) -> Iterator[Document]:
    """Each once, with an id."""
    found: Iterator[Document]
    if config.files:
        found = (d for file in config.files for d in load_corpus(str(data / file), "", data=data))
    else:
        found = read_abstract_documents(data)
    chosen = (document for document in found if _is_chosen(document, config.share))
    return islice(chosen, config.documents)


def _is_chosen(document: Document, share: float) -> bool:
    if share >= 1.0:
        return True
    digest = hashlib.sha256(document.text.encode("utf-8", "replace")).digest()
    return int.from_bytes(digest[:8], "big") / 2**64 < share

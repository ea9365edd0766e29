"""The knowledge bases that recipes link to, built once and kept in the home folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast import artifacts
from holdfast.corpora.named import TrainingData, load_corpus, load_training
from holdfast.corpora.named.splits import parse_split, split_name
from holdfast.document import Document, Relation
from holdfast.errors import KnowledgeBaseError, UsageError
from holdfast.experiments.medmentions_kb import MEDMENTIONS, medmentions_kb
from holdfast.experiments.recipe import Evaluate, KbSpec, Recipe
from holdfast.experiments.retired_ids import retired_ids
from holdfast.kb.build import Source, build_kb
from holdfast.kb.derive import records_by_source, rows_of_types
from holdfast.kb.open.vocabularies import get, is_current, is_open
from holdfast.kb.readers import READERS
from holdfast.kb.records import Addition, Record
from holdfast.kb.store import KnowledgeBase, open_kb
from holdfast.progress import Progress
from holdfast.text.abbreviations import long_forms
from holdfast.types import canonical_type

_SEED: Final = 13  # of which entities are removed


def kb_of(
    recipe: Recipe, split: str = "", *, data: Path, progress: Progress | None = None
) -> KnowledgeBase:
    """The recipe's knowledge base, with the training mentions as names where it asks for them.

    `split` is what is linked: a corpus's own concepts are those of its train split and of this one.
    """
    spec = recipe.kb
    if spec is None:
        raise UsageError(f"recipe {recipe.name!r} has no [kb]")
    if spec.concepts_of:
        if spec.concepts_of != MEDMENTIONS:
            raise UsageError(f"recipe {recipe.name!r}: no concepts of {spec.concepts_of!r}")
        return medmentions_kb(split, data=data, progress=progress)
    base = _base(spec, data=data, progress=progress)
    measured = recipe.evaluate
    removed = measured.removed if measured else 0.0
    if not spec.training_names and not spec.types and not removed:
        return base
    corpus = measured.corpus if measured else ""
    chosen: list[object] = [corpus, spec.training_names, spec.types]
    if measured and removed:
        chosen += [measured.split, measured.only, removed]
    key = _key([base.manifest.digest, *chosen])
    folder = _folder(f"{base.name}-{key}")
    try:
        return KnowledgeBase(folder)
    except KnowledgeBaseError:
        parts = _parts(base, recipe, data)
        build_kb(folder, name=base.name, parts=parts, progress=progress)
        return KnowledgeBase(folder)


def _base(spec: KbSpec, *, data: Path, progress: Progress | None) -> KnowledgeBase:
    if spec.get:
        if is_open(spec.get) and not is_current(spec.get):
            get(spec.get, progress=progress)
        return open_kb(spec.get)
    if spec.reader not in READERS:
        raise UsageError(f"no reader is called {spec.reader!r}; there is: {', '.join(READERS)}")
    path = data / spec.path
    if not path.exists():
        raise UsageError(f"{path}: not there; --data must name a folder that has it")
    key = _key([asdict(spec) | {"types": ()}, artifacts.sha256_of(path)])
    folder = _folder(f"{spec.reader}-{key}")
    try:
        return KnowledgeBase(folder)
    except KnowledgeBaseError:
        source = Source(path.name, origin=spec.reader)
        records = READERS[spec.reader](path, **spec.options)
        build_kb(folder, name=path.stem, parts=[(source, records)], progress=progress)
        return KnowledgeBase(folder)


def _parts(
    base: KnowledgeBase, recipe: Recipe, data: Path
) -> Iterator[tuple[Source, Iterator[Record]]]:
    assert recipe.kb is not None
    rows = rows_of_types(base, recipe.kb.types) if recipe.kb.types else np.arange(len(base))
    measured = recipe.evaluate
    if measured and measured.removed:
        rows = np.setdiff1d(rows, _removed(base, measured, data))
    yield from records_by_source(base, rows.tolist())
    if not recipe.kb.training_names:
        return
    ids = gold_ids(recipe, base, data=data)
    only = measured.only if measured else ()
    for part in _training(recipe, data).parts:
        source = Source(f"mentions of {split_name((part.corpus, part.split))}")
        yield source, training_names(part.documents, only=only, ids=ids)


def _training(recipe: Recipe, data: Path) -> TrainingData:
    """The mentions that become names. "dev" is the recipe's corpus, "biored train" another."""
    own = recipe.evaluate.corpus if recipe.evaluate else ""
    mixture = [parse_split(text, own=own).split for text in recipe.training_names]
    return load_training(mixture, evaluated=recipe.evaluated, data=data)


def _removed(base: KnowledgeBase, measured: Evaluate, data: Path) -> npt.NDArray[np.int64]:
    """Some of the entities that the evaluated split mentions, the same on every run."""
    ids = primary_ids(base)
    wanted = {canonical_type(type) for type in measured.only}
    mentioned = {
        ids.get(id, id)
        for document in load_corpus(measured.corpus, measured.split, data=data)
        for mention in document.mentions
        if not wanted or canonical_type(mention.type) in wanted
        for id in mention.ids
    }
    rows = sorted(row for id in mentioned if (row := base.row_of(id)) is not None)
    count = round(measured.removed * len(rows))
    return np.random.default_rng(_SEED).choice(rows, count, replace=False)


def training_names(
    documents: Iterable[Document], *, only: tuple[str, ...], ids: Mapping[str, str]
) -> Iterator[Record]:
    """Each gold mention of one entity as a name of it, short forms by their long forms."""
    for document in documents:
        meant = long_forms(document.text)
        for mention in document.mentions:
            if len(mention.ids) == 1 and (not only or canonical_type(mention.type) in only):
                surface = document.text_of(mention)
                id = mention.ids[0]
                yield Addition(ids.get(id, id), synonyms=(meant.get(surface, surface),))


def primary_ids(kb: KnowledgeBase) -> Mapping[str, str]:
    """Looks up the entity that an alternate id belongs to; ids of the base map to themselves."""
    return _PrimaryIds(kb)


def with_primary_ids(documents: Iterable[Document], ids: Mapping[str, str]) -> Iterator[Document]:
    """The documents with alternate ids replaced by the primary ones, each once."""
    for document in documents:
        mentions = (
            replace(m, ids=tuple(dict.fromkeys(ids.get(id, id) for id in m.ids)))
            for m in document.mentions
        )
        yield replace(
            document,
            mentions=tuple(mentions),
            relations=tuple(_with_primary_ids(r, ids) for r in document.relations),
        )


def _with_primary_ids(relation: Relation, ids: Mapping[str, str]) -> Relation:
    arguments = (
        replace(a, entity_id=ids.get(a.entity_id, a.entity_id)) for a in relation.arguments
    )
    return replace(relation, arguments=tuple(arguments))


def gold_ids(recipe: Recipe, kb: KnowledgeBase, *, data: Path) -> Mapping[str, str]:
    """`primary_ids`; with training mentions as names, also retired ids that only they explain."""
    known = primary_ids(kb)
    if not recipe.training_names:
        return known
    return _PrimaryIds(kb, retired_ids(_training(recipe, data).documents, kb, known=known))


class _PrimaryIds(Mapping[str, str]):
    def __init__(self, kb: KnowledgeBase, retired: Mapping[str, str] | None = None) -> None:
        self._kb = kb
        self._retired = retired or {}

    def __getitem__(self, id: str) -> str:
        if id in self._kb:
            return id
        if id in self._retired:
            return self._retired[id]
        rows = self._kb.rows_with_xref(id)
        if not rows:
            raise KeyError(id)
        return self._kb.id_at(rows[0])

    def __iter__(self) -> Iterator[str]:
        return (self._kb.id_at(row) for row in range(len(self._kb)))

    def __len__(self) -> int:
        return len(self._kb)


def _folder(name: str) -> Path:
    """Apart from the knowledge bases that people name: `kb info` does not list these."""
    return artifacts.home() / "recipes" / name


def _key(parts: list[object]) -> str:
    return hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()[:12]

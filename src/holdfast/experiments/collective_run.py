"""Measures dual encoders and what they are compared with, by a recipe."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final

from holdfast.bench.scispacy_peer import linked_by_scispacy, scispacy_python
from holdfast.blocks import in_blocks
from holdfast.corpora.named import load_corpus
from holdfast.document import Document
from holdfast.errors import UsageError
from holdfast.evaluate.gold_mentions import RankedCase, score_ranked
from holdfast.evaluate.in_kb import OF_ENTITIES, linkable, with_in_kb
from holdfast.evaluate.protocols import score_documents
from holdfast.evaluate.report import Report
from holdfast.experiments.collective_kb import collective_kb
from holdfast.experiments.recipe import Recipe
from holdfast.experiments.recipe_kb import primary_ids, with_primary_ids
from holdfast.experiments.run import Outcome, blank, model_folder
from holdfast.kb.build import Progress
from holdfast.kb.store import KnowledgeBase
from holdfast.systems.collective.bm25 import Bm25Index
from holdfast.systems.collective.cross import CrossEncoderModel
from holdfast.systems.collective.entities import Nearest
from holdfast.systems.collective.linker import CollectiveAnnotator, CollectiveLinker
from holdfast.systems.collective.model import recipe_of

RANKED: Final = 100  # entities ranked for a mention; what comes later adds next to nothing to MAP
CANDIDATES: Final = 10  # that a cross-encoder compares
_TOGETHER: Final = 16  # documents

Retrieve = Callable[[Document, int], list[list[Nearest]]]


@dataclass(frozen=True, slots=True)
class _Ranker:
    """Ranks entities for the mentions of some documents, and says what it was made of."""

    rank: Callable[[list[Document], list[Document]], list[list[list[Nearest]]]]  # blank, gold
    digest: str | None


def run_collective(
    recipe: Recipe, *, data: Path, model: Path | None, progress: Progress
) -> Outcome:
    """`ranked` over gold mentions, or an end-to-end protocol.

    What "scispacy" links is what the dual encoder of its recipe's `model` finds.
    """
    kb = collective_kb(recipe, recipe.split, data=data, progress=progress)
    documents = islice(
        load_corpus(recipe.corpus, recipe.split, data=data), recipe.settings.get("documents")
    )
    if recipe.protocol == "ranked":
        return _ranked(recipe, kb, documents, model, progress)
    peer = scispacy_python() if recipe.linker == "scispacy" else None
    annotate = CollectiveAnnotator.open(
        trained_folder(recipe, model),
        kb,
        top=1,
        names=recipe.settings.get("names"),
        progress=lambda part: progress("encoding entities", 0.5 * part),
    )
    gold = list(documents)
    bare = (replace(document, mentions=(), relations=()) for document in gold)
    found = list[Document]()
    for document in annotate.pipe(bare):
        found.append(document)
        progress("linking", 0.5 + 0.5 * len(found) / len(gold))
    if peer:
        found = linked_by_scispacy(found, kb, python=peer)
    protocols = (recipe.protocol, *recipe.also)
    reports = (score_found(gold, found, kb, protocol=p, only=recipe.only) for p in protocols)
    return Outcome(tuple(_said(recipe, report) for report in reports), kb, annotate.digest)


def score_found(
    gold: Sequence[Document],
    found: Sequence[Document],
    kb: KnowledgeBase,
    *,
    protocol: str,
    only: Sequence[str],
) -> Report:
    """The figures over all gold mentions and, as `…_in_kb`, over those that can be linked."""
    if protocol not in OF_ENTITIES:
        return score_documents(gold, found, protocol=protocol, only=only)
    known = primary_ids(kb)
    every = list(with_primary_ids(gold, known))
    whole, part = (
        score_documents(documents, found, protocol=protocol, only=only)
        for documents in (every, linkable(every, known))
    )
    return with_in_kb(whole, part)


def _ranked(
    recipe: Recipe,
    kb: KnowledgeBase,
    documents: Iterable[Document],
    model: Path | None,
    progress: Progress,
) -> Outcome:
    ranker = _ranker(recipe, kb, model, progress)
    ids = primary_ids(kb)
    cases = list[RankedCase]()
    gold = list(documents)
    for number, block in enumerate(in_blocks(gold, _TOGETHER)):
        progress("linking", 0.5 + 0.5 * number * _TOGETHER / len(gold))
        ranked = ranker.rank([blank(document) for document in block], block)
        for document, found in zip(block, ranked, strict=True):
            for mention, near in zip(document.mentions, found, strict=True):
                answer = frozenset(ids.get(id, id) for id in mention.ids)
                ranking = tuple(kb.id_at(n.entity) for n in near)
                cases.append(RankedCase(answer, ranking, document.id))
    report = score_ranked(cases, entities=kb)
    return Outcome((_said(recipe, report),), kb, ranker.digest)


def _said(recipe: Recipe, report: Report) -> Report:
    """With what must be said of the corpus."""
    is_rebuilt = recipe.corpus.startswith("medmentions")
    return report.with_context(rebuilt=True) if is_rebuilt else report


def _ranker(recipe: Recipe, kb: KnowledgeBase, model: Path | None, progress: Progress) -> _Ranker:
    if recipe.linker == "bm25":
        retrieve = bm25_retriever(kb)
        return _Ranker(lambda bare, _: [retrieve(document, RANKED) for document in bare], None)
    if recipe.linker in ("collective", "single"):
        linker = _linker(recipe, trained_folder(recipe, model), kb, progress)
        return _Ranker(lambda bare, _: linker.nearest_in(bare, RANKED), linker.digest)
    if recipe.linker not in ("cross", "blink"):
        raise UsageError(f"recipe {recipe.name!r}: {recipe.linker!r} does not rank entities")
    cross = CrossEncoderModel.open(trained_folder(recipe, model))
    if recipe.linker == "cross":
        retrieve = bm25_retriever(kb)
    else:
        retrieve = _linker(recipe, _retriever(recipe), kb, progress).nearest
    is_added = bool(recipe.settings.get("gold_added"))

    def rank(bare: Document, gold: Document) -> list[list[Nearest]]:
        near = retrieve(bare, CANDIDATES)
        if is_added:
            near = [_with_gold(n, m.ids, kb) for n, m in zip(near, gold.mentions, strict=True)]
        return cross.rerank(bare, near, kb)

    return _Ranker(lambda bare, gold: list(map(rank, bare, gold)), cross.digest)


def bm25_retriever(kb: KnowledgeBase) -> Retrieve:
    """Entities by the words of each mention."""
    index = Bm25Index.build(kb)

    def retrieve(document: Document, k: int) -> list[list[Nearest]]:
        return index.search([document.text_of(m) for m in document.mentions], k)

    return retrieve


def _with_gold(near: Sequence[Nearest], ids: Sequence[str], kb: KnowledgeBase) -> list[Nearest]:
    """The candidates and whatever gold entity is missing, as the rows marked † have them."""
    known = primary_ids(kb)
    rows = [kb.row_of(known[id]) for id in ids if id in known]
    missing = {row for row in rows if row is not None} - {n.entity for n in near}
    return [*near, *(Nearest(row, int(kb.first_name[row]), 0.0) for row in sorted(missing))]


def _linker(
    recipe: Recipe, folder: Path, kb: KnowledgeBase, progress: Progress
) -> CollectiveLinker:
    options: dict[str, Any] = {"top": RANKED, "names": recipe.settings.get("names")}
    return CollectiveLinker.open(
        folder, kb, progress=lambda part: progress("encoding entities", 0.5 * part), **options
    )


def trained_folder(recipe: Recipe, model: Path | None) -> Path:
    """What is measured: the model that is given, or that of the recipe or of its `model`."""
    return _there(model or model_folder(recipe.model or recipe.name))


def _retriever(recipe: Recipe) -> Path:
    """The model that retrieves candidates for a cross-encoder."""
    if "retriever" not in recipe.settings:
        raise UsageError(f"recipe {recipe.name!r}: it has no setting `retriever`")
    return _there(model_folder(str(recipe.settings["retriever"])))


def _there(folder: Path) -> Path:
    if not folder.exists():
        raise UsageError(f"{folder}: not there; first `holdfast train {recipe_of(folder.name)}`")
    return folder

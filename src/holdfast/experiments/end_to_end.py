"""End to end: where are the mentions, and which entities? The model reads bare text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

from holdfast.bench.scispacy_peer import linked_by_scispacy, scispacy_python
from holdfast.corpora.named import load_corpus
from holdfast.document import Document
from holdfast.errors import UsageError
from holdfast.evaluate.equality import Equivalents
from holdfast.evaluate.in_kb import OF_ENTITIES, linkable, with_in_kb
from holdfast.evaluate.protocols import score_documents
from holdfast.evaluate.report import Report
from holdfast.experiments.given import is_unlinked_name
from holdfast.experiments.outcome import Outcome, flag_rebuilt
from holdfast.experiments.recipe import Evaluate, Recipe
from holdfast.experiments.recipe_kb import kb_of, primary_ids, with_primary_ids
from holdfast.kb.store import KnowledgeBase
from holdfast.parts import Models
from holdfast.pipeline import load
from holdfast.progress import Progress


def run_end_to_end(recipe: Recipe, model: Models, *, data: Path, progress: Progress) -> Outcome:
    """Find and link in the texts of the recipe's split, and score by all of its protocols."""
    measured = recipe.measured
    if measured.peer not in ("", "scispacy"):
        raise UsageError(f"recipe {recipe.name!r}: no peer is called {measured.peer!r}")
    peer = scispacy_python() if measured.peer else None
    kb = kb_of(recipe, measured.split, data=data, progress=progress)
    pipeline = load(kb, model=model, only=measured.only or None, top=1, progress=progress)
    documents = islice(load_corpus(measured.corpus, measured.split, data=data), measured.documents)
    gold = list(with_primary_ids(documents, primary_ids(kb)))
    bare = (replace(document, mentions=(), relations=()) for document in gold)
    found = list(_counted(pipeline.pipe(bare), len(gold), progress))
    if peer:
        found = linked_by_scispacy(found, kb, python=peer)
    reports = (
        score_found(measured, gold, found, kb, protocol=protocol)
        for protocol in (measured.protocol, *measured.also)
    )
    flagged = tuple(flag_rebuilt(report, measured.corpus) for report in reports)
    return Outcome(flagged, kb, pipeline.digest or None)


def _counted(documents: Iterable[Document], count: int, progress: Progress) -> Iterator[Document]:
    for number, document in enumerate(documents, start=1):
        yield document
        progress("linking", number / count)


def score_found(
    measured: Evaluate,
    gold: Sequence[Document],
    found: Sequence[Document],
    kb: KnowledgeBase,
    *,
    protocol: str,
) -> Report:
    """The figures over all gold mentions and, as `…_in_kb`, over those that can be linked."""
    # Several vocabularies have ids for the same thing; a corpus uses those of one.
    equivalents: Equivalents | None = kb.equivalents if len(kb.sources) > 1 else None
    score = partial(score_documents, protocol=protocol, equivalents=equivalents)
    if measured.vocabularies:
        return _score_vocabularies(measured.vocabularies, gold, found, score)
    report = score(gold, found, only=measured.only)
    if protocol in OF_ENTITIES:
        part = score(linkable(gold, primary_ids(kb)), found, only=measured.only)
        report = with_in_kb(report, part)
    for type in measured.only if measured.by_type else ():
        own = score(gold, found, only=[type], resamples=1)
        report = report.with_context(
            **{
                f"f1_{type.lower()}": own["f1"],
                f"n_scored_{type.lower()}": own.counts["n_scored"],
            }
        )
    return report


def _score_vocabularies(
    vocabularies: Sequence[str],
    gold: Sequence[Document],
    found: Sequence[Document],
    score: Callable[..., Report],
) -> Report:
    """Over the mentions with ids of the given vocabularies, and over those of each alone.

    A corpus that annotates by ontology says nothing of what other ontologies would call a mention.
    """
    kept = partial(_with_prefixes, prefixes=vocabularies)
    mentions = [mention for document in found for mention in document.mentions]
    share = sum(map(is_unlinked_name, mentions)) / max(1, len(mentions))
    report = score(kept(gold), kept(found)).with_context(nil_with_exact_name=round(share, 4))
    for prefix in vocabularies:
        own = partial(_with_prefixes, prefixes=(prefix,))
        part = score(own(gold), own(found), resamples=1)
        figures = {f"{key}_{prefix.lower()}": part[key] for key in ("precision", "recall", "f1")}
        counts = {f"n_scored_{prefix.lower()}": part.counts["n_scored"]}
        report = report.with_context(**figures, **counts)
    return report


def _with_prefixes(documents: Iterable[Document], *, prefixes: Sequence[str]) -> list[Document]:
    """The documents with the mentions that have an id of one of these vocabularies."""
    wanted = tuple(f"{prefix}:" for prefix in prefixes)
    return [
        document.with_mentions(
            mention
            for mention in document.mentions
            if any(id.startswith(wanted) for id in mention.ids)
        )
        for document in documents
    ]

"""Relations between given entities: the model sees gold mentions with their ids, and the text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final

from holdfast.corpora.named import load_corpus
from holdfast.document import Argument, Document, Relation, Span
from holdfast.evaluate.protocols import score_documents
from holdfast.evaluate.report import Report
from holdfast.experiments.outcome import Outcome
from holdfast.experiments.recipe import Recipe
from holdfast.experiments.recipe_kb import kb_of, primary_ids, with_primary_ids
from holdfast.kinds import kind_of
from holdfast.models import manifest_of
from holdfast.parts import Models
from holdfast.progress import Progress
from holdfast.step import Options
from holdfast.systems.kebiolm.relations.pairs import RelationShape, questions_of
from holdfast.systems.kebiolm.relations.relater import BOUNDED
from holdfast.text.sentences import split_sentences

_ALL: Final = 1 << 40  # pairs: no bound


def run_given_relations(
    recipe: Recipe, model: Models, *, data: Path, progress: Progress
) -> Outcome:
    """Relate the gold entities of the recipe's split; two baselines stand beside the figures."""
    measured = recipe.measured
    kb = kb_of(recipe, measured.split, data=data, progress=progress)
    folder = Path(model if isinstance(model, str | Path) else model[-1])
    step = kind_of(folder).open(folder, kb, Options(progress=progress))
    documents = islice(load_corpus(measured.corpus, measured.split, data=data), measured.documents)
    gold = list(with_primary_ids(documents, primary_ids(kb)))
    bare = (replace(document, relations=()) for document in gold)
    found = list(_counted(step.pipe(bare), len(gold), progress))
    report = score_documents(gold, found, protocol="relations")
    config = manifest_of(folder).config
    shape = RelationShape.of(config)
    report = with_baselines(report, gold, shape).with_context(
        given="gold mentions and ids",
        drops_hypernyms=bool(config["drops_hypernyms"]),
        n_documents_bounded=sum(BOUNDED in dict(document.metadata) for document in found),
    )
    return Outcome((report,), kb, step.digest or None)


def with_baselines(report: Report, gold: Iterable[Document], shape: RelationShape) -> Report:
    """The report with the F1 of all pairs of a document, and of those that share a sentence."""
    gold = list(gold)
    for name, within in (("all_pairs", False), ("sentence_pairs", True)):
        pairs = [related_by_rule(document, shape, within_sentences=within) for document in gold]
        own = score_documents(gold, pairs, protocol="relations", resamples=1)
        report = report.with_context(
            **{f"{key}_{name}": own[key] for key in ("precision", "recall", "f1", "pair_f1")}
        )
    return report


def related_by_rule(
    document: Document, shape: RelationShape, *, within_sentences: bool
) -> Document:
    """The document with a relation for every pair of the shape's types, of its first label."""
    spans = list(split_sentences(document.text)) if within_sentences else []
    relations = list[Relation]()
    for question in questions_of(document, shape, most=_ALL).questions:
        here = {_place(m.start, spans) for m in question.head.mentions}
        for tail in question.tails:
            if here & {_place(m.start, spans) for m in tail.mentions}:
                ends = Argument(question.head.id), Argument(tail.id)
                relations.append(Relation(shape.labels[0], ends))
    return replace(document, relations=tuple(relations))


def _place(start: int, spans: list[Span]) -> int:
    """The sentence that an offset is in; the same for all where there are no sentences."""
    return sum(span.start <= start for span in spans)


def _counted(documents: Iterable[Document], count: int, progress: Progress) -> Iterator[Document]:
    for number, document in enumerate(documents, start=1):
        yield document
        progress("relating", number / count)

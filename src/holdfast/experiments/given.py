"""Given mentions, `strict` and `ranked`: which entity? The model sees their places and no more."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from holdfast.corpora.named import load_corpus
from holdfast.document import NIL, Candidate, Document, Mention
from holdfast.evaluate.calibration import auroc, brier_score, expected_calibration_error
from holdfast.evaluate.gold_mentions import RankedCase, StrictCase, score_ranked, score_strict
from holdfast.evaluate.report import Report
from holdfast.experiments.outcome import Outcome, flag_rebuilt
from holdfast.experiments.recipe import Recipe
from holdfast.experiments.recipe_kb import gold_ids, kb_of
from holdfast.kb.store import KnowledgeBase
from holdfast.parts import Models
from holdfast.pipeline import Pipeline, load
from holdfast.progress import Progress
from holdfast.types import canonical_type

_NO_ID = (NIL, "-1", "-")


@dataclass(frozen=True, slots=True)
class _Linked:
    """A gold mention and what the model made of its place."""

    document: str
    gold: frozenset[str]  # primary ids
    type: str  # canonical
    mention: Mention

    @property
    def strict(self) -> StrictCase:
        ranking = tuple((c.entity_id, c.score) for c in self.mention.candidates)
        return StrictCase(self.gold, ranking, self.document)

    @property
    def ranked(self) -> RankedCase:
        return RankedCase(
            self.gold, tuple(c.entity_id for c in self.mention.candidates), self.document
        )


def run_given_mentions(recipe: Recipe, model: Models, *, data: Path, progress: Progress) -> Outcome:
    """Link the gold mentions of the recipe's split, with nothing but their places."""
    measured = recipe.measured
    kb = kb_of(recipe, measured.split, data=data, progress=progress)
    pipeline = load(kb, model=model, marked=True, top=measured.top, progress=progress)
    ids = gold_ids(recipe, kb, data=data)
    documents = islice(load_corpus(measured.corpus, measured.split, data=data), measured.documents)
    gold = [of_types(document, measured.only) for document in documents]
    if measured.gold_added:
        found = _with_gold_added(pipeline, gold, ids, kb)
    else:
        found = pipeline.pipe(map(blank, gold))
    linked = list(_linked(gold, found, ids, progress))
    if measured.protocol == "ranked":
        report = score_ranked([case.ranked for case in linked], entities=kb)
    else:
        report = _strict_report(recipe, linked, kb)
    return Outcome((flag_rebuilt(report, measured.corpus),), kb, pipeline.digest or None)


def _linked(
    gold: Sequence[Document],
    found: Iterable[Document],
    ids: Mapping[str, str],
    progress: Progress,
) -> Iterator[_Linked]:
    for number, (document, answered) in enumerate(zip(gold, found, strict=True)):
        progress("linking", number / len(gold))
        for mention, answer in zip(document.mentions, answered.mentions, strict=True):
            known = frozenset(ids.get(id, id) for id in mention.ids)
            yield _Linked(document.id, known, canonical_type(mention.type), answer)


def _strict_report(recipe: Recipe, linked: Sequence[_Linked], kb: KnowledgeBase) -> Report:
    measured = recipe.measured
    cases = [case.strict for case in linked]
    report = score_strict(cases, entities=kb)
    if measured.calibration:
        unlinked = sum(is_unlinked_name(case.mention) for case in linked)
        report = report.with_context(
            **_calibration(cases, kb, nil=bool(measured.removed)),
            nil_with_exact_name=round(unlinked / max(1, len(cases)), 4),
        )
    return report.with_context(**_by_type(linked, kb)) if measured.by_type else report


def _by_type(linked: Sequence[_Linked], kb: KnowledgeBase) -> dict[str, float]:
    """The figures of each type of gold mention alone."""
    of_type = defaultdict[str, list[_Linked]](list)
    unlinked = Counter[str]()
    for case in linked:
        of_type[case.type].append(case)
        unlinked[case.type] += is_unlinked_name(case.mention)
    figures = dict[str, float]()
    for type, cases in sorted(of_type.items()):
        own = score_strict([case.strict for case in cases], entities=kb, resamples=1)
        figures |= {
            f"accuracy_at_1_{type.lower()}": own["accuracy_at_1"],
            f"n_scored_{type.lower()}": own.counts["n_scored"],
            f"n_in_kb_{type.lower()}": own.counts["n_in_kb"],
            f"nil_with_exact_name_{type.lower()}": round(unlinked[type] / len(cases), 4),
        }
    return figures


def _calibration(cases: Sequence[StrictCase], kb: KnowledgeBase, *, nil: bool) -> dict[str, float]:
    """Whether the first candidate's score is the probability that it is right.

    With `nil`, also how well it tells mentions of entities that the knowledge base lacks.
    """
    scored = [case for case in cases if any(id not in _NO_ID for id in case.gold)]
    claimed = [case.ranking[0][1] if case.ranking else 0.0 for case in scored]
    right = [bool(case.ranking) and case.ranking[0][0] in case.gold for case in scored]
    figures = {
        "calibration_error": expected_calibration_error(claimed, right),
        "brier_score": brier_score(claimed, right),
    }
    if nil:
        is_there = [any(id in kb for id in case.gold) for case in scored]
        figures["nil_auroc"] = auroc(claimed, is_there)
    return figures


def _with_gold_added(
    pipeline: Pipeline, gold: Sequence[Document], ids: Mapping[str, str], kb: KnowledgeBase
) -> Iterator[Document]:
    """What the last step ranks once gold entities have joined the candidates of those before.

    The rows that the dual-encoder paper marks with a dagger are measured so.
    """
    first, last = Pipeline(pipeline.steps[:-1]), Pipeline(pipeline.steps[-1:])
    for document, found in zip(gold, first.pipe(map(blank, gold)), strict=True):
        mentions = zip(document.mentions, found.mentions, strict=True)
        joined = (_joined_by_gold(mention, answer, ids, kb) for mention, answer in mentions)
        yield last(found.with_mentions(joined))


def _joined_by_gold(
    gold: Mention, answer: Mention, ids: Mapping[str, str], kb: KnowledgeBase
) -> Mention:
    listed = {candidate.entity_id for candidate in answer.candidates}
    known = [ids[id] for id in gold.ids if id in ids]
    rows = {row for id in known if id not in listed and (row := kb.row_of(id)) is not None}
    added = (
        Candidate(kb.id_at(row), kb.name_at(int(kb.first_name[row])), 0.0, label=kb.label_at(row))
        for row in sorted(rows)
    )
    return replace(answer, candidates=(*answer.candidates, *added))


def is_unlinked_name(mention: Mention) -> bool:
    """Whether the mention is NIL although its best candidate has exactly its words as a name."""
    best = mention.candidates[:1]
    return mention.is_nil and any(e.kind in ("exact", "used") for c in best for e in c.evidence)


def of_types(document: Document, only: Sequence[str]) -> Document:
    """The document with its gold mentions of those types, all of them if none are named."""
    wanted = {canonical_type(type) for type in only}
    return document.with_mentions(
        m for m in document.mentions if not wanted or canonical_type(m.type) in wanted
    )


def blank(document: Document) -> Document:
    """The document with the places of its mentions, and nothing that says what they are."""
    return document.with_mentions(
        replace(mention, type="", ids=(), parts=()) for mention in document.mentions
    )

"""Disambiguation: which candidate's description does a mention in context resemble most?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from holdfast.document import Span
from holdfast.errors import UsageError
from holdfast.experiments.bier.disambiguation_set import (
    DisambiguationQuestion,
    counts_of,
    load_questions,
)
from holdfast.experiments.bier.labels import report_of
from holdfast.experiments.bier.represented import TOP
from holdfast.experiments.outcome import Outcome
from holdfast.experiments.recipe import Recipe
from holdfast.experiments.recipe_kb import kb_of
from holdfast.progress import Progress
from holdfast.systems.bier.diagnosis.diagnose import Answer, Case
from holdfast.systems.bier.logistic import fit_logistic
from holdfast.systems.bier.model import Encoded, Floats, TypingModel

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class EncodedQuestions:
    """Questions with the vectors of their mentions and of all their candidates, in order."""

    questions: Sequence[DisambiguationQuestion]
    mentions: Encoded
    candidates: Encoded
    starts: npt.NDArray[np.int64]  # the first candidate of each question, and the end

    def scores(self, form: str, metric: str) -> list[Floats]:
        """Of the candidates of each question, by dot product or cosine."""
        found = list[Floats]()
        for number in range(len(self.questions)):
            own = slice(self.starts[number], self.starts[number + 1])
            if form == "sparse":
                one = self.mentions.sparse[number : number + 1].dense()[0]
                others = self.candidates.sparse[own].dense()
            else:
                one, others = self.mentions.dense[number], self.candidates.dense[own]
            product = others @ one
            if metric == "cosine":
                product = product / np.maximum(
                    np.linalg.norm(others, axis=1) * np.linalg.norm(one), 1e-12
                )
            found.append(product)
        return found

    def right(self, form: str, metric: str, *, prior: bool = False) -> Bools:
        """Whether the nearest candidate is the right one; nearness added to the prior, if asked."""
        found = list[bool]()
        for question, scores in zip(self.questions, self.scores(form, metric), strict=True):
            weighed = scores + question.prior if prior else scores
            found.append(int(weighed.argmax()) == question.gold)
        return np.array(found, bool)


def ask(
    questions: Sequence[DisambiguationQuestion],
    mention_model: TypingModel,
    description_model: TypingModel,
) -> EncodedQuestions:
    """Encode the mentions with one model and the descriptions with the other.

    A UsageError if their types are not the same: the vectors would not be comparable.
    """
    if mention_model.types.names != description_model.types.names:
        raise UsageError(
            f"the typing model has {len(mention_model.types):,} types and that of descriptions "
            f"{len(description_model.types):,} others; train both over one type system"
        )
    rows = [
        row for q in questions for row in mention_model.rows_of(q.text, [(Span(q.start, q.end),)])
    ]
    described = [
        description_model.row_of_texts(c.name, c.description)
        for q in questions
        for c in q.candidates
    ]
    sizes = [len(q.candidates) for q in questions]
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return EncodedQuestions(
        questions,
        mention_model.encode(rows, top=TOP),
        description_model.encode(described, top=TOP),
        starts,
    )


def run_disambiguation(
    recipe: Recipe, folders: Sequence[Path], *, data: Path, progress: Progress
) -> Outcome:
    """Table 2: dot product and cosine, the prior, and EntEval's regression on an untuned encoder.

    The models are the typing model, that of descriptions, and perhaps the untuned encoder.
    """
    if len(folders) < 2:
        raise UsageError(f"recipe {recipe.name!r}: name a typing model and one of descriptions")
    kb = kb_of(recipe, "test", data=data, progress=progress)
    questions = load_questions(kb, data=data, progress=progress)
    test = [q for q in questions if q.split == recipe.measured.split]
    dev = [q for q in questions if q.split == "dev"]
    if not test:
        raise UsageError(f"recipe {recipe.name!r}: no question of {recipe.measured.split!r}")
    mention_model, description_model = map(TypingModel.open, folders[:2])
    asked, looked = (ask(part, mention_model, description_model) for part in (test, dev))
    columns = dict[str, Bools]()
    best = dict[str, Bools]()
    for form in ("sparse", "dense"):
        for metric in ("cosine", "dot"):
            columns[f"{form}_{metric}"] = asked.right(form, metric)
        metric = max(("cosine", "dot"), key=lambda m: int(looked.right(form, m).sum()))
        best[form] = columns[f"{form}_{metric}"]
        columns[f"{form}_with_prior"] = asked.right(form, "cosine", prior=True)
    columns["oracle"] = best["sparse"] | best["dense"]
    columns["popularity"] = np.array([q.popular == q.gold for q in test], bool)
    if len(folders) > 2:
        train = [q for q in questions if q.split == "train"]
        untuned = TypingModel.open(folders[2])
        columns["regression"] = _regression(train, test, untuned)
    report = report_of("disambiguation", columns, **counts_of(questions))
    return Outcome((report,), kb, mention_model.digest)


def _regression(
    train: Sequence[DisambiguationQuestion],
    test: Sequence[DisambiguationQuestion],
    model: TypingModel,
) -> Bools:
    """[x1, x2, x1 * x2, |x1 - x2|] to right or wrong, added to the prior."""
    learned, measured = (ask(part, model, model) for part in (train, test))
    features, places = _pairs(learned)
    classes = np.array([int(place == q.gold) for q, place in places], dtype=np.int64)
    classifier = fit_logistic(features, classes, count=2, decay=1e-2)
    features, places = _pairs(measured)
    scores = classifier.probabilities(features)[:, 1]
    right = list[bool]()
    for number, question in enumerate(test):
        own = scores[measured.starts[number] : measured.starts[number + 1]]
        right.append(int((own + question.prior).argmax()) == question.gold)
    return np.array(right)


def _pairs(asked: EncodedQuestions) -> tuple[Floats, list[tuple[DisambiguationQuestion, int]]]:
    places = [(q, place) for q in asked.questions for place in range(len(q.candidates))]
    sizes = np.diff(asked.starts)
    one = np.repeat(asked.mentions.dense, sizes, axis=0)
    other = asked.candidates.dense
    return np.concatenate([one, other, one * other, np.abs(one - other)], axis=1), places


def cases_of(asked: EncodedQuestions) -> list[Case]:
    """Every question as a case to diagnose: tables 11 and 12."""
    cases = list[Case]()
    sparse, dense = asked.scores("sparse", "cosine"), asked.scores("dense", "dot")
    for number, question in enumerate(asked.questions):

        def answer(
            place: int, number: int = number, question: DisambiguationQuestion = question
        ) -> Answer:
            row = int(asked.starts[number]) + place
            candidate = question.candidates[place]
            vectors = asked.candidates.sparse
            return Answer(candidate.name, candidate.id, vectors.types[row], vectors.values[row])

        by_types, by_vector = int(sparse[number].argmax()), int(dense[number].argmax())
        cases.append(
            Case(
                question.text[question.start : question.end],
                question.document,
                question.candidates[question.gold].id,
                asked.mentions.sparse.types[number],
                asked.mentions.sparse.values[number],
                answer(by_types),
                by_types == question.gold,
                answer(by_vector),
                by_vector == question.gold,
                answer(question.gold),
            )
        )
    return cases

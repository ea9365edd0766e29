"""Given variants: which id? And how many of the gold ids can be told from the document at all.

Corpora give a variant dbSNP's number where they know it, from outside of the text too. Such a
number is beyond whoever reads the document alone, so that the share of the others is a ceiling.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from holdfast.corpora.named import load_corpus
from holdfast.document import Document
from holdfast.evaluate.intervals import RESAMPLES, SEED, Ratio, Row
from holdfast.evaluate.report import Report, build_report
from holdfast.experiments.outcome import Outcome
from holdfast.experiments.recipe import Recipe
from holdfast.link.variants.linker import VariantLinker
from holdfast.text.variants.reading import tmvar_id
from holdfast.types import VARIANT, canonical_type


@dataclass(frozen=True, slots=True)
class VariantCase:
    """A mention of a variant: its gold ids, what was answered, and the text of its document."""

    gold: frozenset[str]
    answer: frozenset[str]  # empty: it could not be read
    text: str
    document: str


def run_variants(recipe: Recipe, *, data: Path) -> Outcome:
    """Link the gold variants of the recipe's split, of which only the places and types are kept."""
    link = VariantLinker(untyped=False, top=1)
    cases = list[VariantCase]()
    for document in load_corpus(recipe.measured.corpus, recipe.measured.split, data=data):
        cases += _cases(document, link)
    return Outcome((score_variants(cases),), None)


def _cases(document: Document, link: VariantLinker) -> Iterable[VariantCase]:
    gold = [m for m in document.mentions if canonical_type(m.type) == VARIANT]
    bare = document.with_mentions(replace(m, ids=(), parts=()) for m in gold)
    for mention, linked in zip(gold, link(bare).mentions, strict=True):
        ids = frozenset(map(tmvar_id, mention.ids if mention.is_linked else ()))
        answer = frozenset(map(tmvar_id, linked.ids if linked.is_linked else ()))
        yield VariantCase(ids, answer, document.text, document.id)


def score_variants(
    cases: Iterable[VariantCase], *, resamples: int = RESAMPLES, seed: int = SEED
) -> Report:
    """`accuracy_at_1`, the `ceiling` of who reads the document alone, and the accuracy below it.

    An answer is right if it has a gold id, in HGVS or in tmVar's form. Mentions without a gold id
    are left out.
    """
    scored, left_out = list[VariantCase](), 0
    for case in cases:
        if case.gold:
            scored.append(case)
        else:
            left_out += 1
    rows = dict[str, Row]()
    for case in scored:
        row = dict(rows.get(case.document, {}))
        for name, value in _row(case).items():
            row[name] = row.get(name, 0.0) + value
        rows[case.document] = row
    return build_report(
        "variants",
        list(rows.values()),
        {
            "accuracy_at_1": Ratio("right", "mentions"),
            "ceiling": Ratio("in_text", "mentions"),
            "accuracy_at_1_in_text": Ratio("right_in_text", "in_text"),
        },
        counts={
            "n_scored": len(scored),
            "n_documents": len(rows),
            "n_in_text": sum(_is_in_text(case) for case in scored),
            "n_numbers": sum(_is_number(case) for case in scored),
            "n_nil": sum(not case.answer for case in scored),
        },
        left_out={"nil": left_out},
        resamples=resamples,
        seed=seed,
    )


def _row(case: VariantCase) -> dict[str, float]:
    is_right, in_text = bool(case.gold & case.answer), _is_in_text(case)
    return {
        "mentions": 1.0,
        "right": float(is_right),
        "in_text": float(in_text),
        "right_in_text": float(is_right and in_text),
    }


def _is_number(case: VariantCase) -> bool:
    return all(id.startswith("dbSNP:") for id in case.gold)


def _is_in_text(case: VariantCase) -> bool:
    """Whether a gold id is a description, or a number that the document has somewhere."""
    numbers = (id.removeprefix("dbSNP:") for id in case.gold)
    return not _is_number(case) or any(
        re.search(rf"(?<!\w){number}(?!\d)", case.text, re.IGNORECASE) for number in numbers
    )

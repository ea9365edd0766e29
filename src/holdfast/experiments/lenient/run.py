"""The `lenient` protocol: names of a dictionary ranked by an index, or linked by a model."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from holdfast.corpora.named.biosyn import (
    LenientName,
    read_lenient_dictionary,
    read_lenient_pairs,
)
from holdfast.document import Document, Mention
from holdfast.encoders.names import open_name_encoder
from holdfast.errors import UsageError
from holdfast.evaluate.gold_mentions import LenientCase, score_lenient
from holdfast.experiments.lenient.base import (
    CHEMICAL_CORPUS,
    CHEMICAL_PAIRS,
    lenient_base,
    lenient_folder,
    lenient_mentions,
)
from holdfast.experiments.lenient.medmentions import load_medmentions, score_medmentions
from holdfast.experiments.lenient.social import SOCIAL_CORPORA, load_folds, score_folds
from holdfast.experiments.lenient.tasks import MakeIndex, lenient_cases
from holdfast.experiments.medmentions_kb import MEDMENTIONS
from holdfast.experiments.outcome import Outcome
from holdfast.experiments.recipe import Recipe
from holdfast.experiments.recipe_kb import kb_of
from holdfast.kb.store import KnowledgeBase
from holdfast.models import find_model
from holdfast.names.dense import DenseIndex
from holdfast.names.exact import ExactIndex, VerbatimIndex
from holdfast.names.hybrid import HybridIndex
from holdfast.names.index import NameIndex
from holdfast.names.ngram import NgramIndex
from holdfast.parts import Models
from holdfast.pipeline import load
from holdfast.progress import Progress

_TOP: Final = 5  # the protocol looks at no more


def _dense(names: Iterable[str]) -> NameIndex:
    return DenseIndex.build(names, open_name_encoder(find_model("encoder")))


def _hybrid(names: Iterable[str]) -> NameIndex:
    return HybridIndex.build(names, open_name_encoder(find_model("encoder")))


INDEXES: Final[dict[str, MakeIndex]] = {
    "verbatim": VerbatimIndex.build,
    "exact": ExactIndex.build,
    "ngram": NgramIndex.build,
    "dense": _dense,
    "hybrid": _hybrid,
}
"""What can rank the names of a dictionary, by the recipe's `index`."""


def run_lenient(recipe: Recipe, model: Models, *, data: Path, progress: Progress) -> Outcome:
    """Rank the names of the protocol's dictionary for each part of each mention."""
    if model:
        return _run_model(recipe, model, data, progress)
    measured = recipe.measured
    if measured.index not in INDEXES:
        raise UsageError(
            f"recipe {recipe.name!r}: no index is called {measured.index!r}; there is: "
            f"{', '.join(INDEXES)}"
        )
    make_index = INDEXES[measured.index]
    if measured.corpus in SOCIAL_CORPORA:
        folds = load_folds(measured.corpus, measured.split, data=data)
        return Outcome((score_folds(folds, make_index),), None)
    if measured.corpus == MEDMENTIONS:
        task = load_medmentions(measured.split, data=data)
        return Outcome((score_medmentions(task, make_index),), None)
    return _run_index(recipe, make_index, data, progress)


def _run_index(recipe: Recipe, make_index: MakeIndex, data: Path, progress: Progress) -> Outcome:
    measured = recipe.measured
    kb = None
    mentions = lenient_mentions(recipe, measured.split, data=data)
    if measured.corpus == CHEMICAL_CORPUS:
        kb = kb_of(recipe, measured.split, data=data, progress=progress)
        names = _chemical_dictionary(kb, data / CHEMICAL_PAIRS, measured.split)
    else:
        path = lenient_folder(recipe, data) / f"{measured.split}_dictionary.txt"
        names = list(read_lenient_dictionary(path))
    progress("indexing the dictionary", 0.2)
    index = make_index(name.name for name in names)
    progress("linking", 0.5)
    report = score_lenient(lenient_cases(mentions, names, index))
    return Outcome((report.with_context(dictionary_names=len(names)),), kb)


def _run_model(recipe: Recipe, model: Models, data: Path, progress: Progress) -> Outcome:
    """Each part of each mention is a document of its own: the protocol has no other context."""
    measured = recipe.measured
    base = lenient_base(recipe, data=data, progress=progress)
    if measured.corpus != CHEMICAL_CORPUS:
        path = lenient_folder(recipe, data) / f"{measured.split}_dictionary.txt"
        base = base.with_lines(read_lenient_dictionary(path))
    pipeline = load(base.kb, model=model, marked=True, top=_TOP, progress=progress)
    mentions = lenient_mentions(recipe, measured.split, data=data)
    strings = sorted({part for mention in mentions for part in mention.parts})
    asked = (Document("", text, mentions=(Mention.at(0, len(text)),)) for text in strings)
    progress("linking", 0.5)
    ranking = {
        text: tuple(base.ids_of(c.entity_id, c.name) for c in found.mentions[0].candidates)
        for text, found in zip(strings, pipeline.pipe(asked), strict=True)
    }
    cases = [
        LenientCase(m.ids, tuple(ranking[part] for part in m.parts), m.document_id)
        for m in mentions
    ]
    return Outcome((score_lenient(cases),), base.kb, pipeline.digest or None)


def _chemical_dictionary(kb: KnowledgeBase, pairs: Path, split: str) -> list[LenientName]:
    """MeSH's chemicals, and the pairs of the splits before the evaluated one."""
    names = []
    for name_row, name in enumerate(kb.all_names()):
        id = kb.id_at(int(kb.entity_of_name[name_row])).removeprefix("MESH:")
        names.append(LenientName(name, frozenset({id})))
    before = read_lenient_pairs(pairs, "traindev" if split == "test" else "train")
    names.extend(LenientName(part, m.ids) for m in before for part in m.parts)
    return names

"""Runs a recipe: loads its corpus and knowledge base, links, and scores by its protocol."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

from holdfast import artifacts
from holdfast.corpora.named import load_corpus
from holdfast.corpora.named.abbreviations import read_med1250
from holdfast.corpora.named.biosyn import (
    LenientName,
    read_lenient_dictionary,
    read_lenient_pairs,
)
from holdfast.document import NIL, Document, Mention
from holdfast.encoders.names import NameEncoder
from holdfast.errors import UsageError
from holdfast.evaluate.abbreviations import AbbreviationCase, score_abbreviations
from holdfast.evaluate.calibration import auroc, brier_score, expected_calibration_error
from holdfast.evaluate.equality import Equivalents
from holdfast.evaluate.gold_mentions import (
    LenientCase,
    RankedCase,
    StrictCase,
    score_lenient,
    score_ranked,
    score_strict,
)
from holdfast.evaluate.in_kb import OF_ENTITIES, linkable, with_in_kb
from holdfast.evaluate.protocols import PROTOCOLS, score_documents
from holdfast.evaluate.report import Report
from holdfast.experiments.lenient_base import (
    CHEMICAL_CORPUS,
    CHEMICAL_PAIRS,
    lenient_base,
    lenient_folder,
    lenient_mentions,
)
from holdfast.experiments.lenient_tasks import MakeIndex, lenient_cases
from holdfast.experiments.medmentions import load_medmentions, score_medmentions
from holdfast.experiments.recipe import Recipe
from holdfast.experiments.recipe_kb import gold_ids, kb_of, primary_ids
from holdfast.experiments.social import SOCIAL_CORPORA, load_folds, score_folds
from holdfast.experiments.variants import run_variants
from holdfast.kb.build import Progress
from holdfast.kb.store import KnowledgeBase
from holdfast.link.ranking.dense_names import dense_index_of
from holdfast.link.ranking.linker import RankedLinker
from holdfast.link.ranking.shipped import shipped_encoder
from holdfast.link.variants.linker import variant_linker
from holdfast.names.dense import DenseIndex
from holdfast.names.exact import ExactIndex, VerbatimIndex
from holdfast.names.hybrid import HybridIndex
from holdfast.names.index import NameIndex
from holdfast.names.ngram import NgramIndex
from holdfast.pipeline import Pipeline
from holdfast.registry import DETECTORS, LINKERS, Step, component
from holdfast.text.abbreviations import find_abbreviations
from holdfast.types import canonical_type


def _dense(names: Iterable[str]) -> NameIndex:
    return DenseIndex.build(names, shipped_encoder())


def _hybrid(names: Iterable[str]) -> NameIndex:
    return HybridIndex.build(names, shipped_encoder())


INDEXES: Final[dict[str, MakeIndex]] = {
    "verbatim": VerbatimIndex.build,
    "exact": ExactIndex.build,
    "ngram": NgramIndex.build,
    "dense": _dense,
    "hybrid": _hybrid,
}
"""What the lenient protocol can rank dictionary names with, by the recipe's `linker`."""

COLLECTIVE: Final = ("collective", "single", "cross", "blink", "bm25", "scispacy")
"""Linkers that holdfast.experiments.collective_run measures: dual encoders and their rivals."""

_MED1250: Final = "corpora/abbreviations/ab3p/MED1250_labeled"
_FITTING: Final = "encoder-aligned"
_RANKED: Final = 20  # ids a linker returns per mention


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a recipe measured: its own protocol first, then those it asked for besides."""

    reports: tuple[Report, ...]
    kb: KnowledgeBase | None  # None: the protocol's own dictionary
    model_digest: str | None = None  # None: nothing was trained


def run_recipe(
    recipe: Recipe, *, data: Path, model: Path | None = None, progress: Progress | None = None
) -> Outcome:
    """Measure what the recipe says. Only its split is read, besides those that become names.

    `model` is what `holdfast train` made of a recipe that is fitted; by default its last one.
    """
    recipe.check_measured()
    if not data.is_dir():
        raise UsageError(f"{data}: no such data folder; name it with --data or HOLDFAST_DATA")
    report = progress or (lambda _what, _done: None)
    if recipe.linker in COLLECTIVE:
        from holdfast.experiments.collective_run import run_collective  # which imports this module

        return run_collective(recipe, data=data, model=model, progress=report)
    if recipe.linker == "joined":
        from holdfast.experiments.joined_run import run_joined  # which imports this module

        return run_joined(recipe, data=data, model=model, progress=report)
    trained = model or model_folder(recipe.model or recipe.name)
    if recipe.protocol == "lenient":
        return _run_lenient(recipe, data, trained, report)
    if recipe.protocol in ("strict", "ranked"):
        return _run_gold_mentions(recipe, data, trained, report)
    if recipe.protocol == "abbreviations":
        return _run_abbreviations(recipe, data)
    if recipe.protocol == "variants":
        return Outcome((run_variants(recipe, data=data),), None)
    if recipe.protocol in PROTOCOLS:
        return _run_end_to_end(recipe, data, report)
    raise UsageError(f"recipe {recipe.name!r}: no protocol is called {recipe.protocol!r}")


def _run_lenient(recipe: Recipe, data: Path, model: Path, progress: Progress) -> Outcome:
    if recipe.fit:
        return _run_lenient_ranked(recipe, data, model, progress)
    make_index = component(INDEXES, recipe.linker)
    if recipe.corpus in SOCIAL_CORPORA:
        folds = load_folds(recipe.corpus, recipe.split, data=data)
        return Outcome((score_folds(folds, make_index),), None)
    if recipe.corpus == "medmentions-st21pv":
        return Outcome(
            (score_medmentions(load_medmentions(recipe.split, data=data), make_index),), None
        )
    kb = None
    mentions = lenient_mentions(recipe, recipe.split, data=data)
    if recipe.corpus == CHEMICAL_CORPUS:
        kb = kb_of(recipe, data=data, progress=progress)
        names = _chemical_dictionary(kb, data / CHEMICAL_PAIRS, recipe.split)
    else:
        path = lenient_folder(recipe, data) / f"{recipe.split}_dictionary.txt"
        names = list(read_lenient_dictionary(path))
    progress("indexing the dictionary", 0.2)
    index = make_index(name.name for name in names)
    progress("linking", 0.5)
    report = score_lenient(lenient_cases(mentions, names, index))
    return Outcome((report.with_context(dictionary_names=len(names)),), kb)


def _run_lenient_ranked(recipe: Recipe, data: Path, model: Path, progress: Progress) -> Outcome:
    """Each part of each mention alone, against the dictionary and the training mentions."""
    base = lenient_base(recipe, data=data, progress=progress)
    if recipe.corpus != CHEMICAL_CORPUS:
        path = lenient_folder(recipe, data) / f"{recipe.split}_dictionary.txt"
        base = base.with_lines(read_lenient_dictionary(path))
    linker = _open_ranked(recipe, base.kb, model, top=5, progress=progress)
    mentions = lenient_mentions(recipe, recipe.split, data=data)
    progress("linking", 0.5)
    parts = sorted({part for mention in mentions for part in mention.parts})
    ranking = {
        part: tuple(base.ids_of(c.entity_id, c.name) for c in candidates)
        for part, candidates in zip(parts, linker.rank_strings(parts), strict=True)
    }
    cases = [
        LenientCase(m.ids, tuple(ranking[part] for part in m.parts), m.document_id)
        for m in mentions
    ]
    return Outcome((score_lenient(cases),), base.kb, linker.digest)


def _open_ranked(
    recipe: Recipe, kb: KnowledgeBase, model: Path, *, top: int, progress: Progress
) -> RankedLinker:
    if not model.exists():
        raise UsageError(
            f"{model}: not there; first `holdfast train {recipe.model or recipe.name}`"
        )
    dense = None
    if "dense" not in recipe.without:
        dense = dense_index_of(kb, shipped_encoder(), progress=lambda p: progress("encoding", p))
    return RankedLinker.open(model, kb, dense=dense, top=top)


def _chemical_dictionary(kb: KnowledgeBase, pairs: Path, split: str) -> list[LenientName]:
    """MeSH's chemicals, and the pairs of the splits before the evaluated one."""
    names = []
    for name_row, name in enumerate(kb.all_names()):
        id = kb.id_at(int(kb.entity_of_name[name_row])).removeprefix("MESH:")
        names.append(LenientName(name, frozenset({id})))
    before = read_lenient_pairs(pairs, "traindev" if split == "test" else "train")
    names.extend(LenientName(part, m.ids) for m in before for part in m.parts)
    return names


def model_folder(name: str) -> Path:
    """Where the model that was last trained by the recipe of this name is, or will be."""
    return artifacts.home() / "models" / name


def fitting_encoder(recipe: Recipe, folder: Path | None) -> NameEncoder | None:
    """The encoder that the recipe's linker is fitted with; None if it does without."""
    if "dense" in recipe.without:
        return None
    chosen = folder or model_folder(_FITTING)
    if not chosen.exists():
        raise UsageError(f"{chosen}: not there; first `holdfast train {_FITTING}`")
    return NameEncoder.open(chosen)


def _run_gold_mentions(recipe: Recipe, data: Path, model: Path, progress: Progress) -> Outcome:
    """`strict` and `ranked`: the linker sees each gold mention's place and nothing else of it."""
    link: Step
    digest = None
    if recipe.fit or recipe.model:
        kb = kb_of(replace(recipe, training_names=()), data=data, progress=progress)
        trained = _open_ranked(recipe, kb, model, top=_RANKED, progress=progress)
        link, digest = trained, trained.digest
    else:
        kb = kb_of(recipe, data=data, progress=progress)
        link = component(LINKERS, recipe.linker)(kb, only=None, top=_RANKED)
        digest = getattr(link, "digest", None)
    ids = gold_ids(recipe, kb, data=data)
    strict, ranked = list[StrictCase](), list[RankedCase]()
    of_type = defaultdict[str, list[StrictCase]](list)
    unlinked = Counter[str]()  # by type: NIL, although the best candidate has the mention as a name
    progress("linking", 0.5)
    documents = list(load_corpus(recipe.corpus, recipe.split, data=data))
    gold = [of_types(document, recipe.only) for document in documents]
    for document, found in zip(gold, Pipeline([link]).pipe(map(blank, gold)), strict=True):
        for mention, linked in zip(document.mentions, found.mentions, strict=True):
            answer = frozenset(ids.get(id, id) for id in mention.ids)
            ranking = tuple((c.entity_id, c.score) for c in linked.candidates)
            strict.append(StrictCase(answer, ranking, document.id))
            of_type[canonical_type(mention.type)].append(strict[-1])
            unlinked[canonical_type(mention.type)] += is_unlinked_name(linked)
            ranked.append(RankedCase(answer, tuple(id for id, _ in ranking), document.id))
    if recipe.protocol == "strict":
        report = score_strict(strict, entities=kb)
        if recipe.linker == "ranked":  # its scores are probabilities
            report = report.with_context(**_calibration(strict, kb, nil=bool(recipe.removed)))
            share = round(unlinked.total() / max(1, len(strict)), 4)
            report = report.with_context(nil_with_exact_name=share)
        if recipe.by_type:
            for type, cases in sorted(of_type.items()):
                own = score_strict(cases, entities=kb, resamples=1)
                report = report.with_context(
                    **{
                        f"accuracy_at_1_{type.lower()}": own["accuracy_at_1"],
                        f"n_scored_{type.lower()}": own.counts["n_scored"],
                        f"n_in_kb_{type.lower()}": own.counts["n_in_kb"],
                        f"nil_with_exact_name_{type.lower()}": round(
                            unlinked[type] / len(cases), 4
                        ),
                    }
                )
        return Outcome((report,), kb, digest)
    return Outcome((score_ranked(ranked, entities=kb),), kb, digest)


def _calibration(cases: Sequence[StrictCase], kb: KnowledgeBase, *, nil: bool) -> dict[str, float]:
    """Whether the first candidate's score is the probability that it is right.

    With `nil`, also how well it tells mentions of entities that the knowledge base lacks.
    """
    scored = [case for case in cases if any(id not in (NIL, "-1", "-") for id in case.gold)]
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


def _run_end_to_end(recipe: Recipe, data: Path, progress: Progress) -> Outcome:
    kb = kb_of(recipe, data=data, progress=progress)
    detect = component(DETECTORS, recipe.detector or "dictionary")(kb, only=recipe.only or None)
    link = component(LINKERS, recipe.linker)(kb, only=recipe.only or None, top=1)
    steps = [detect, link]
    variants = variant_linker(kb, only=recipe.only or None, top=1)
    steps += [variants] if variants else []
    progress("linking", 0.5)
    gold = list(load_corpus(recipe.corpus, recipe.split, data=data))
    bare = (replace(document, mentions=(), relations=()) for document in gold)
    predicted = list(Pipeline(steps).pipe(bare))
    # Several vocabularies have ids for the same thing; a corpus uses those of one.
    equivalents = kb.equivalents if len(kb.sources) > 1 else None
    digests = [getattr(step, "digest", None) for step in (detect, link)]
    score = partial(_score_end_to_end, recipe, gold, predicted, kb=kb, equivalents=equivalents)
    return Outcome(
        tuple(score(protocol=protocol) for protocol in (recipe.protocol, *recipe.also)),
        kb,
        "+".join(digest for digest in digests if digest) or None,
    )


def _score_end_to_end(
    recipe: Recipe,
    gold: Sequence[Document],
    predicted: Sequence[Document],
    *,
    protocol: str,
    kb: KnowledgeBase,
    equivalents: Equivalents | None,
) -> Report:
    score = partial(score_documents, protocol=protocol, equivalents=equivalents)
    if recipe.vocabularies:
        return _score_vocabularies(recipe, gold, predicted, score)
    report = score(gold, predicted, only=recipe.only)
    if protocol in OF_ENTITIES:
        part = score(linkable(gold, primary_ids(kb)), predicted, only=recipe.only)
        report = with_in_kb(report, part)
    for type in recipe.only if recipe.by_type else ():
        own = score(gold, predicted, only=[type], resamples=1)
        report = report.with_context(
            **{
                f"f1_{type.lower()}": own["f1"],
                f"n_scored_{type.lower()}": own.counts["n_scored"],
            }
        )
    return report


def _score_vocabularies(
    recipe: Recipe,
    gold: Sequence[Document],
    predicted: Sequence[Document],
    score: Callable[..., Report],
) -> Report:
    """Over the mentions with ids of the recipe's vocabularies, and over those of each alone.

    A corpus that annotates by ontology says nothing of what other ontologies would call a mention.
    """
    kept = partial(_with_prefixes, prefixes=recipe.vocabularies)
    found = [mention for document in predicted for mention in document.mentions]
    report = score(kept(gold), kept(predicted)).with_context(
        nil_with_exact_name=round(sum(map(is_unlinked_name, found)) / max(1, len(found)), 4)
    )
    for prefix in recipe.vocabularies:
        own = partial(_with_prefixes, prefixes=(prefix,))
        part = score(own(gold), own(predicted), resamples=1)
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


def is_unlinked_name(mention: Mention) -> bool:
    """Whether the mention is NIL although its best candidate has exactly its words as a name."""
    best = mention.candidates[:1]
    return mention.is_nil and any(e.kind in ("exact", "used") for c in best for e in c.evidence)


def _run_abbreviations(recipe: Recipe, data: Path) -> Outcome:
    """Split "all" is every abstract, "odd" each second one; rules were made on the others."""
    if recipe.split not in ("all", "odd"):
        raise UsageError(f"recipe {recipe.name!r}: no split {recipe.split!r}; it is all or odd")
    first, step = (0, 1) if recipe.split == "all" else (1, 2)
    cases = [
        AbbreviationCase(
            gold=[(d.short, d.long) for d in example.definitions],
            found=[(a.short_text, a.long_text) for a in find_abbreviations(example.document.text)],
        )
        for example in islice(read_med1250(data / _MED1250), first, None, step)
    ]
    return Outcome((score_abbreviations(cases),), None)


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

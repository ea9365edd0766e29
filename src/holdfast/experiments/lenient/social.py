"""AskAPatient and TwADR-L by the lenient protocol: ten folds each, micro-averaged.

Every fold has its own training mentions, so every fold has its own names. The folds were drawn
with repetitions: a wording that one fold evaluates is trained on or evaluated by others, and
development mentions of one fold are test mentions of another. So nothing may be carried from one
fold to the next, and intervals draw wordings, not mentions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from holdfast.corpora.named.biosyn import LenientMention, LenientName
from holdfast.corpora.named.social import read_social, read_social_ontology
from holdfast.errors import UsageError
from holdfast.evaluate.gold_mentions import LenientCase, score_lenient
from holdfast.evaluate.report import Report
from holdfast.experiments.lenient.tasks import LenientTask, MakeIndex, lenient_form, rank_task

FOLDS: Final = 10


@dataclass(frozen=True, slots=True)
class _SocialFiles:
    folder: str  # below the data folder
    stem: str  # of the folds' files

    def fold(self, data: Path, fold: int, split: str) -> Path:
        return data / self.folder / f"{self.stem}.fold-{fold}.{split}.txt"


SOCIAL_CORPORA: Final = {
    "askapatient": _SocialFiles("corpora/social/askapatient", "AskAPatient"),
    "twadr": _SocialFiles("corpora/social/twadrl", "TwADR-L"),
}
_SPLITS: Final = {"dev": "validation", "test": "test"}
_TRAINING: Final = {"dev": ("train",), "test": ("train", "validation")}


def load_folds(corpus: str, split: str, *, data: Path) -> Iterator[LenientTask]:
    """The ten folds of "askapatient" or "twadr", in order, each read when it is asked for."""
    for fold in range(FOLDS):
        yield load_fold(corpus, split, fold, data=data)


def load_fold(corpus: str, split: str, fold: int, *, data: Path) -> LenientTask:
    """One fold: split "dev" with its training mentions, "test" with those of train and dev.

    The dictionary is the vocabulary's one name per concept; the training files repeat it. Ids are
    bare. The corpora allow evaluation, but no weights trained on them may be given away.
    """
    if corpus not in SOCIAL_CORPORA:
        raise UsageError(f"no corpus {corpus!r}; there is {', '.join(SOCIAL_CORPORA)}")
    if split not in _SPLITS:
        raise UsageError(
            f"{corpus} has no split {split!r} to evaluate; it has {', '.join(_SPLITS)}"
        )
    if fold not in range(FOLDS):
        raise UsageError(f"{corpus} has no fold {fold}; they are 0 to {FOLDS - 1}")
    files = SOCIAL_CORPORA[corpus]
    return LenientTask(
        dictionary=_dictionary(data / files.folder / "ontology.json"),
        training=tuple(
            mention
            for part in _TRAINING[split]
            for mention in _mentions(files.fold(data, fold, part))
        ),
        mentions=tuple(_mentions(files.fold(data, fold, _SPLITS[split]))),
    )


def score_folds(folds: Iterable[LenientTask], build: MakeIndex) -> Report:
    """Accuracy at 1 and 5 over the mentions of all folds, each searched in its own fold's names.

    `build` makes an index of a fold's names (`NgramIndex.build`); its rows follow the order it is
    given them in. There is at least one fold.
    """
    cases, sizes = list[LenientCase](), list[int]()
    for fold in folds:
        ranked = rank_task(fold, build)
        cases += (
            replace(case, document=" ".join(mention.parts))
            for case, mention in zip(ranked, fold.mentions, strict=True)
        )
        sizes.append(len(fold.names()))
    return report_of_folds(cases).with_context(
        folds=len(sizes), dictionary_names_least=min(sizes), dictionary_names_most=max(sizes)
    )


def report_of_folds(cases: Sequence[LenientCase]) -> Report:
    """The report of cases whose `document` is the mention's wording."""
    report = score_lenient(cases)
    counts = {name.replace("documents", "wordings"): n for name, n in report.counts.items()}
    return replace(report, counts=counts, unit="wording")


def _dictionary(path: Path) -> tuple[LenientName, ...]:
    return tuple(
        LenientName(lenient_form(name), frozenset({_bare(id)}))
        for id, names in read_social_ontology(path).items()
        for name in names
    )


def _mentions(path: Path) -> Iterator[LenientMention]:
    for line in read_social(path):
        yield LenientMention("", (lenient_form(line.mention),), frozenset({_bare(line.concept_id)}))


def _bare(curie: str) -> str:
    return curie.partition(":")[2]

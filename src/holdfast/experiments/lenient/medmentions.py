"""MedMentions ST21pv, rebuilt, by the lenient protocol, over the names at hand.

Without a licence for UMLS, a concept's names are those of open vocabularies and the wordings of
the training mentions. Many concepts of the evaluated mentions have neither: the ceilings say how
many. Published numbers are over the whole of UMLS and are not comparable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from holdfast.corpora.named import load_corpus, load_training
from holdfast.corpora.named.biosyn import LenientMention, LenientName
from holdfast.corpora.named.medmentions import read_open_names
from holdfast.document import Document
from holdfast.errors import UsageError
from holdfast.evaluate.gold_mentions import score_lenient
from holdfast.evaluate.report import Report
from holdfast.experiments.lenient.tasks import (
    LenientTask,
    MakeIndex,
    ceiling,
    lenient_form,
    rank_task,
)

_CORPUS: Final = "medmentions-st21pv"
_OPEN_NAMES: Final = "corpora/medmentions/cui_names_open.json.gz"


def load_medmentions(split: str, *, data: Path) -> LenientTask:
    """Split "dev" or "test", with the training documents that it does not share.

    Development mentions never become names. Ids are bare CUIs.
    """
    if split not in ("dev", "test"):
        raise UsageError(f"{_CORPUS} has no split {split!r} to evaluate; it has dev, test")
    training = load_training([(_CORPUS, "train")], evaluated=[(_CORPUS, split)], data=data)
    return LenientTask(
        dictionary=tuple(
            LenientName(lenient_form(name), frozenset({_bare(cui)}))
            for cui, names in read_open_names(data / _OPEN_NAMES).items()
            for name in names
        ),
        training=tuple(_mentions(training.documents)),
        mentions=tuple(_mentions(load_corpus(_CORPUS, split, data=data))),
    )


def score_medmentions(task: LenientTask, build: MakeIndex) -> Report:
    """Accuracy at 1 and 5 in an index of the task's names; `ceiling_…` say what no index passes.

    `ceiling_open` and `ceiling_training` are the fractions of mentions whose concept has an open
    name or a training mention, `ceiling` of those with either.
    """
    highest = ceiling([task])
    return score_lenient(rank_task(task, build)).with_context(
        rebuilt=True,
        dictionary_names=len(task.names()),
        ceiling=highest.either,
        ceiling_open=highest.dictionary,
        ceiling_training=highest.training,
    )


def _mentions(documents: Iterable[Document]) -> Iterator[LenientMention]:
    for document in documents:
        for mention in document.mentions:
            ids = frozenset(map(_bare, mention.ids))
            yield LenientMention(document.id, (lenient_form(document.text_of(mention)),), ids)


def _bare(curie: str) -> str:
    return curie.partition(":")[2]

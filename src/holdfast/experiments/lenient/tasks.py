"""Lenient evaluation over any names: a dictionary, training mentions, and what is looked up.

The lenient files of NCBI and BC5CDR come with their dictionaries. Other corpora are brought into
the same form here, by the same rules: lower case, punctuation a space, training mentions are
names, an answer is right if its ids and the gold ids overlap.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from holdfast.corpora.named.biosyn import LenientMention, LenientName
from holdfast.evaluate.gold_mentions import LenientCase
from holdfast.names.index import NameIndex

MakeIndex = Callable[[Iterable[str]], NameIndex]

_RANKED: Final = 5  # entries that the protocol looks at
_SEPARATORS: Final = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class LenientTask:
    """One split, or one fold of it."""

    dictionary: tuple[LenientName, ...]  # of the vocabulary alone
    training: tuple[LenientMention, ...]  # every occurrence
    mentions: tuple[LenientMention, ...]  # to be evaluated, every occurrence

    def names(self) -> tuple[LenientName, ...]:
        """What to search in: the training mentions and the dictionary, each pair of name and ids
        once.

        Patients' words are given to different concepts by different annotators. An index breaks
        ties by row, so the pair that training saw most often comes first; then file order.
        """
        seen = Counter(
            LenientName(part, mention.ids) for mention in self.training for part in mention.parts
        )
        ranked = sorted(seen, key=lambda name: -seen[name])
        return tuple(dict.fromkeys((*ranked, *self.dictionary)))


@dataclass(frozen=True, slots=True)
class Ceiling:
    """Fractions of mentions that have a gold id with a name: in the dictionary, among the training
    mentions, in either. No ranking can be right more often than the last."""

    dictionary: float
    training: float
    either: float


def lenient_form(text: str) -> str:
    """Lower case, each run of punctuation or white space one space; a text that is nothing else
    (an emoticon) stays as it is."""
    return _SEPARATORS.sub(" ", text.lower()).strip() or text


def rank_task(task: LenientTask, build_index: MakeIndex) -> list[LenientCase]:
    """Each mention with the best entries of an index over the task's names, in order."""
    names = task.names()
    return lenient_cases(task.mentions, names, build_index(name.name for name in names))


def lenient_cases(
    mentions: Sequence[LenientMention], names: Sequence[LenientName], index: NameIndex
) -> list[LenientCase]:
    """Each mention's parts ranked by an index whose row i is `names[i]`.

    Each distinct part is looked up once.
    """
    parts = sorted({part for mention in mentions for part in mention.parts})
    matches = index.search(parts, _RANKED)
    ranking = {
        part: tuple(names[row].ids for row in rows if row >= 0)
        for part, rows in zip(parts, matches.rows.tolist(), strict=True)
    }
    return [
        LenientCase(m.ids, tuple(ranking[part] for part in m.parts), m.document_id)
        for m in mentions
    ]


def ceiling(tasks: Iterable[LenientTask]) -> Ceiling:
    """Over the mentions of all tasks, each against its own task; 0 if there are none."""
    total = in_dictionary = in_training = in_either = 0
    for task in tasks:
        dictionary = {id for name in task.dictionary for id in name.ids}
        training = {id for mention in task.training for id in mention.ids}
        for mention in task.mentions:
            named, trained = bool(mention.ids & dictionary), bool(mention.ids & training)
            total += 1
            in_dictionary += named
            in_training += trained
            in_either += named or trained
    count = max(1, total)
    return Ceiling(in_dictionary / count, in_training / count, in_either / count)

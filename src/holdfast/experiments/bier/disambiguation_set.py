"""A set for disambiguation: mentions of annotated corpora with three to five candidates each.

The candidates of a mention are the entities with the names most like its words, the gold entity
among them. What vocabularies name alike counts as one candidate, since no description tells it
apart: a chemical that two of them list, a gene and its orthologues. Mentions whose commonest
candidate is the answer are thinned, as in the paper, so that popularity alone does not solve the
task.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from holdfast import artifacts
from holdfast.corpora.named import load_corpus
from holdfast.corpora.named.overlap import pmid_of
from holdfast.document import NIL, Document
from holdfast.files import replacing_text
from holdfast.kb.store import KnowledgeBase
from holdfast.progress import Progress
from holdfast.systems.bier.describe import Descriptions
from holdfast.text.normalise import fold

CORPORA: Final = {
    "test": (("bc5cdr", "test"), ("ncbi-disease", "test")),
    "dev": (("bc5cdr", "dev"), ("ncbi-disease", "dev"), ("biored", "dev")),
    "train": (("bc5cdr", "train"), ("ncbi-disease", "train"), ("biored", "train")),
}
FEWEST: Final = 3
MOST: Final = 5
POPULAR: Final = 0.7
"""The share of mentions, at most, whose answer is the commonest candidate."""

LARGEST: Final = {"test": 1000, "dev": 800, "train": 1600}
"""Questions of a split at most, taken at random."""

_VERSION: Final = 3  # of how the set is made
_NAMES: Final = 60  # names that are looked at
_LIKE: Final = 0.6  # the cosine of trigrams from which a name nearly means the same
_AROUND: Final = 700  # letters of context to each side


@dataclass(frozen=True, slots=True)
class NamedCandidate:
    """An entity that a mention may be."""

    id: str
    name: str
    description: str
    origin: str  # of the description: definition, equivalent, or names
    popularity: int  # training mentions that are this entity


@dataclass(frozen=True, slots=True)
class DisambiguationQuestion:
    """A mention in context, its candidates, and which of them it is."""

    split: str
    corpus: str
    document: str
    text: str  # the context
    start: int
    end: int
    candidates: tuple[NamedCandidate, ...]
    gold: int

    @property
    def popular(self) -> int:
        """The place of the commonest candidate; of equal ones, the first."""
        counts = [candidate.popularity for candidate in self.candidates]
        return counts.index(max(counts))

    @property
    def prior(self) -> npt.NDArray[np.float64]:
        """The share of each candidate in the training mentions of all."""
        counts = np.array([candidate.popularity for candidate in self.candidates], np.float64)
        shares: npt.NDArray[np.float64] = counts / max(1.0, counts.sum())
        return shares

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> DisambiguationQuestion:
        candidates = tuple(NamedCandidate(**one) for one in data["candidates"])
        return cls(**{**data, "candidates": candidates})


def load_questions(
    kb: KnowledgeBase, *, data: Path, progress: Progress
) -> list[DisambiguationQuestion]:
    """The set over this knowledge base; built and kept in the home folder if it is not there."""
    name = f"{kb.name}-{kb.manifest.digest[:12]}-{_VERSION}.jsonl.gz"
    path = artifacts.home() / "disambiguation" / name
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        questions = build_questions(kb, data=data, progress=progress)
        with replacing_text(path) as stream:
            for question in questions:
                stream.write(json.dumps(asdict(question), ensure_ascii=False) + "\n")
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        return [DisambiguationQuestion.from_json(json.loads(line)) for line in stream]


def build_questions(
    kb: KnowledgeBase, *, data: Path, progress: Progress
) -> list[DisambiguationQuestion]:
    """All splits: a document of a test split is in no other, one of dev not in train."""
    documents = _documents(data)
    popularity = Counter[str]()
    for _, document in documents["train"]:
        for mention in document.mentions:
            popularity.update(mention.ids)
    maker = _Maker(kb, popularity)
    found = list[DisambiguationQuestion]()
    for number, (split, own) in enumerate(documents.items()):
        progress("building the disambiguation set", number / len(documents))
        asked = [
            question
            for corpus, document in own
            for question in maker.questions(document, split=split, corpus=corpus)
        ]
        found += some(thinned(asked), LARGEST[split])
    return found


def _documents(data: Path) -> dict[str, list[tuple[str, Document]]]:
    seen = set[str]()
    found = dict[str, list[tuple[str, Document]]]()
    for split, parts in CORPORA.items():
        own = list[tuple[str, Document]]()
        ids = set[str]()
        for corpus, part in parts:
            for document in load_corpus(corpus, part, data=data):
                key = pmid_of(document) or document.text
                if key not in seen and key not in ids:
                    ids.add(key)
                    own.append((corpus, document))
        seen |= ids
        found[split] = own
    return found


@dataclass(frozen=True, slots=True)
class _Thing:
    """What makes two entities one candidate: an id of either is the other's, or their names."""

    ids: frozenset[str]
    names: frozenset[str]

    @classmethod
    def of(cls, kb: KnowledgeBase, id: str) -> _Thing:
        ids = kb.equivalents(id)
        rows = (kb.row_of(one) for one in ids)
        labels = (kb.label_at(row) for row in rows if row is not None)
        return cls(ids, frozenset(fold(label).removesuffix("s") for label in labels))

    def is_like(self, other: _Thing) -> bool:
        return bool(self.ids & other.ids or self.names & other.names)


class _Maker:
    """Makes the questions of annotated documents."""

    def __init__(self, kb: KnowledgeBase, popularity: Mapping[str, int]) -> None:
        self._kb = kb
        self._popularity = popularity
        self._descriptions = Descriptions(kb)
        self._alike = cache(self._alike_to)
        self._thing = cache(partial(_Thing.of, kb))

    def questions(
        self, document: Document, *, split: str, corpus: str
    ) -> Iterator[DisambiguationQuestion]:
        """One for each wording and answer of a document."""
        asked = set[tuple[str, tuple[str, ...]]]()
        for mention in document.mentions:
            wording = fold(document.text_of(mention))
            key = wording, mention.ids
            if key in asked or len(mention.ids) != 1 or mention.ids[0] in (NIL, "-1"):
                continue
            asked.add(key)
            made = self._candidates(mention.ids[0], wording)
            if made is not None:
                start, end = max(0, mention.start - _AROUND), mention.end + _AROUND
                yield DisambiguationQuestion(
                    split,
                    corpus,
                    document.id,
                    document.text[start:end],
                    mention.start - start,
                    mention.end - start,
                    made[1],
                    made[0],
                )

    def _candidates(self, gold: str, wording: str) -> tuple[int, tuple[NamedCandidate, ...]] | None:
        """The gold one's place, and all in the order of their ids; None if it is not found."""
        same = self._kb.equivalents(gold)
        ids = self._alike(wording)
        right = [id for id in ids if id in same or gold in self._kb.equivalents(id)]
        if not right:
            return None
        things = [self._thing(id) for id in right]
        others = list[str]()
        for id in ids:
            own = self._thing(id)
            if id not in right and not any(own.is_like(thing) for thing in things):
                things.append(own)
                others.append(id)
        if len(others) + 1 < FEWEST:
            return None
        every = sorted([right[0], *others[: MOST - 1]])  # so that the order tells nothing
        return every.index(right[0]), tuple(map(self._describe, every))

    def _alike_to(self, wording: str) -> tuple[str, ...]:
        """Entities with a name like these words, the most alike first."""
        found = self._kb.ngrams.search([wording], _NAMES, least=_LIKE)
        names = found.rows[0][found.scores[0] >= _LIKE]
        rows = dict.fromkeys(self._kb.entity_of_name[names].tolist())
        return tuple(map(self._kb.id_at, rows))

    def _describe(self, id: str) -> NamedCandidate:
        told = self._descriptions.of(id)
        count = sum(self._popularity.get(one, 0) for one in self._kb.equivalents(id))
        return NamedCandidate(id, told.name, told.text, told.origin, count)


def thinned(
    questions: Sequence[DisambiguationQuestion], *, share: float = POPULAR
) -> list[DisambiguationQuestion]:
    """With at most this share of questions whose answer is the commonest candidate."""
    popular = [n for n, question in enumerate(questions) if question.popular == question.gold]
    most = round(share / (1 - share) * (len(questions) - len(popular)))
    if len(popular) <= most:
        return list(questions)
    rng = np.random.default_rng(0)
    dropped = set(rng.choice(popular, size=len(popular) - most, replace=False).tolist())
    return [question for n, question in enumerate(questions) if n not in dropped]


def some(questions: Sequence[DisambiguationQuestion], most: int) -> list[DisambiguationQuestion]:
    """So many at most, at random, in their order."""
    if len(questions) <= most:
        return list(questions)
    kept = np.random.default_rng(1).choice(len(questions), size=most, replace=False)
    return [questions[n] for n in sorted(kept.tolist())]


def counts_of(questions: Iterable[DisambiguationQuestion]) -> dict[str, int]:
    """How large each split is, and where descriptions come from."""
    found = Counter[str]()
    for question in questions:
        found[f"n_{question.split}"] += 1
        for candidate in question.candidates:
            found[f"n_described_by_{candidate.origin}"] += 1
    return dict(sorted(found.items()))

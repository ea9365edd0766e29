"""What a typing model learns from: rows of tokens, each with the numbers of its types."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from holdfast.document import Span
from holdfast.encoders.tokens import TokenReader
from holdfast.errors import ArtifactError, InvalidValueError, UsageError
from holdfast.kb.store import KnowledgeBase
from holdfast.systems.bier.categories import ConceptCategories
from holdfast.systems.bier.describe import Descriptions
from holdfast.systems.bier.reading import Shape, row_of, row_of_texts
from holdfast.systems.bier.type_list import TypeList
from holdfast.text.normalise import fold

_TRIPLES: Final = "triples-*.jsonl.gz"
_PARTS: Final = 1000  # that documents are divided in by their hash


@dataclass(frozen=True, slots=True, eq=False)
class TypedExample:
    """A row without its special tokens, and its types."""

    tokens: npt.NDArray[np.int32]
    types: npt.NDArray[np.int32]  # ascending


@dataclass(frozen=True, slots=True)
class TypedTriple:
    """A mention of a stored document, and its types."""

    start: int
    end: int
    types: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TypedDocument:
    """A document of a type system."""

    id: str
    text: str
    triples: tuple[TypedTriple, ...]


@dataclass(frozen=True, slots=True)
class TripleChoice:
    """Which triples are learned, and which are looked at to choose."""

    dev_share: float = 0.03  # of documents
    most_dev: int = 2000  # triples
    most_per_mention: int = 40  # triples of equal words that are learned; 0: all
    most: int = 0  # triples that are learned; 0: all
    bare: float = 0.0  # share of them that is read without its text, as a name alone is asked
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0.0 <= self.bare <= 1.0:
            raise InvalidValueError(f"bare = {self.bare}; it is a share, from 0 to 1")


def read_typed(folder: Path) -> Iterator[TypedDocument]:
    """The documents of a type system, one at a time."""
    paths = sorted(folder.glob(_TRIPLES))
    if not paths:
        raise ArtifactError(f"{folder}: has no triples; build it again")
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            for line in stream:
                data: dict[str, Any] = json.loads(line)
                triples = (TypedTriple(a, b, tuple(types)) for a, b, types in data["triples"])
                yield TypedDocument(data["id"], data["text"], tuple(triples))


def is_dev(id: str, share: float) -> bool:
    """Whether a document is development data: by its id, so that it always is or never."""
    number = int.from_bytes(hashlib.sha256(id.encode()).digest()[:8], "big")
    return number % _PARTS < round(share * _PARTS)


@dataclass(frozen=True, slots=True)
class Dataset:
    """Examples to learn from, and to look at."""

    training: Sequence[TypedExample]
    development: Sequence[TypedExample]


def mention_examples(
    documents: Iterable[TypedDocument], reader: TokenReader, shape: Shape, choice: TripleChoice
) -> Dataset:
    """The examples of a type system, split by document.

    Triples are drawn at random, so that a word that is common is learned from all of the text and
    not from where it begins. Only documents with a drawn triple are cut into tokens.
    """
    every = list(documents)
    training, development = list[_Place](), list[_Place]()
    for number, document in enumerate(every):
        own = training if not is_dev(document.id, choice.dev_share) else development
        own.extend((number, place) for place in range(len(document.triples)))
    rng = np.random.default_rng(choice.seed)
    drawn = _drawn(training, every, choice, rng)
    looked_at = _some(development, choice.most_dev, rng)
    bare = set(_some(drawn, round(choice.bare * len(drawn)), rng) if choice.bare else ())
    return Dataset(
        list(_examples(drawn, every, reader, shape, bare=bare)),
        list(_examples(looked_at, every, reader, shape, bare=frozenset())),
    )


_Place = tuple[int, int]  # of a document, and of a triple in it


def _drawn(
    places: Sequence[_Place],
    documents: Sequence[TypedDocument],
    choice: TripleChoice,
    rng: np.random.Generator,
) -> list[_Place]:
    """At most so many triples of equal words, and so many of all, in their order."""
    seen = Counter[str]()
    kept = list[_Place]()
    for at in rng.permutation(len(places)).tolist():
        number, place = places[at]
        triple = documents[number].triples[place]
        words = fold(documents[number].text[triple.start : triple.end])
        seen[words] += 1
        if not choice.most_per_mention or seen[words] <= choice.most_per_mention:
            kept.append(places[at])
    return sorted(kept[: choice.most] if choice.most else kept)


def _some(places: list[_Place], most: int, rng: np.random.Generator) -> list[_Place]:
    """So many of them, drawn at random, in their order; 0: all."""
    if not most or len(places) <= most:
        return places
    drawn = rng.choice(len(places), size=most, replace=False)
    return [places[at] for at in np.sort(drawn).tolist()]


def _examples(
    places: Sequence[_Place],
    documents: Sequence[TypedDocument],
    reader: TokenReader,
    shape: Shape,
    *,
    bare: Collection[_Place],
) -> Iterator[TypedExample]:
    """Rows of tokens. Those of `bare` have the mention itself as their context."""
    for number, group in groupby(places, key=lambda place: place[0]):
        document = documents[number]
        tokens = reader.read(document.text)
        for place in group:
            triple = document.triples[place[1]]
            span, text = Span(triple.start, triple.end), tokens
            if place in bare:
                words = document.text[triple.start : triple.end]
                span, text = Span(0, len(words)), reader.read(words)
            row = row_of(text, (span,), shape, separator=reader.last).astype(np.int32)
            yield TypedExample(row, np.array(triple.types, dtype=np.int32))


def description_examples(
    kb: KnowledgeBase,
    categories: ConceptCategories,
    types: TypeList,
    reader: TokenReader,
    shape: Shape,
    choice: TripleChoice,
) -> Dataset:
    """Entities of a knowledge base by name and description, with the types that they have.

    One with a definition and one without take turns, while there are both: candidates of either
    kind are described. Entities without a type in the list are left out.
    """
    descriptions = Descriptions(kb)
    most = choice.most or len(kb)
    defined = np.zeros(len(kb), dtype=bool)
    defined[np.asarray(kb.table("definitions").column("entity"))] = True
    training, development = list[TypedExample](), list[TypedExample]()
    for row in described_order(defined, np.asarray(kb.source_of), seed=choice.seed):
        if len(training) >= most:
            break
        id = kb.id_at(row)
        numbers = types.numbers(categories.of(id))
        if not len(numbers):
            continue
        told = descriptions.of(id)
        tokens = row_of_texts(reader, told.name, told.text, shape).astype(np.int32)
        dev = is_dev(id, choice.dev_share) and len(development) < choice.most_dev
        (development if dev else training).append(TypedExample(tokens, numbers))
    if not training:
        raise UsageError(f"no entity of {kb.name!r} has a type of the list; nothing to learn")
    return Dataset(training, development)


def described_order(
    defined: npt.NDArray[np.bool_], sources: npt.NDArray[Any], *, seed: int
) -> Iterator[int]:
    """Rows of entities, in a random order in which those with a definition and those without take
    turns, the latter by turns of each vocabulary: genes and organisms are most of them.

    *Shape:* both (entities,)
    """
    order = np.random.default_rng(seed).permutation(len(defined))
    without = order[~defined[order]]
    by_source = [without[sources[without] == one].tolist() for one in np.unique(sources[without])]
    return _in_turns([order[defined[order]].tolist(), _in_turns(by_source)])


def _in_turns(parts: Sequence[Iterable[int]]) -> Iterator[int]:
    """One of each part, again and again; a part that has ended is left out."""
    waiting = deque(map(iter, parts))
    while waiting:
        part = waiting.popleft()
        try:
            yield next(part)
        except StopIteration:
            continue
        waiting.append(part)

"""What a typing model learns from: rows of tokens, each with the numbers of its types."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from holdfast.document import Span
from holdfast.encoders.tokens import TokenReader
from holdfast.errors import ArtifactError, UsageError
from holdfast.kb.store import KnowledgeBase
from holdfast.systems.bier.categories import ConceptCategories
from holdfast.systems.bier.describe import Descriptions
from holdfast.systems.bier.reading import Shape, row_of, row_of_texts
from holdfast.systems.bier.type_list import TypeList
from holdfast.text.normalise import fold

_TRIPLES: Final = "triples-*.jsonl.gz"
_PARTS: Final = 1000  # that documents are divided in by their hash


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A row without its special tokens, and its types."""

    tokens: npt.NDArray[np.int32]
    types: npt.NDArray[np.int32]  # ascending


@dataclass(frozen=True, slots=True)
class Triple:
    """A mention of a stored document, and its types."""

    start: int
    end: int
    types: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TypedDocument:
    """A document of a type system."""

    id: str
    text: str
    triples: tuple[Triple, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """Which triples are learned, and which are looked at to choose."""

    dev_share: float = 0.03  # of documents
    most_dev: int = 2000  # triples
    most_per_mention: int = 40  # triples of equal words that are learned; 0: all
    most: int = 0  # triples that are learned; 0: all
    seed: int = 0


def read_typed(folder: Path) -> Iterator[TypedDocument]:
    """The documents of a type system, one at a time."""
    paths = sorted(folder.glob(_TRIPLES))
    if not paths:
        raise ArtifactError(f"{folder}: has no triples; build it again")
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            for line in stream:
                data: dict[str, Any] = json.loads(line)
                triples = (Triple(a, b, tuple(types)) for a, b, types in data["triples"])
                yield TypedDocument(data["id"], data["text"], tuple(triples))


def is_dev(id: str, share: float) -> bool:
    """Whether a document is development data: by its id, so that it always is or never."""
    number = int.from_bytes(hashlib.sha256(id.encode()).digest()[:8], "big")
    return number % _PARTS < round(share * _PARTS)


@dataclass(frozen=True, slots=True)
class Dataset:
    """Examples to learn from, and to look at."""

    training: Sequence[Example]
    development: Sequence[Example]


def mention_examples(
    documents: Iterable[TypedDocument], reader: TokenReader, shape: Shape, choice: Choice
) -> Dataset:
    """The examples of a type system, split by document.

    Of mentions with the same words, only so many are learned, those that come first.
    """
    seen = Counter[str]()
    training, development = list[Example](), list[Example]()
    for document in documents:
        dev = is_dev(document.id, choice.dev_share)
        chosen = [
            triple
            for triple in document.triples
            if dev or _is_wanted(document.text[triple.start : triple.end], seen, choice)
        ]
        tokens = reader.read(document.text) if chosen else None
        for triple in chosen:
            assert tokens is not None
            span = Span(triple.start, triple.end)
            row = row_of(tokens, (span,), shape, separator=reader.last).astype(np.int32)
            example = Example(row, np.array(triple.types, dtype=np.int32))
            (development if dev else training).append(example)
    return Dataset(
        _some(training, choice.most, choice.seed), _some(development, choice.most_dev, choice.seed)
    )


def description_examples(
    kb: KnowledgeBase,
    categories: ConceptCategories,
    types: TypeList,
    reader: TokenReader,
    shape: Shape,
    choice: Choice,
) -> Dataset:
    """Entities of a knowledge base by name and description, with the types that they have.

    Those with a definition come first; entities without a type in the list are left out.
    """
    descriptions = Descriptions(kb)
    most = choice.most or len(kb)
    order = np.random.default_rng(choice.seed).permutation(len(kb))
    defined = np.zeros(len(kb), dtype=bool)
    defined[np.asarray(kb.table("definitions").column("entity"))] = True
    order = np.concatenate([order[defined[order]], order[~defined[order]]])
    training, development = list[Example](), list[Example]()
    for row in order.tolist():
        if len(training) >= most:
            break
        id = kb.id_at(row)
        numbers = types.numbers(categories.of(id))
        if not len(numbers):
            continue
        told = descriptions.of(id)
        tokens = row_of_texts(reader, told.name, told.text, shape).astype(np.int32)
        dev = is_dev(id, choice.dev_share) and len(development) < choice.most_dev
        (development if dev else training).append(Example(tokens, numbers))
    if not training:
        raise UsageError(f"no entity of {kb.name!r} has a type of the list; nothing to learn")
    return Dataset(training, development)


def _is_wanted(words: str, seen: Counter[str], choice: Choice) -> bool:
    key = fold(words)
    seen[key] += 1
    return not choice.most_per_mention or seen[key] <= choice.most_per_mention


def _some(examples: list[Example], most: int, seed: int) -> list[Example]:
    """So many of them, drawn at random, always the same, in their order."""
    if not most or len(examples) <= most:
        return examples
    drawn = np.random.default_rng(seed).choice(len(examples), size=most, replace=False)
    return [examples[at] for at in np.sort(drawn).tolist()]

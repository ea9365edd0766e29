"""What was found in a shard, counted, so that a report needs no second look at the output."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from holdfast.batch.mention_rows import vocabulary_of
from holdfast.document import Document

_COUNTS: Final = ("documents", "characters", "mentions", "linked", "nil")
_COUNTERS: Final = ("types", "vocabularies", "concepts", "lost")


@dataclass(slots=True)
class ShardTally:
    """Counts of one shard, or of many."""

    documents: int = 0  # that are in the output
    characters: int = 0
    mentions: int = 0
    linked: int = 0  # mentions with at least one id
    nil: int = 0  # mentions that fit no concept
    types: Counter[str] = field(default_factory=Counter)  # mentions by type
    vocabularies: Counter[str] = field(default_factory=Counter)  # ids by their prefix
    concepts: Counter[str] = field(default_factory=Counter)  # mentions by id
    lost: Counter[str] = field(default_factory=Counter)  # what the output format cannot hold

    def counted(self, documents: Iterable[Document]) -> Iterator[Document]:
        """The documents, counted while they go by."""
        for document in documents:
            self.add(document)
            yield document

    def add(self, document: Document) -> None:
        self.documents += 1
        self.characters += len(document.text)
        for mention in document.mentions:
            self.mentions += 1
            self.linked += mention.is_linked
            self.nil += mention.is_nil
            self.types[mention.type or "none"] += 1
            if mention.is_linked:
                self.concepts.update(mention.ids)
                self.vocabularies.update(vocabulary_of(id) for id in mention.ids)

    def merge(self, other: ShardTally) -> None:
        for name in _COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in _COUNTERS:
            getattr(self, name).update(getattr(other, name))

    def to_json(self) -> dict[str, Any]:
        """Sorted, so that equal counts are equal bytes."""
        plain = {name: getattr(self, name) for name in _COUNTS}
        return plain | {name: dict(sorted(getattr(self, name).items())) for name in _COUNTERS}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ShardTally:
        tally = cls()
        for name in _COUNTS:
            setattr(tally, name, int(data[name]))
        for name in _COUNTERS:
            getattr(tally, name).update(data[name])
        return tally

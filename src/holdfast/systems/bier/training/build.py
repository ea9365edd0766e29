"""Annotated text to a type system: triples (mention, context, types) and the list of types.

Two passes over the annotated shards, one document in memory at a time: how often each set of
concepts is meant, from which the types are chosen, and the triples themselves.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from holdfast import artifacts
from holdfast.errors import UsageError
from holdfast.files import replacing_text
from holdfast.kb.store import KnowledgeBase
from holdfast.progress import Log
from holdfast.systems.bier.categories import Category, ConceptCategories
from holdfast.systems.bier.training.annotate import (
    AnnotatedDocument,
    FoundConcept,
    FoundMention,
    read_annotated,
)
from holdfast.systems.bier.training.merging import Edits, Merger
from holdfast.systems.bier.training.sample import Sample
from holdfast.systems.bier.type_list import EntityType, TypeList

KIND: Final = "type system"
VERSION: Final = 1
TRIPLES: Final = "triples-{:05}.jsonl.gz"
STATS: Final = "statistics.json"


@dataclass(frozen=True, slots=True)
class Filter:
    """Which concepts, categories and types are kept."""

    least_score: float = 0.8  # of a concept
    within: float = 0.02  # of the best concept's score
    least_count: int = 20  # triples that have a type
    most_share: float = 0.8  # of all triples, above which a type says nothing

    def concepts(self, found: Sequence[FoundConcept]) -> list[str]:
        """The ids that pass: good enough, and not far behind the best."""
        best = max((concept.score for concept in found), default=0.0)
        least = max(self.least_score, best - self.within)
        return [concept.id for concept in found if concept.score >= least - 1e-9]


@dataclass(slots=True)
class Statistics:
    """What was counted on the way."""

    documents: int = 0
    mentions: int = 0
    mentions_that_pass: int = 0  # with a concept that passes the filter
    several_concepts: int = 0  # of which several concepts pass
    with_equivalents: int = 0  # whose concept joins equivalents of other vocabularies
    triples: int = 0  # with at least one type
    categories: int = 0
    types: int = 0
    removed_documents: int = 0  # that are evaluated somewhere
    types_per_triple: Counter[int] = field(default_factory=Counter)

    def to_json(self) -> dict[str, Any]:
        histogram = {str(key): self.types_per_triple[key] for key in sorted(self.types_per_triple)}
        return {**asdict(self), "types_per_triple": histogram}


Concepts = tuple[str, ...]  # ids


@dataclass(frozen=True, slots=True)
class Kept:
    """A mention, and its concepts that passed."""

    mention: FoundMention
    concepts: Concepts


class Builder:
    """Builds a type system from the annotated shards in `annotated`."""

    def __init__(
        self,
        annotated: Path,
        kb: KnowledgeBase,
        categories: ConceptCategories,
        *,
        chosen: Filter,
        edits: Edits,
        report: Log,
        share: float = 1.0,  # of the shards
    ) -> None:
        self._annotated = annotated
        self._share = share
        self._kb = kb
        self._categories = categories
        self._filter = chosen
        self._edits = edits
        self._report = report

    def write(
        self, folder: Path, *, config: Mapping[str, Any], removed: int = 0, documents: int = 2000
    ) -> Statistics:
        """Write the type system, whole or not at all; `documents` go into each file of triples."""
        statistics = Statistics(removed_documents=removed)
        meant = self._count_concepts(statistics)
        counts = self._count_categories(meant)
        statistics.categories = len(counts)
        self._report(f"{statistics.mentions:,} mentions, {len(counts):,} categories")
        merger = Merger(counts, kb=self._kb, edits=self._edits)
        types = self._select(merger, meant)
        statistics.types = len(types)
        self._report(f"{len(types):,} types")
        sample = Sample()
        with artifacts.publish(folder) as scratch:
            types.write(scratch)
            triples = self._triples(types, statistics, sample)
            for number, block in enumerate(_blocks(triples, documents)):
                with replacing_text(scratch / TRIPLES.format(number)) as out:
                    out.writelines(f"{json.dumps(one, ensure_ascii=False)}\n" for one in block)
            if not statistics.triples:
                raise UsageError("no mention of the text has a type; there is nothing to learn")
            told = json.dumps(statistics.to_json(), indent=2)
            (scratch / STATS).write_text(told + "\n", encoding="utf-8")
            sample.write(scratch, types, self._kb)
            artifacts.write_manifest(scratch, kind=KIND, version=VERSION, config=config)
        return statistics

    def _kept(self, document: AnnotatedDocument) -> Iterator[Kept]:
        for mention in document.mentions:
            if ids := self._filter.concepts(mention.concepts):
                yield Kept(mention, tuple(ids))

    def _count_concepts(self, statistics: Statistics) -> Counter[Concepts]:
        """How many mentions mean each set of concepts."""
        meant = Counter[Concepts]()
        for document in self._documents():
            statistics.documents += 1
            statistics.mentions += len(document.mentions)
            meant.update(kept.concepts for kept in self._kept(document))
        if not statistics.mentions:
            raise UsageError("no mention was found in the text; there is nothing to learn")
        for concepts, count in meant.items():
            statistics.mentions_that_pass += count
            statistics.several_concepts += count if len(concepts) > 1 else 0
            joins = any(len(self._categories.equivalents(id)) > 1 for id in concepts)
            statistics.with_equivalents += count if joins else 0
        return meant

    def _count_categories(self, meant: Mapping[Concepts, int]) -> Counter[Category]:
        counts = Counter[Category]()
        for concepts, count in meant.items():
            for category in self._categories.of_all(concepts):
                counts[category] += count
        return counts

    def _select(self, merger: Merger, meant: Mapping[Concepts, int]) -> TypeList:
        """The groups that are seen often enough and not nearly always, the commonest first."""
        counts, keys = Counter[str](), dict[str, set[str]]()
        for concepts, count in meant.items():
            groups = set[str]()
            for category in self._categories.of_all(concepts):
                group = merger.group_of(category)
                groups.add(group)
                keys.setdefault(group, set()).add(category.key)
            for group in groups:
                counts[group] += count
        most = self._filter.most_share * sum(meant.values())
        chosen = [
            EntityType(merger.name_of(group), count, tuple(sorted(keys[group])))
            for group, count in counts.items()
            if self._filter.least_count <= count <= most and not merger.is_removed(group)
        ]
        return TypeList(tuple(sorted(chosen, key=lambda one: (-one.count, one.name))))

    def _documents(self) -> Iterator[AnnotatedDocument]:
        return read_annotated(self._annotated, share=self._share)

    def _triples(
        self, types: TypeList, statistics: Statistics, sample: Sample
    ) -> Iterator[dict[str, Any]]:
        """Documents with their triples, as they are stored."""
        known = dict[Concepts, npt.NDArray[np.int32]]()
        for document in self._documents():
            found = list[tuple[int, int, list[int]]]()
            for kept in self._kept(document):
                if kept.concepts not in known:
                    known[kept.concepts] = types.numbers(self._categories.of_all(kept.concepts))
                numbers = known[kept.concepts]
                if len(numbers):
                    statistics.triples += 1
                    statistics.types_per_triple[len(numbers)] += 1
                    found.append((kept.mention.start, kept.mention.end, numbers.tolist()))
                    sample.offer(document, kept.mention, kept.concepts, numbers)
            if found:
                yield {"id": document.id, "text": document.text, "triples": found}


def _blocks(items: Iterator[Any], size: int) -> Iterator[list[Any]]:
    while block := list(islice(items, size)):
        yield block


def types_folder(name: str) -> Path:
    """Where the type system of that name lives, whether or not it is there."""
    return artifacts.home() / "types" / name


def open_type_system(name: str | Path) -> tuple[Path, artifacts.Manifest]:
    """The folder of a type system by its name or path, and its manifest."""
    folder = Path(name)
    if not (folder / artifacts.MANIFEST).exists():
        folder = types_folder(str(name))
    if not (folder / artifacts.MANIFEST).exists():
        raise UsageError(f"no type system {str(name)!r}; first `holdfast types build {name}`")
    return folder, artifacts.read_manifest(folder, kind=KIND, version=VERSION)


def read_statistics(folder: Path) -> dict[str, Any]:
    """What was counted when a type system was built."""
    found: dict[str, Any] = json.loads((folder / STATS).read_text(encoding="utf-8"))
    return found

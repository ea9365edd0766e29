"""The dictionaries of the lenient protocol as knowledge bases, so that any linker can use them.

Lines that share an id are one entity. An answer still counts by the ids of the line that holds
the name, as the protocol has it, not by those of the whole entity.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from holdfast import artifacts
from holdfast.corpora.named import load_training
from holdfast.corpora.named.biosyn import (
    LenientMention,
    LenientName,
    read_lenient_dictionary,
    read_lenient_mentions,
    read_lenient_pairs,
)
from holdfast.document import Document
from holdfast.errors import KnowledgeBaseError, UsageError
from holdfast.experiments.recipe import Recipe
from holdfast.experiments.recipe_kb import kb_of, primary_ids
from holdfast.experiments.retired_ids import retired_ids
from holdfast.kb.build import Source, build_kb
from holdfast.kb.records import Entry
from holdfast.kb.store import KnowledgeBase
from holdfast.link.ranking.queries import written_out
from holdfast.link.ranking.used_names import UsedNames
from holdfast.progress import Progress
from holdfast.text.abbreviations import long_forms
from holdfast.types import CHEMICAL, canonical_type

_FOLDERS: Final = {
    "ncbi-disease": "corpora/ncbi_disease/biosyn",
    "bc5cdr-disease": "corpora/bc5cdr/biosyn_disease",
}
CHEMICAL_CORPUS: Final = "bc5cdr-chemical"
CHEMICAL_PAIRS: Final = "corpora/bc5cdr/biosyn_chemical_pairs.json"
_PREFIX: Final = "MESH:"


@dataclass(frozen=True, slots=True)
class LenientBase:
    """A dictionary without any mentions of texts, as entities."""

    kb: KnowledgeBase
    entity_of: Mapping[str, str]  # bare id -> entity
    _ids: Mapping[tuple[str, str], frozenset[str]]  # of the line with this entity and name
    _also: Mapping[str, frozenset[str]] = field(default_factory=dict)  # entity -> all its ids

    def ids_of(self, entity_id: str, name: str) -> frozenset[str]:
        """The bare ids that an answer stands for: those of the line that holds the name."""
        own = self._also.get(entity_id, frozenset({entity_id.removeprefix(_PREFIX)}))
        return self._ids.get((entity_id, name), own)

    def with_lines(self, lines: Iterable[LenientName]) -> LenientBase:
        """The base with names that stand for the ids of these lines; the first of a name counts.

        In the dictionary of an evaluated split, a name that training mentions gave to several
        concepts is one line with all their ids.
        """
        ids = dict(self._ids)
        for line in reversed(list(lines)):
            for entity in {self.entity_of[id] for id in line.ids if id in self.entity_of}:
                ids[entity, line.name] = line.ids
        return replace(self, _ids=ids)


def lenient_base(recipe: Recipe, *, data: Path, progress: Progress | None = None) -> LenientBase:
    """The dictionary of the recipe's corpus before the training mentions were put in."""
    if recipe.measured.corpus == CHEMICAL_CORPUS:
        kb = kb_of(recipe, data=data, progress=progress)
        training = training_documents(recipe, recipe.training_names, data=data)
        return _chemical_base(kb, retired_ids(training, kb, known=primary_ids(kb)))
    path = lenient_folder(recipe, data) / "train_dictionary.txt"
    names = list(read_lenient_dictionary(path))
    entity_of = _entities(names)
    lines = {(entity_of[min(line.ids)], line.name): line.ids for line in names}
    digest = artifacts.sha256_of(path)
    folder = artifacts.home() / "recipes" / f"lenient-{digest[:12]}"
    try:
        kb = KnowledgeBase(folder)
    except KnowledgeBaseError:
        parts = [(Source(path.name), _entries(names, entity_of))]
        build_kb(folder, name="lenient-dictionary", parts=parts, progress=progress)
        kb = KnowledgeBase(folder)
    return LenientBase(kb, entity_of, lines)


def _chemical_base(kb: KnowledgeBase, retired: Mapping[str, str]) -> LenientBase:
    """`retired`: ids of the training mentions that the base calls otherwise."""
    own = (kb.id_at(row) for row in range(len(kb)))
    entity_of = {id.removeprefix(_PREFIX): id for id in own}
    also = defaultdict[str, set[str]](set)
    for id, entity in retired.items():
        entity_of[id.removeprefix(_PREFIX)] = entity
        also[entity] |= {id.removeprefix(_PREFIX), entity.removeprefix(_PREFIX)}
    return LenientBase(kb, entity_of, {}, {entity: frozenset(ids) for entity, ids in also.items()})


def _entities(names: Iterable[LenientName]) -> dict[str, str]:
    """Bare ids to entities; all ids of a line are one entity, called by its first line's least."""
    entity_of: dict[str, str] = {}
    for line in names:
        known = sorted({entity_of[id] for id in line.ids if id in entity_of})
        entity = known[0] if known else f"X:{min(line.ids)}"
        for other in known[1:]:
            entity_of.update({id: entity for id, e in entity_of.items() if e == other})
        entity_of.update(dict.fromkeys(line.ids, entity))
    return entity_of


def _entries(names: Iterable[LenientName], entity_of: Mapping[str, str]) -> Iterator[Entry]:
    by_entity = defaultdict[str, list[str]](list)
    for line in names:
        by_entity[entity_of[min(line.ids)]].append(line.name)
    for entity, (first, *others) in by_entity.items():
        yield Entry(entity, first, synonyms=tuple(others))


def lenient_mentions(recipe: Recipe, split: str, *, data: Path) -> list[LenientMention]:
    """The split's mentions as the protocol's files have them."""
    if recipe.measured.corpus == CHEMICAL_CORPUS:
        return list(read_lenient_pairs(data / CHEMICAL_PAIRS, split))
    return list(read_lenient_mentions(lenient_folder(recipe, data) / f"{split}.concept.tsv"))


def lenient_folder(recipe: Recipe, data: Path) -> Path:
    """Where the protocol's files of the recipe's corpus are."""
    corpus = recipe.measured.corpus
    if corpus not in _FOLDERS:
        raise UsageError(f"recipe {recipe.name!r}: {corpus!r} has no lenient files")
    return data / _FOLDERS[corpus]


def training_mentions(recipe: Recipe, splits: Sequence[str], *, data: Path) -> list[LenientMention]:
    """Those of training splits, each with its document, none of the evaluated split's documents."""
    documents = training_documents(recipe, splits, data=data)
    if recipe.measured.corpus == CHEMICAL_CORPUS:
        return list(_chemicals(documents))
    kept = {document.id for document in documents}
    mentions = (m for split in splits for m in lenient_mentions(recipe, split, data=data))
    return [mention for mention in mentions if mention.document_id in kept]


def training_documents(recipe: Recipe, splits: Sequence[str], *, data: Path) -> list[Document]:
    """The documents behind the protocol's files, without those of the evaluated split."""
    measured = recipe.measured
    corpus = "ncbi-disease" if measured.corpus == "ncbi-disease" else "bc5cdr"
    mixture = [(corpus, split) for split in splits]
    return list(load_training(mixture, evaluated=[(corpus, measured.split)], data=data).documents)


def _chemicals(documents: Iterable[Document]) -> Iterator[LenientMention]:
    """The pairs of the protocol do not name their documents: the same, from the corpus itself."""
    for document in documents:
        meant = long_forms(document.text)
        for mention in document.mentions:
            if canonical_type(mention.type) == CHEMICAL and mention.is_linked:
                name = written_out(document.text_of(mention), meant)
                ids = frozenset(id.removeprefix(_PREFIX) for id in mention.ids)
                yield LenientMention(document.id, (name,), ids)


def used_names(mentions: Iterable[LenientMention], base: LenientBase) -> UsedNames:
    """The mentions of one part and one entity as names."""
    used = defaultdict[tuple[str, str], set[str]](set)
    for mention in mentions:
        entities = {base.entity_of.get(id, "") for id in mention.ids}
        if len(mention.parts) == 1 and len(entities) == 1 and "" not in entities:
            used[mention.parts[0], entities.pop()].add(mention.document_id)
    return UsedNames(
        names=tuple(name for name, _ in used),
        entity_ids=tuple(entity for _, entity in used),
        documents=tuple(map(frozenset, used.values())),
    )

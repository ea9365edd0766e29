"""`holdfast kb check`: is a knowledge base sound, and does it hold all that its sources say?"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow.compute as pc

from holdfast import artifacts
from holdfast.errors import HoldfastError
from holdfast.kb.audit.compare import KINDS, Comparison, Gaps
from holdfast.kb.audit.walks import WALKS, Term
from holdfast.kb.build import Source
from holdfast.kb.hierarchy import children_by_id
from holdfast.kb.open.vocabularies import VOCABULARIES
from holdfast.kb.readers import READERS
from holdfast.kb.records import Entry, Record
from holdfast.kb.store import KnowledgeBase
from holdfast.kb.tables import column
from holdfast.progress import Progress
from holdfast.types import FOREIGN, UNTYPED

_EXAMPLES: Final = 5


@dataclass(frozen=True, slots=True)
class SourceCheck:
    """One source of a knowledge base, compared with its files."""

    name: str
    entities: int  # of the knowledge base
    unlisted: int  # of these, how many were not met in the files
    files: str  # what it was compared with; "" if it could not be compared
    reason: str  # why it could not
    gaps: Gaps | None

    def to_json(self) -> dict[str, Any]:
        stated = {"name": self.name, "entities": self.entities, "compared_with": self.files}
        if self.gaps is None:
            return {**stated, "not_compared": self.reason}
        missing = {kind: self.gaps.counts[kind] for kind in KINDS}
        examples = [asdict(gap) for gap in self.gaps.examples]
        return {
            **stated,
            "terms": self.gaps.terms,
            "missing": missing,
            "unlisted": self.unlisted,
            "examples": examples,
        }


@dataclass(frozen=True, slots=True)
class Check:
    """All that was checked. Parents outside the knowledge base and types are only told."""

    name: str
    entities: int
    names: int
    damaged: tuple[str, ...]  # files and tables that are not what they should be
    nameless: tuple[str, ...]  # ids without a name
    outside: int  # parents that are not in the knowledge base
    outside_examples: tuple[str, ...]
    untyped: int  # entities without a type
    foreign: int  # entities of types that only their source knows
    sources: tuple[SourceCheck, ...]

    @property
    def is_whole(self) -> bool:
        """Whether nothing is damaged and nothing is missing."""
        complete = all(source.gaps is None or not source.gaps.total for source in self.sources)
        return complete and not self.damaged and not self.nameless

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "whole": self.is_whole,
            "entities": self.entities,
            "names": self.names,
            "damaged": list(self.damaged),
            "nameless": list(self.nameless),
            "parents_outside": self.outside,
            "parents_outside_examples": list(self.outside_examples),
            "untyped": self.untyped,
            "types_of_the_source_only": self.foreign,
            "sources": [source.to_json() for source in self.sources],
        }


def check(kb: KnowledgeBase, *, progress: Progress | None = None) -> Check:
    """Hash every file again, look for what is not sound, and compare each source with its files.

    An open vocabulary is compared with its packages in the home folder, by `walks`; what was
    built from files is compared with what its reader reads there now.
    """
    report = progress or (lambda _what, _done: None)
    report("hashing", 0.0)
    damaged = tuple(_damage(kb))
    report("reading the tables", 0.1)
    comparison = Comparison(kb)
    entities = np.bincount(kb.source_of, minlength=len(kb.sources))
    compared = []
    for number, source in enumerate(kb.sources):
        report(f"comparing {source.name}", 0.2 + 0.8 * number / len(kb.sources))
        compared.append(_compared(comparison, number, source))
    outside = _parents_outside(kb)
    return Check(
        name=kb.name,
        entities=len(kb),
        names=kb.names,
        damaged=damaged,
        nameless=tuple(_nameless(kb)),
        outside=len(outside),
        outside_examples=tuple(outside[:_EXAMPLES]),
        untyped=int((kb.type_mask == UNTYPED).sum()),
        foreign=int((kb.type_mask == FOREIGN).sum()),
        sources=tuple(
            replace(
                part,
                entities=int(entities[number]),
                unlisted=int(((kb.source_of == number) & ~comparison.walked).sum()),
            )
            for number, part in enumerate(compared)
        ),
    )


def _compared(comparison: Comparison, number: int, source: Source) -> SourceCheck:
    part = SourceCheck(source.name, 0, 0, "", "", None)
    found = _files_of(source)
    if isinstance(found, str):
        return replace(part, reason=found)
    try:
        gaps = comparison.compare(number, found.terms(), strict=not source.path)
    except (HoldfastError, OSError, KeyError, zipfile.BadZipFile) as error:
        return replace(part, reason=f"{found.name} cannot be read: {error}")
    return replace(part, files=found.name, gaps=gaps)


@dataclass(frozen=True, slots=True)
class _Files:
    name: str
    terms: Callable[[], Iterable[Term]]


def _files_of(source: Source) -> _Files | str:
    """The files to compare a source with, or why there are none."""
    if source.path:
        if not Path(source.path).exists():
            return f"{source.path} is not there any more"
        return _Files(source.path, lambda: _terms_of_file(source))
    plain = replace(source, is_part=False)
    name = next((name for name, known in VOCABULARIES.items() if known.source == plain), None)
    if name is None or name not in WALKS:
        return "the knowledge base does not say which files it was built from"
    for package in WALKS[name].packages:
        if not package.path.exists():
            return f"{package.path} is not there; `holdfast kb get {name} --force` fetches it"
    wheels = ", ".join(package.requirement for package in WALKS[name].packages)
    return _Files(wheels, WALKS[name].terms)


def _terms_of_file(source: Source) -> Iterator[Term]:
    options = json.loads(source.options or "{}")
    for record in READERS[source.origin](source.path, **options):
        yield _term(record)


def _term(record: Record) -> Term:
    is_entry = isinstance(record, Entry)
    names = (record.name, *record.synonyms) if isinstance(record, Entry) else record.synonyms
    return Term(
        record.id,
        tuple(name for name in names if name.strip()),
        frozenset(record.types),
        tuple(link.object_id for link in record.links if link.predicate == "is_a"),
        record.definition,
        is_entry,
    )


def _damage(kb: KnowledgeBase) -> Iterator[str]:
    """Files that changed, and rows that point to nothing."""
    for file, known in kb.manifest.files.items():
        if artifacts.sha256_of(kb.folder / file) != known["sha256"]:
            yield f"{file}: its content is not what the manifest says"
    for table in ("names", "types", "relations", "definitions", "xrefs"):
        owner = column(kb.table(table), "entity")
        if len(owner) and (int(owner.max()) >= len(kb) or np.any(owner[1:] < owner[:-1])):
            yield f"{table}: rows of entities that do not exist, or out of order"
    for key, found in (("entities", len(kb)), ("names", kb.names)):
        if (stated := kb.manifest.config.get(key)) != found:
            yield f"{key}: {found:,}, but the manifest says {stated}"


def _nameless(kb: KnowledgeBase) -> Iterator[str]:
    owner = column(kb.table("names"), "entity")
    named = np.zeros(len(kb), dtype=bool)
    named[owner[owner < len(kb)]] = True
    blank = pc.equal(pc.utf8_trim_whitespace(kb.table("names").column("name")), "")
    named[owner[np.asarray(blank)]] = False
    for row in np.flatnonzero(~named).tolist():
        yield kb.id_at(row)


def _parents_outside(kb: KnowledgeBase) -> list[str]:
    ids = set(kb.table("entities").column("id").to_pylist())
    return sorted(parent for parent in children_by_id(kb) if parent not in ids)

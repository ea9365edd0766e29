"""Triples of DrugMechDB and PharmacotherapyDB, with ids of a knowledge base.

DrugMechDB names proteins by UniProt, drugs by MeSH or DrugBank and the rest by their ontologies;
PharmacotherapyDB names drugs by DrugBank and diseases by DOID. DrugBank's vocabulary is not open,
so that such drugs are found by their names.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from holdfast import types
from holdfast.errors import FormatError, UsageError
from holdfast.kb.store import KnowledgeBase
from holdfast.systems.kebiolm.knowledge.triples import Triple

DRUGMECHDB: Final = "drugmechdb"
PHARMACOTHERAPYDB: Final = "pharmacotherapydb"
_PATHS: Final = "kb/relations/drugmechdb_paths.json"
_INDICATIONS: Final = "kb/relations/pharmacotherapydb/indications.tsv"
_CATEGORIES: Final = {"DM": "treats", "SYM": "palliates"}  # NOT: no indication
_PREFERRED: Final = ("NCBIGene", "MESH", "CHEBI")  # of several entities that an id may mean
_NAMES: Final = 20  # rows of one name that are looked at


@dataclass(slots=True)
class Mapped:
    """How the ends of triples were found in a knowledge base, and which were not."""

    ways: Counter[str] = field(default_factory=Counter)  # by "id", "cross-reference", "name"
    missing: Counter[str] = field(default_factory=Counter)  # by the prefix of the id
    dropped: int = 0  # triples with an end that was not found

    def lines(self, name: str) -> Iterator[str]:
        """For people: distinct ends by how they were found."""
        ways = ", ".join(f"{count:,} by {way}" for way, count in self.ways.most_common())
        total = self.missing.total()
        yield f"{name}: ends found {ways or 'none'}; not found {total:,}"
        if total:
            prefixes = ", ".join(f"{p} {n:,}" for p, n in self.missing.most_common(6))
            yield f"{name}: not found by vocabulary: {prefixes}; {self.dropped:,} triples left out"


class EntityFinder:
    """Finds the entity of a knowledge base that a foreign id or a name means."""

    def __init__(self, kb: KnowledgeBase, mapped: Mapped) -> None:
        self._kb = kb
        self._mapped = mapped
        self._known: dict[tuple[str, str], str | None] = {}

    def find(self, id: str, name: str, type: str) -> str | None:
        """By the id, by a cross-reference, and for chemicals by the name; each is counted once."""
        key = (id, name)
        if key not in self._known:
            found, way = self._look_up(id, name, types.canonical_type(type))
            self._known[key] = found
            if found is None:
                self._mapped.missing[id.partition(":")[0]] += 1
            else:
                self._mapped.ways[way] += 1
        return self._known[key]

    def _look_up(self, id: str, name: str, type: str) -> tuple[str | None, str]:
        kb = self._kb
        if id in kb:
            return id, "id"
        if rows := kb.rows_with_xref(id):
            return kb.id_at(min(rows, key=self._rank)), "cross-reference"
        if type == types.CHEMICAL and (rows := self._named(name)):
            return kb.id_at(min(rows, key=self._rank)), "name"
        return None, ""

    def _named(self, name: str) -> list[int]:
        """The chemicals that have this name."""
        kb, wanted = self._kb, types.mask_of([types.CHEMICAL])
        rows = kb.exact.search([name], _NAMES).rows[0]
        owners = {int(kb.entity_of_name[row]) for row in rows.tolist() if row >= 0}
        return sorted(row for row in owners if int(kb.type_mask[row]) & wanted)

    def _rank(self, row: int) -> tuple[int, int]:
        prefix = self._kb.id_at(row).partition(":")[0]
        place = _PREFERRED.index(prefix) if prefix in _PREFERRED else len(_PREFERRED)
        return place, row


def read_drug_relations(
    name: str, kb: KnowledgeBase, *, data: Path, mapped: Mapped
) -> list[Triple]:
    """The triples of a source, by its name, below a data folder; `mapped` is filled."""
    if name not in SOURCES:
        raise UsageError(
            f"no source of relations is called {name!r}; there is: {', '.join(SOURCES)}"
        )
    path, read = SOURCES[name]
    if not (data / path).exists():
        raise UsageError(f"{data / path}: not there; --data must name a folder that has it")
    find = EntityFinder(kb, mapped).find
    found = list[Triple]()
    for head, relation, tail in read(data / path):
        ends = find(*head), find(*tail)
        if ends[0] is None or ends[1] is None:
            mapped.dropped += 1
        elif ends[0] != ends[1]:
            found.append(Triple(ends[0], relation, ends[1]))
    return list(dict.fromkeys(found))


_End = tuple[str, str, str]  # id, name, type
_Raw = tuple[_End, str, _End]


def _read_drugmechdb(path: Path) -> Iterator[_Raw]:
    """Each link once, however many paths it is part of."""
    seen = set[tuple[str, str, str]]()
    try:
        paths = json.loads(path.read_text(encoding="utf-8"))
        for one in paths:
            nodes = {node["id"]: _node(node) for node in one["nodes"]}
            for link in one["links"]:
                key = (link["source"], link["key"], link["target"])
                if key not in seen:
                    seen.add(key)
                    yield nodes[key[0]], _predicate(key[1]), nodes[key[2]]
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(f"not paths of DrugMechDB: {error!r}", path=path) from error


def _node(node: dict[str, Any]) -> _End:
    return str(node["id"]), str(node["name"]), str(node["label"])


def _predicate(words: str) -> str:
    """As knowledge bases spell relations: "decreases_activity_of"."""
    return "_".join(words.lower().split())


def _read_pharmacotherapydb(path: Path) -> Iterator[_Raw]:
    with path.open(encoding="utf-8", newline="") as stream:
        for number, row in enumerate(csv.DictReader(stream, delimiter="\t"), 2):
            try:
                relation = _CATEGORIES.get(row["category"])
                drug = f"DB:{row['drugbank_id']}", row["drug"], types.CHEMICAL
                disease = row["doid_id"], row["disease"], types.DISEASE
            except KeyError as error:
                raise FormatError(f"no column {error}", path=path, line=number) from error
            if relation:
                yield drug, relation, disease


SOURCES: Final[dict[str, tuple[str, Callable[[Path], Iterator[_Raw]]]]] = {
    DRUGMECHDB: (_PATHS, _read_drugmechdb),
    PHARMACOTHERAPYDB: (_INDICATIONS, _read_pharmacotherapydb),
}
"""Where each source lies below a data folder, and its reader."""

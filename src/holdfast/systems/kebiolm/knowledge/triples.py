"""Relation triples: what a knowledge base says of pairs of its entities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from holdfast.errors import ArtifactError, InvalidValueError, UsageError
from holdfast.kb.store import KnowledgeBase
from holdfast.kb.tables import column

Integers = npt.NDArray[np.int64]

TRIPLES: Final = "triples.npz"
ENTITIES: Final = "entities.txt"
RELATIONS: Final = "relations.txt"


class Triple(NamedTuple):
    """Entities by their ids."""

    head: str
    relation: str
    tail: str


@dataclass(frozen=True, slots=True, eq=False)
class Triples:
    """Distinct triples over numbered entities and relations."""

    entities: tuple[str, ...]
    relations: tuple[str, ...]
    rows: Integers  # (triples, 3): head, relation, tail

    def __len__(self) -> int:
        return len(self.rows)

    @classmethod
    def of(cls, triples: Iterable[Triple]) -> Triples:
        """Number the entities and relations by their order; a repeated triple is kept once."""
        distinct = list(dict.fromkeys(triples))
        entities = dict.fromkeys(id for t in distinct for id in (t.head, t.tail))
        relations = dict.fromkeys(t.relation for t in distinct)
        places = {id: place for place, id in enumerate(entities)}
        codes = {name: place for place, name in enumerate(relations)}
        rows = [(places[t.head], codes[t.relation], places[t.tail]) for t in distinct]
        return cls(tuple(entities), tuple(relations), np.array(rows, dtype=np.int64).reshape(-1, 3))

    def at(self, row: int) -> Triple:
        head, relation, tail = self.rows[row].tolist()
        return Triple(self.entities[head], self.relations[relation], self.entities[tail])

    def keeping(self, places: Integers) -> Triples:
        """Some of the triples; entities and relations keep their numbers."""
        return replace(self, rows=self.rows[places])


@dataclass(frozen=True, slots=True, eq=False)
class SplitTriples:
    """Triples to learn from, to choose by and to measure on, over the same numbers."""

    train: Triples
    dev: Triples
    test: Triples

    def write(self, folder: Path) -> None:
        """Into files of the folder; ids with a line break are refused."""
        for name, values in (
            (ENTITIES, self.train.entities),
            (RELATIONS, self.train.relations),
        ):
            if broken := next((value for value in values if len(value.splitlines()) != 1), None):
                raise InvalidValueError(f"{broken!r}: an id or a relation is one line")
            (folder / name).write_text("".join(f"{v}\n" for v in values), encoding="utf-8")
        train, dev, test = (
            part.rows.astype(np.int32) for part in (self.train, self.dev, self.test)
        )
        np.savez(folder / TRIPLES, train=train, dev=dev, test=test)

    @classmethod
    def read(cls, folder: Path) -> SplitTriples:
        """What `write` wrote; an ArtifactError if it is damaged."""
        try:
            entities = tuple((folder / ENTITIES).read_text(encoding="utf-8").splitlines())
            relations = tuple((folder / RELATIONS).read_text(encoding="utf-8").splitlines())
            with np.load(folder / TRIPLES) as stored:
                rows = [stored[name].astype(np.int64) for name in ("train", "dev", "test")]
        except (OSError, ValueError, KeyError) as error:
            raise ArtifactError(f"{folder}: its triples are damaged ({error})") from error
        return cls(*(Triples(entities, relations, part) for part in rows))


def kb_triples(
    kb: KnowledgeBase,
    *,
    without: Collection[str] = (),
    without_prefixes: Collection[str] = (),
    counts: Counter[str] | None = None,
) -> Iterator[Triple]:
    """The relations of a knowledge base whose both ends it has.

    `without` lists predicates that are left out, `without_prefixes` vocabularies whose entities
    are. `counts` is increased by what was left out, by reason.
    """
    counts = Counter[str]() if counts is None else counts
    table = kb.table("relations")
    objects = table.column("object_id").to_pylist()
    tails = kb.rows_of(objects) if objects else np.zeros(0, dtype=np.int64)
    names = [kb.predicates[code] for code in column(table, "predicate").tolist()]
    heads = kb.ids_at(column(table, "entity").astype(np.int64))
    avoided = tuple(f"{prefix}:" for prefix in without_prefixes)
    for head, name, tail, row in zip(heads, names, objects, tails.tolist(), strict=True):
        if name in without:
            counts[f"relation {name}"] += 1
        elif row < 0:
            counts["an end that the knowledge base lacks"] += 1
        elif avoided and (head.startswith(avoided) or tail.startswith(avoided)):
            counts["an end of a vocabulary that is left out"] += 1
        elif head != tail:
            yield Triple(head, name, tail)


def split_triples(triples: Triples, *, held_out: int, seed: int = 0) -> SplitTriples:
    """Hold out about so many triples for dev, and as many for test.

    All triples of one pair of entities, in either direction, stay together, so that no inverse
    gives an answer away. Entities and relations of held-out triples all occur in training.
    """
    if held_out < 1 or len(triples) < 10 * held_out:
        raise UsageError(
            f"{len(triples):,} triples are too few to hold out twice {held_out:,} of them"
        )
    rows = triples.rows
    low, high = np.sort(rows[:, [0, 2]], axis=1).T
    _, pair = np.unique(low * len(triples.entities) + high, return_inverse=True)
    members = np.argsort(pair, kind="stable")
    begins = np.searchsorted(pair[members], np.arange(pair.max() + 2))
    degree = np.bincount(rows[:, [0, 2]].ravel(), minlength=len(triples.entities))
    left = np.bincount(rows[:, 1], minlength=len(triples.relations))
    parts: list[list[int]] = [[], []]
    for chosen in np.random.default_rng(seed).permutation(int(pair.max()) + 1).tolist():
        part = next((p for p in parts if len(p) < held_out), None)
        if part is None:
            break
        own = members[begins[chosen] : begins[chosen + 1]]
        ends, kinds = rows[own][:, [0, 2]].ravel(), rows[own, 1]
        if (degree[ends] > len(own)).all() and (left[kinds] > len(own)).all():
            part += own.tolist()
            np.subtract.at(degree, ends, 1)
            np.subtract.at(left, kinds, 1)
    dev, test = (np.array(sorted(part), dtype=np.int64) for part in parts)
    train = np.setdiff1d(np.arange(len(rows)), np.concatenate([dev, test]))
    return SplitTriples(triples.keeping(train), triples.keeping(dev), triples.keeping(test))

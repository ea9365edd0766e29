"""A knowledge base with the shape of UMLS, made of another one by rules.

UMLS may not be given away, and speed does not ask what names mean. The rules:

1. There are so many concepts of each type as SHARES says. The shares are an assumption, of the
   order of UMLS's semantic groups. Made of `open`, some 60 % of the names are of types that people
   paraphrase, and so are indexed densely. Types that the base lacks are left out, and the others
   share their part.
2. The concepts of a type are those of the base in random order, as they are. When they are used up
   they come again, each time with a qualifier: a word of a name of another concept of the type. It
   stands before a name or, after a comma, behind it, as in the pre-coordinated concepts of UMLS.
3. Synonyms are kept with one probability, so that the number of names is about the wanted one. If
   the base has too few, names are added with the word order inverted: "myocardial infarction"
   becomes "infarction, myocardial".

The same seed gives the same names on every machine. Concepts are made one at a time: the memory is
that of the base's row numbers.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast import types
from holdfast.errors import UsageError
from holdfast.kb.records import Entry
from holdfast.kb.store import KnowledgeBase

CONCEPTS: Final = 3_400_000
NAMES: Final = 9_000_000
SHARES: Final[Mapping[str, float]] = {
    types.SPECIES: 0.36,
    types.CHEMICAL: 0.20,
    types.DISEASE: 0.13,
    types.OTHER: 0.11,
    types.PHENOTYPE: 0.05,
    types.PROCESS: 0.05,
    types.ANATOMY: 0.05,
    types.GENE: 0.04,
    types.CELL_TYPE: 0.005,
    types.CELL_LINE: 0.005,
}
SEED: Final = 13

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class KbShape:
    """How large the knowledge base becomes."""

    concepts: int
    names: int  # about

    @classmethod
    def at(cls, scale: float) -> KbShape:
        """That of UMLS, times a number above 0."""
        if not 0 < scale <= 10:
            raise UsageError(f"a scale of {scale:g}: it must be above 0, and at most 10")
        return cls(max(1, round(CONCEPTS * scale)), max(1, round(NAMES * scale)))


@dataclass(frozen=True, slots=True)
class _Synonyms:
    """How many names a concept gets besides its preferred one."""

    kept: float  # the probability of each synonym of the base
    added: float  # the mean number of inverted names


def synthetic_entries(base: KnowledgeBase, shape: KbShape, *, seed: int = SEED) -> Iterator[Entry]:
    """The concepts, type by type, made when they are asked for."""
    chosen = {type: rows for type in SHARES if len(rows := _rows_of(base, type))}
    if not chosen:
        raise UsageError(f"{base.name!r} has no concepts of the types {', '.join(SHARES)}")
    total = sum(SHARES[type] for type in chosen)
    quotas = {type: round(shape.concepts * SHARES[type] / total) for type in chosen}
    synonyms = _synonyms(base, chosen, quotas, shape)
    number = 0
    for place, (type, rows) in enumerate(chosen.items()):
        order = np.random.default_rng([seed, place]).permutation(rows)
        for count in range(quotas[type]):
            copy, at = divmod(count, len(order))
            draw = random.Random(f"{seed} {number}")
            names = base.names_of(int(order[at]))
            if copy:
                names = _qualified(names, _a_word(base, order, draw), draw)
            first, *others = _thinned(names, synonyms, draw)
            yield Entry(f"SYN:{number:07}", first, synonyms=tuple(others), types=(type,))
            number += 1


def _rows_of(base: KnowledgeBase, type: str) -> Rows:
    """The concepts whose first type, in the order of SHARES, is this one."""
    mask = base.type_mask
    for earlier in SHARES:
        fits = mask & np.uint32(types.mask_of([earlier])) != 0
        if earlier == type:
            return np.flatnonzero(fits).astype(np.int64)
        mask = np.where(fits, np.uint32(0), mask)
    raise AssertionError(type)


def _synonyms(
    base: KnowledgeBase, chosen: Mapping[str, Rows], quotas: Mapping[str, int], shape: KbShape
) -> _Synonyms:
    counts = np.diff(np.append(base.first_name, base.names))
    concepts = sum(quotas.values())
    there = sum(quotas[type] * float(counts[rows].mean() - 1) for type, rows in chosen.items())
    wanted = max(0, shape.names - concepts)
    if there >= wanted:
        return _Synonyms(kept=wanted / there if there else 0.0, added=0.0)
    return _Synonyms(kept=1.0, added=(wanted - there) / concepts)


def _a_word(base: KnowledgeBase, rows: Rows, draw: random.Random) -> str:
    """A word of the preferred name of one of the rows."""
    row = int(rows[draw.randrange(len(rows))])
    words = base.name_at(int(base.first_name[row])).split()
    return words[draw.randrange(len(words))].strip(",;") or "other"


def _qualified(names: Sequence[str], word: str, draw: random.Random) -> list[str]:
    return [f"{word} {name}" if draw.random() < 0.5 else f"{name}, {word}" for name in names]


def _thinned(names: Sequence[str], synonyms: _Synonyms, draw: random.Random) -> list[str]:
    """The first name, the synonyms that are kept, and inverted names; each once."""
    first, *others = names
    kept = [name for name in others if draw.random() < synonyms.kept]
    count = int(synonyms.added) + (draw.random() < synonyms.added % 1)
    added = (_inverted(name, turn) for turn, name in enumerate([first, *kept] * count))
    fresh = dict.fromkeys([first, *kept, *added])
    return list(fresh)[: 1 + len(kept) + count]


def _inverted(name: str, turn: int) -> str:
    """The last words first: one of them, and more in later turns."""
    words = name.replace(",", "").split()
    cut = len(words) - 1 - turn % max(1, len(words) - 1)
    return f"{' '.join(words[cut:])}, {' '.join(words[:cut])}" if cut > 0 else f"{name} {turn + 1}"

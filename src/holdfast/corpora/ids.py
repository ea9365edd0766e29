"""Entity ids as corpora write them, and as CURIEs.

Corpora write the ids of the vocabulary that a mention's type implies without its prefix: "D000544"
for a disease, "7157" for a gene. A Document always has the CURIE: "MESH:D000544",
"NCBIGene:7157". `to_curie` and `to_bare` go between the two.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from holdfast.curies import known_prefix
from holdfast.document import NIL, Mention
from holdfast.types import GENE, SPECIES, VARIANT, canonical_type

_NONE: Final = frozenset({"", "-", "-1", NIL})

_PREFIXED: Final = re.compile(r"([A-Za-z][^:|]*):(.+)", re.DOTALL)
_MESH: Final = re.compile(r"[DC]\d{6}(\d{3})?", re.ASCII)  # UMLS has seven digits
_CUI: Final = re.compile(r"C\d{7}", re.ASCII)
_DIGITS: Final = re.compile(r"\d+", re.ASCII)
_RS: Final = re.compile(r"rs\d+", re.ASCII)
_HGVS: Final = re.compile(r"[cgmnp]\.\S", re.ASCII)
_CELLOSAURUS: Final = re.compile(r"CVCL[_:](\w+)", re.ASCII)
_JOINS: Final = re.compile(r"[|+,;]")


@lru_cache(maxsize=65536)
def to_curie(raw: str, type: str) -> str:
    """The CURIE of one id; NIL for "-1", "-" and nothing at all.

    A prefix that is there stays, in its vocabulary's usual case. Otherwise the id's shape or
    `type` names the vocabulary; where neither does, the id stays as it is.
    """
    raw = raw.strip()
    if raw in _NONE:
        return NIL
    cell_line = _CELLOSAURUS.fullmatch(raw)
    if cell_line:
        return f"Cellosaurus:CVCL_{cell_line[1]}"
    prefixed = _PREFIXED.fullmatch(raw)
    if prefixed:
        return f"{known_prefix(prefixed[1]) or prefixed[1]}:{prefixed[2].strip()}"
    prefix = _implied_prefix(raw, canonical_type(type))
    return f"{prefix}:{raw}" if prefix else raw


def to_bare(curie: str, type: str) -> str:
    """The id without its prefix if `to_curie` with this type restores it, else the whole CURIE.

    NIL is "-1".
    """
    if curie == NIL:
        return "-1"
    bare = curie.partition(":")[2]
    return bare if bare and to_curie(bare, type) == curie else curie


@lru_cache(maxsize=65536)
def split_ids(raw: str, type: str) -> tuple[str, ...]:
    """The CURIEs of a column that may join several ids: `()` if it is blank, each id once.

    Ids are joined by `|`, `+`, `,` or `;`, those of variants only by `,`: "c|SUB|C|677|T" is one
    id. Where a part of a composite has no id ("D002544|-1"), the other ids remain.
    """
    if not raw.strip():
        return ()
    parts = raw.split(",") if canonical_type(type) == VARIANT else _JOINS.split(raw)
    curies = dict.fromkeys(to_curie(part, type) for part in parts)
    return tuple(c for c in curies if c != NIL) or (NIL,)


def join_ids(ids: Iterable[str], type: str, *, bare: bool) -> str | None:
    """The column that `split_ids` reads as these ids, or None if there is none."""
    ids = tuple(ids)
    joint = "," if canonical_type(type) == VARIANT else "|"
    column = joint.join(to_bare(i, type) if bare or i == NIL else i for i in ids)
    return column if split_ids(column, type) == ids else None


def curies_by_bare_id(mentions: Sequence[Mention]) -> dict[str, str]:
    """What a bare id in a document's relations stands for: the first mention with it decides."""
    return {to_bare(curie, m.type): curie for m in reversed(mentions) for curie in m.ids}


def _implied_prefix(raw: str, type: str) -> str | None:
    if _MESH.fullmatch(raw):
        return "MESH"
    if _CUI.fullmatch(raw):
        return "UMLS"
    if _RS.fullmatch(raw):
        return "dbSNP"
    if type == VARIANT:
        return "HGVS" if _HGVS.match(raw) else "tmVar"
    if _DIGITS.fullmatch(raw):
        return {GENE: "NCBIGene", SPECIES: "NCBITaxon"}.get(type)
    return None

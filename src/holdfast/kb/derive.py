"""Knowledge bases made from others: a part of one, or several together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import numpy as np
import numpy.typing as npt

from holdfast.errors import (
    FormatError,
    InputError,
    KnowledgeBaseError,
    UnknownEntityError,
    UsageError,
)
from holdfast.kb.build import Source, Summary, build_kb
from holdfast.kb.hierarchy import descendants
from holdfast.kb.records import Addition, Entity, Entry, Record
from holdfast.kb.store import KnowledgeBase
from holdfast.progress import Progress
from holdfast.types import TYPES, canonical_type, mask_of


def subset(
    kb: KnowledgeBase,
    folder: Path,
    *,
    name: str,
    types: Collection[str] = (),
    sources: Collection[str] = (),
    ids: Iterable[str] | None = None,
    ancestors: Collection[str] = (),
    progress: Progress | None = None,
) -> Summary:
    """Build a knowledge base of the entities that meet every condition given.

    types      of one of these types
    sources    from one of these vocabularies
    ids        of this list
    ancestors  one of these, or below one in its hierarchy
    """
    rows = np.arange(len(kb))
    if types:
        rows = rows[np.isin(rows, rows_of_types(kb, types))]
    if sources:
        rows = rows[np.isin(kb.source_of[rows], _source_codes(kb, sources))]
    if ids is not None:
        rows = rows[np.isin(rows, [_row(kb, id) for id in ids])]
    if ancestors:
        rows = rows[np.isin(rows, descendants(kb, [_row(kb, id) for id in ancestors]))]
    if not len(rows):
        raise KnowledgeBaseError(f"no entity of {kb.name!r} meets these conditions")
    parts = (
        (replace(source, is_part=True), records)
        for source, records in records_by_source(kb, rows.tolist())
    )
    return build_kb(folder, name=name, parts=parts, progress=progress)


def merge(
    kbs: Sequence[KnowledgeBase], folder: Path, *, name: str, progress: Progress | None = None
) -> Summary:
    """Build one knowledge base of several; the first that has an id gives its preferred name."""
    parts = (part for kb in kbs for part in records_by_source(kb))
    return build_kb(folder, name=name, parts=parts, progress=progress)


def read_ids(path: Path) -> list[str]:
    """The ids in a file, one a line; blank lines and what follows a tab are ignored."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise FormatError(f"not UTF-8 ({error.reason})", path=path) from error
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    return [line.split("\t")[0].strip() for line in lines if line.strip()]


def records_by_source(
    kb: KnowledgeBase, rows: Sequence[int] | None = None
) -> Iterator[tuple[Source, Iterator[Record]]]:
    """All records, or those of some rows, in runs of one source, as `build_kb` takes them."""
    chosen = range(len(kb)) if rows is None else rows
    for source, run in groupby(chosen, key=lambda row: kb.sources[int(kb.source_of[row])]):
        yield source, (record for row in run for record in _records_of(kb.entity_at(row)))


def _records_of(entity: Entity) -> Iterator[Record]:
    """An entity as it was entered; synonyms of another origin than those before are additions."""
    names = zip(entity.origins, (entity.name, *entity.synonyms), strict=True)
    runs = [(origin, [n for _, n in run]) for origin, run in groupby(names, key=itemgetter(0))]
    origin, first = runs[0]
    yield Entry(
        id=entity.id,
        name=entity.name,
        synonyms=tuple(first[1:]),
        types=entity.types,
        definition=entity.definition,
        xrefs=entity.xrefs,
        links=entity.links,
        origin=origin,
    )
    for origin, synonyms in runs[1:]:
        yield Addition(entity.id, synonyms=tuple(synonyms), origin=origin)


def rows_of_types(kb: KnowledgeBase, types: Collection[str]) -> npt.NDArray[np.intp]:
    """The entities of one of the types: Holdfast's, or the source's own such as T047."""
    canonical = {type: canonical_type(type) for type in types}
    own = [type for type in types if type in kb.types]
    unknown = [t for t in types if t not in own and canonical[t] not in TYPES]
    if unknown:
        known = ", ".join(kb.types[:40])
        raise UsageError(f"{kb.name!r} has no type {unknown[0]!r}; it has: {known}")
    mask = mask_of([type for type in canonical.values() if type in TYPES])
    fits: npt.NDArray[np.bool_] = kb.type_mask & np.uint32(mask) != 0
    fits[kb.rows_of_types(own)] = True
    return np.flatnonzero(fits)


def _source_codes(kb: KnowledgeBase, sources: Collection[str]) -> list[int]:
    known = {source.name.casefold(): code for code, source in enumerate(kb.sources)}
    missing = [source for source in sources if source.casefold() not in known]
    if missing:
        names = ", ".join(source.name for source in kb.sources)
        raise UsageError(f"{kb.name!r} has no source {missing[0]!r}; it has: {names}")
    return [known[source.casefold()] for source in sources]


def _row(kb: KnowledgeBase, id: str) -> int:
    row = kb.row_of(id)
    if row is None:
        raise UnknownEntityError(f"{id!r} is not in the knowledge base {kb.name!r}")
    return row

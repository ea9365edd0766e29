"""Names by what they begin with, for who is still typing: the names in alphabetical order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from holdfast import artifacts
from holdfast.errors import ArtifactError
from holdfast.kb.describe import SearchHit
from holdfast.kb.store import KnowledgeBase

KIND: Final = "prefix index"
VERSION: Final = 1
_ORDER: Final = "order.npy"
_LAST: Final = "\U0010ffff"  # sorts behind whatever may follow a prefix
_LOOKED_AT: Final = 20_000  # names of a range; more begin with one or two letters only


@dataclass(frozen=True, slots=True)
class PrefixIndex:
    """Finds the names that begin with a prefix, whatever the case of its letters."""

    kb: KnowledgeBase
    order: npt.NDArray[np.uint32]  # rows of names, ascending by their lower case

    @classmethod
    def build(cls, kb: KnowledgeBase) -> PrefixIndex:
        names = kb.table("names").column("name")
        order = pc.sort_indices(pc.utf8_lower(names))
        return cls(kb, np.asarray(order).astype(np.uint32))

    def search(self, prefix: str, *, top: int) -> list[SearchHit]:
        """The entities with the shortest such names, each once; the score is the share of the
        name that is typed."""
        start, end = self._place(_lower(prefix)), self._place(_lower(prefix) + _LAST)
        rows = self.order[start:end][:_LOOKED_AT]
        found: dict[int, SearchHit] = {}
        for row in self._shortest_first(rows):
            entity = int(self.kb.entity_of_name[row])
            if entity not in found:
                name = self.kb.name_at(row)
                share = min(1.0, len(prefix) / max(1, len(name)))
                found[entity] = SearchHit(self.kb.entity_at(entity), name, share)
            if len(found) == top:
                break
        return list(found.values())

    def _shortest_first(self, rows: npt.NDArray[np.uint32]) -> Iterator[int]:
        """Shorter names first, of equal ones the preferred, then in the order of rows."""
        names = self.kb.table("names").column("name").take(pa.array(rows))
        lengths = np.asarray(pc.utf8_length(names))
        entities = self.kb.entity_of_name[rows]
        is_synonym = self.kb.first_name[entities] != rows
        return iter(rows[np.lexsort((rows, is_synonym, lengths))].tolist())

    def _place(self, key: str) -> int:
        """How many names come before the key."""
        low, high = 0, len(self.order)
        while low < high:
            middle = (low + high) // 2
            if _encoded(_lower(self.kb.name_at(int(self.order[middle])))) < _encoded(key):
                low = middle + 1
            else:
                high = middle
        return low


def open_prefixes(kb: KnowledgeBase) -> PrefixIndex:
    """The index that is kept in the home folder; made now if it is missing or of other names.

    It is kept in memory alone if the home folder cannot be written.
    """
    folder = artifacts.home() / "prefixes" / f"{kb.name}-{kb.manifest.digest[:16]}"
    if (kept := _opened(folder, kb)) is not None:
        return PrefixIndex(kb, kept)
    index = PrefixIndex.build(kb)
    try:
        with artifacts.publish(folder) as scratch:
            np.save(scratch / _ORDER, index.order)
            config = {"names": kb.manifest.digest}
            artifacts.write_manifest(scratch, kind=KIND, version=VERSION, config=config)
    except OSError:
        pass
    return index


def _opened(folder: Path, kb: KnowledgeBase) -> npt.NDArray[np.uint32] | None:
    try:
        manifest = artifacts.read_manifest(folder, kind=KIND, version=VERSION)
        artifacts.verify(folder, manifest)
        if manifest.config.get("names") != kb.manifest.digest:
            return None
        order: npt.NDArray[np.uint32] = np.load(folder / _ORDER, mmap_mode="r")
    except (ArtifactError, OSError, ValueError):
        return None
    return order if len(order) == kb.names else None


def _lower(text: str) -> str:
    """As pyarrow lowers the names, letter by letter."""
    lowered: Any = pc.utf8_lower(text)
    return str(lowered)


def _encoded(text: str) -> bytes:
    """What pyarrow sorts by."""
    return text.encode("utf-8", "surrogatepass")

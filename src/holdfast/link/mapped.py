"""Links in the ids of one other vocabulary: the last step of a pipeline, where it is asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from threading import Lock
from typing import Final

from holdfast.document import NIL, Candidate, Document, Evidence, Mention
from holdfast.kb.mapping import IdMapper, Target

UNMAPPED: Final = "unmapped"
"""The kind of evidence that a candidate has no id in the vocabulary."""

_EXAMPLES: Final = 5


class MapIds:
    """Gives every link and candidate the id that a vocabulary has for it.

    Each id of a composite is mapped for itself. A link without a counterpart is lost to this
    vocabulary: the mention is NIL, and its candidate keeps the id that it had and says so. The
    links that were mapped, and those that were not, are counted, also over several threads.
    """

    def __init__(self, mapper: IdMapper) -> None:
        self._mapper = mapper
        self._mapped = 0
        self._missing = Counter[str]()
        self._counting = Lock()

    def __call__(self, document: Document) -> Document:
        return document.with_mentions(map(self._with_ids, document.mentions))

    def summary(self) -> str:
        """One line: how many links were mapped, and which ids were not."""
        missing = self._missing.total()
        line = f"{self._mapped:,} of {self._mapped + missing:,} links mapped to {self._prefix}"
        if not missing:
            return line
        often = ", ".join(id for id, _ in self._missing.most_common(_EXAMPLES))
        more = ", …" if len(self._missing) > _EXAMPLES else ""
        return f"{line}; {missing:,} not, as no {self._prefix} id is known for {often}{more}"

    @property
    def _prefix(self) -> str:
        return self._mapper.prefix

    def _with_ids(self, mention: Mention) -> Mention:
        candidates = _distinct(map(self._with_id, mention.candidates))
        if not mention.is_linked:
            return replace(mention, candidates=candidates)
        first_of = {id: next(iter(self._mapper.targets(id)), None) for id in mention.ids}
        found = [target.id for target in first_of.values() if target is not None]
        with self._counting:
            self._mapped += len(found)
            self._missing.update(id for id, target in first_of.items() if target is None)
        return replace(mention, ids=tuple(dict.fromkeys(found)) or (NIL,), candidates=candidates)

    def _with_id(self, candidate: Candidate) -> Candidate:
        id = candidate.entity_id
        targets = self._mapper.targets(id)
        if targets and targets[0].id == id:
            return candidate
        if not targets:
            why = Evidence(UNMAPPED, f"no {self._prefix} id is known for {id}")
            return replace(candidate, evidence=(*candidate.evidence, why))
        why = Evidence("mapped", _description(id, targets))
        return replace(candidate, entity_id=targets[0].id, evidence=(*candidate.evidence, why))


def _description(id: str, targets: tuple[Target, ...]) -> str:
    """How an id was mapped, for a person: "MESH:D003924, via MONDO:0005148; or UMLS:C1"."""
    others = [target.id for target in targets[1:] if bool(target.via) == bool(targets[0].via)]
    rest = f"; or {', '.join(others)}" if others else ""
    return f"{id}, {targets[0].way}{rest}"


def _distinct(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """The first of each id: two concepts may have the same counterpart."""
    kept = dict[str, Candidate]()
    for candidate in candidates:
        kept.setdefault(candidate.entity_id, candidate)
    return tuple(kept.values())

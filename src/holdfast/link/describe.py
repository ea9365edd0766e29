"""Candidates of the learned linker as a person reads them: ids, names and evidence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from holdfast.document import Candidate, Evidence
from holdfast.kb.store import KnowledgeBase
from holdfast.link.ranking.equivalents import Group
from holdfast.link.ranking.found import Found
from holdfast.link.ranking.wording import exact_name

_DECIMALS: Final = 4


def describe(kb: KnowledgeBase, found: Found, group: Group) -> Candidate:
    """The entity that speaks for a group, with the evidence for it; its score is 0."""
    leader, *others = group
    evidence = list(_why(kb, found, leader))
    if others:
        ids = sorted(kb.id_at(int(found.entity[at])) for at in others)
        evidence.append(Evidence("equivalent", f"the same as {', '.join(ids)}"))
    entity = int(found.entity[leader])
    return Candidate(
        entity_id=kb.id_at(entity),
        name=found.name[leader],
        label=kb.label_at(entity),
        score=0.0,
        evidence=tuple(evidence),
    )


def _why(kb: KnowledgeBase, found: Found, at: int) -> Iterator[Evidence]:
    """What the candidate's best name has in common with the mention."""
    name = found.name[at]
    entity = int(found.entity[at])
    if found.is_exact[at] and found.is_used[at]:
        yield Evidence("used", f"“{name}” is used for it")
    elif found.is_exact[at]:
        is_preferred = bool(found.is_preferred[at])
        yield Evidence("exact", exact_name(kb, entity, name, is_preferred=is_preferred))
    else:
        origin = "the used name" if found.is_used[at] else kb.origin_of(entity, name)
        likeness = {
            Evidence("ngram", f"looks like {origin} “{name}”", _rounded(found.ngram[at])),
            Evidence("dense", f"means like {origin} “{name}”", _rounded(found.dense[at])),
        }
        yield from sorted((e for e in likeness if e.score), key=lambda e: (-(e.score or 0), e.kind))


def _rounded(value: np.float32) -> float:
    return round(float(value), _DECIMALS)

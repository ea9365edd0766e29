"""The types that a knowledge base has of its own, such as "assay", beside holdfast.types.TYPES.

Whoever asks for some of them (`--only assay`) works on a view of the knowledge base in which their
entities have the bit `types.OWN`; everything that compares masks then finds just those.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from copy import copy
from typing import Final

import numpy as np

from holdfast.errors import UsageError
from holdfast.kb.store import KnowledgeBase
from holdfast.types import OWN, TYPES, canonical_type, type_key

_LISTED: Final = 40  # own types that an error names


def own_types(kb: KnowledgeBase) -> tuple[str, ...]:
    """The knowledge base's types that are none of TYPES, as its sources spell them."""
    return tuple(type for type in kb.types if canonical_type(type) not in TYPES)


def parse_types(names: Collection[str], own: Sequence[str] = ()) -> tuple[str, ...]:
    """Types in any spelling, each as holdfast.types or else the knowledge base spells it.

    `own` are the types of the knowledge base that are not in holdfast.types. A single string, no
    type at all and an unknown type are UsageErrors.
    """
    if isinstance(names, str):
        raise UsageError(f"{names!r} is one string, not several types; write [{names!r}]")
    if not names:
        raise UsageError(f"no type is named; there is: {_known(own)}")
    chosen = dict[str, None]()
    for name in names:
        if not isinstance(name, str):
            raise UsageError(f"a type is called by its name, not {name!r}")
        canonical = canonical_type(name.strip())
        fitting = [type for type in own if type_key(type) == type_key(name.strip())]
        if canonical in TYPES:
            fitting = [canonical]
        if not fitting:
            raise UsageError(f"no type is called {name!r}; there is: {_known(own)}")
        chosen |= dict.fromkeys(fitting)
    return tuple(chosen)


def with_own_types(kb: KnowledgeBase, types: Collection[str] | None) -> KnowledgeBase:
    """The knowledge base with the bit `types.OWN` on the entities of those types that are its own.

    The knowledge base itself where there are none among them.
    """
    wanted = [type for type in types or () if type not in TYPES]
    if not wanted:
        return kb
    marked = copy(kb)
    marked.type_mask = np.array(kb.type_mask)
    marked.type_mask[kb.rows_of_types(wanted)] |= np.uint32(OWN)
    return marked


def _known(own: Sequence[str]) -> str:
    more = [f"and {len(own) - _LISTED} more"] if len(own) > _LISTED else []
    return ", ".join([*TYPES, *own[:_LISTED], *more])

"""Two linkers joined: the name linker and the collective dual encoder, which reads the text.

Both give probabilities; a candidate's is the weighted geometric mean of the two. Whether anything
is linked at all, and whether a mention names several things, is left to the name linker.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from holdfast.blocks import in_blocks
from holdfast.document import NIL, Candidate, Document, Mention
from holdfast.step import Step

KIND: Final = "joined linkers"
VERSION: Final = 1
WIDTH: Final = 20
"""Candidates that each of the two should be asked for."""

_FLOOR: Final = 1e-3  # the probability of what one of them does not list
_BATCH: Final = 64  # documents
_DECIMALS: Final = 4


class JoinedLinker:
    """Links the marked mentions of documents by two linkers over one knowledge base."""

    def __init__(
        self,
        named: Step,
        read: Step,
        *,
        weight: float,
        top: int = 5,
    ) -> None:
        """`weight` of the collective encoder, in [0, 1]."""
        self.digest = f"{named.digest}+{read.digest}"
        self._named = named
        self._read = read
        self._weight = weight
        self._top = top

    def __call__(self, document: Document) -> Document:
        """The document with candidates, best first, and ids for every mention."""
        return next(self.pipe([document]))

    def pipe(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Many documents, in order, each with candidates and ids."""
        for block in in_blocks(documents, _BATCH):
            both = self._named.pipe(block), self._read.pipe(block)
            for document, named, read in zip(block, *both, strict=True):
                pairs = zip(named.mentions, read.mentions, strict=True)
                yield document.with_mentions(
                    join(one, other, weight=self._weight, top=self._top) for one, other in pairs
                )


def join(named: Mention, read: Mention, *, weight: float, top: int) -> Mention:
    """One mention as two linkers see it; what the candidates share is the name linker's."""
    if len(named.ids) > 1:
        return _cut(named, top)
    ours, theirs = _by_id(named.candidates), _by_id(read.candidates)
    shares = {
        id: _chance(ours, id) ** (1 - weight) * _chance(theirs, id) ** weight
        for id in (*ours, *(id for id in theirs if id not in ours))
    }
    linked = sum(candidate.score for candidate in named.candidates)
    scale = linked / sum(shares.values()) if shares else 0.0
    ranked = sorted(shares, key=lambda entity: -shares[entity])[:top]
    candidates = tuple(
        replace(
            ours.get(id) or theirs[id],
            score=round(min(1.0, scale * shares[id]), _DECIMALS),
            evidence=tuple(e for by in (ours, theirs) if id in by for e in by[id].evidence),
        )
        for id in ranked
    )
    return replace(named, candidates=candidates, ids=(ranked[0],) if named.is_linked else (NIL,))


def _cut(mention: Mention, top: int) -> Mention:
    """The best candidates, those that are its answers before all others."""
    ranked = sorted(mention.candidates, key=lambda c: (c.entity_id not in mention.ids, -c.score))
    kept = sorted(ranked[:top], key=lambda c: -c.score)
    return replace(mention, candidates=tuple(kept))


def _by_id(candidates: Sequence[Candidate]) -> dict[str, Candidate]:
    return {candidate.entity_id: candidate for candidate in candidates}


def _chance(candidates: Mapping[str, Candidate], id: str) -> float:
    return max(_FLOOR, candidates[id].score) if id in candidates else _FLOOR

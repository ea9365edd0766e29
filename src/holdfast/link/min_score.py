"""Links below a score become NIL, whichever linker gave them."""

from __future__ import annotations

from dataclasses import replace

from holdfast.document import NIL, Document, Mention
from holdfast.errors import UsageError


class MinScore:
    """Takes links away whose candidate scores less; the candidates stay, and say what was near."""

    def __init__(self, least: float) -> None:
        """`least` lies in [0, 1]."""
        if not 0.0 <= least <= 1.0:  # also where it is not a number
            raise UsageError(f"the least score of a link is {least}; give a number from 0 to 1")
        self._least = least

    def __call__(self, document: Document) -> Document:
        """The document with the ids that score enough; what no candidate scores stays."""
        return document.with_mentions(map(self._checked, document.mentions))

    def _checked(self, mention: Mention) -> Mention:
        if not mention.is_linked:
            return mention
        scores = {candidate.entity_id: candidate.score for candidate in mention.candidates}
        ids = tuple(id for id in mention.ids if scores.get(id, 1.0) >= self._least)
        return mention if ids == mention.ids else replace(mention, ids=ids or (NIL,))

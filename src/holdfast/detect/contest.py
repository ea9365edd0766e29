"""What the tagger found against what the knowledge base lists, where they overlap.

The tagger reads the context, the knowledge base knows the words. A listed name of several words
is not cut by what was tagged inside it. In everything else the tagger decides about the names of
vocabularies that ship, and the names of a user's own vocabulary stay.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from holdfast.detect.dictionary import ListedName
from holdfast.detect.overlaps import Taken, is_part, longest_from_left, nested_in, span_of
from holdfast.document import Mention, Span


@dataclass(frozen=True, slots=True)
class Contested:
    """The mentions that stay and, where they were asked for, those inside them."""

    kept: list[Mention]  # not overlapping, in order
    nested: list[Mention]

    @property
    def mentions(self) -> list[Mention]:
        """All of them, by start, then the longest first."""
        return sorted((*self.kept, *self.nested), key=lambda m: (m.start, -m.end))


def decide(
    tagged: Sequence[Mention],
    listed: Sequence[ListedName],
    *,
    keeps_type: Callable[[ListedName, str], bool],
    nested: bool = False,
) -> Contested:
    """The mentions that stay.

    tagged      do not overlap
    listed      names that may overlap anything
    keeps_type  whether a type that was tagged holds for a listed name at the same place
    """
    taken = Taken(span_of(mention) for mention in tagged)
    type_at = {span_of(mention): mention.type for mention in tagged}
    names = [
        _agreed(name, type_at.get(name.span), keeps_type)
        for name in listed
        if not any(_yields(name, span, type_at[span]) for span in taken.overlapping(name.span))
    ]
    chosen = longest_from_left(names)
    free = Taken(span_of(mention) for mention in chosen)
    kept = [mention for mention in tagged if free.is_free(span_of(mention))]
    kept = sorted((*kept, *chosen), key=lambda mention: mention.start)
    inside = nested_in([*tagged, *(name.mention for name in listed)], kept) if nested else []
    return Contested(kept, inside)


def _yields(name: ListedName, tagged: Span, type: str) -> bool:
    """Whether a listed name gives way to a tagged mention that overlaps it."""
    if is_part(tagged, name.span) or tagged == name.span:
        return False
    if name.is_own:
        return is_part(name.span, tagged) and type == name.meaning.type
    return True


def _agreed(
    name: ListedName, tagged: str | None, keeps_type: Callable[[ListedName, str], bool]
) -> Mention:
    """The name as a mention, where something was `tagged` at its place perhaps of that type."""
    if tagged is None or not keeps_type(name, tagged):
        return name.mention
    return Mention((name.span,), type=tagged)

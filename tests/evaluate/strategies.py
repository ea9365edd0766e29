"""Small random documents: crowded, so that mentions nest, cross, repeat and share ids."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from holdfast.document import NIL, Candidate, Document, Mention, Span

LENGTH = 24
TYPES = ("Disease", "SpecificDisease", "Chemical", "Gene", "")
IDS = ("M:1", "M:2", "M:3")


def document(name: str, *mentions: Mention, text: str = "x" * LENGTH) -> Document:
    return Document(name, text, mentions=mentions)


@st.composite
def spans(draw: st.DrawFn, *, pieces: int = 1) -> tuple[Span, ...]:
    cuts = draw(
        st.lists(st.integers(0, LENGTH), min_size=2 * pieces, max_size=2 * pieces, unique=True).map(
            sorted
        )
    )
    return tuple(Span(*cuts[i : i + 2]) for i in range(0, len(cuts), 2))


@st.composite
def mentions(draw: st.DrawFn, *, most_ids: int = 1) -> Mention:
    ids = draw(
        st.just((NIL,)) | st.lists(st.sampled_from(IDS), max_size=most_ids, unique=True).map(tuple)
    )
    return Mention(
        draw(spans(pieces=1) | spans(pieces=2) if most_ids > 1 else spans()),
        type=draw(st.sampled_from(TYPES)),
        ids=ids,
    )


def collections(*, most_ids: int = 1) -> st.SearchStrategy[list[Document]]:
    """Up to three documents "0", "1", "2", with up to eight mentions each."""
    sets = st.lists(st.lists(mentions(most_ids=most_ids), max_size=8), min_size=1, max_size=3)
    return sets.map(lambda sets: [document(str(i), *items) for i, items in enumerate(sets)])


@st.composite
def gold_and_predicted(
    draw: st.DrawFn, *, most_ids: int = 1
) -> tuple[list[Document], list[Document]]:
    """Predictions keep some of the gold, so that hits are common; some documents are missing, and
    some ids stand in candidates."""
    gold = draw(collections(most_ids=most_ids))
    predicted = []
    for source in gold:
        kept = [mention for mention in source.mentions if draw(st.booleans())]
        added = draw(st.lists(mentions(most_ids=most_ids), max_size=5))
        if draw(st.integers(0, 4)):
            found = [_as_candidates(m) if draw(st.booleans()) else m for m in kept + added]
            predicted.append(source.with_mentions(found))
    return gold, predicted


def _as_candidates(mention: Mention) -> Mention:
    ranked = tuple(Candidate(entity, entity, 0.5) for entity in mention.ids[:1])
    return replace(mention, ids=(), candidates=ranked)

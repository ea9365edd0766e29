"""Two linkers' candidates made into one list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from holdfast.document import NIL, Candidate, Document, Evidence, Mention
from holdfast.systems.collective.joined import JoinedLinker, join

SHARES = st.dictionaries(st.sampled_from("ABCDE"), st.floats(0.0, 0.2), max_size=5)


def mention(shares: dict[str, float], kind: str, *ids: str) -> Mention:
    candidates = [
        Candidate(id, id.lower(), score, id, (Evidence(kind, "said so", score),))
        for id, score in sorted(shares.items(), key=lambda item: -item[1])
    ]
    return replace(Mention.at(0, 4), ids=ids or (NIL,), candidates=tuple(candidates))


def test_what_both_find_likely_comes_before_what_one_does() -> None:
    named = mention({"A": 0.5, "B": 0.4}, "exact", "A")
    read = mention({"B": 0.9, "C": 0.1}, "collective", "B")
    found = join(named, read, weight=0.5, top=5)
    assert found.ids == ("B",)
    assert [evidence.kind for evidence in found.candidates[0].evidence] == ["exact", "collective"]
    assert {candidate.entity_id for candidate in found.candidates} == {"A", "B", "C"}


def test_without_weight_the_order_is_the_name_linkers() -> None:
    named = mention({"A": 0.5, "B": 0.4}, "exact", "A")
    read = mention({"B": 1.0}, "collective", "B")
    assert join(named, read, weight=0.0, top=1).ids == ("A",)


def test_several_things_and_nothing_are_the_name_linkers_to_say() -> None:
    several = mention({"A": 0.5, "B": 0.5}, "part", "A", "B")
    read = mention({"C": 1.0}, "collective", "C")
    assert join(several, read, weight=0.5, top=5) == several
    long = mention({"A": 0.1, "B": 0.5, "C": 0.2, "D": 0.2}, "part", "A", "B")
    assert {c.entity_id for c in join(long, read, weight=0.5, top=2).candidates} == {"A", "B"}
    unsure = mention({"A": 0.1}, "ngram")
    assert join(unsure, read, weight=0.5, top=5).ids == (NIL,)
    assert join(mention({}, "ngram"), read, weight=0.5, top=5).ids == (NIL,)


@given(SHARES, SHARES, st.floats(0.0, 1.0), st.integers(1, 6))
def test_scores_fall_and_share_no_more_than_the_name_linker_gave(
    ours: dict[str, float], theirs: dict[str, float], weight: float, top: int
) -> None:
    named = mention(ours, "exact", *list(ours)[:1])
    read = mention(theirs, "collective")
    found = join(named, read, weight=weight, top=top)
    assert found.is_linked == named.is_linked
    scores = [candidate.score for candidate in found.candidates]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) == min(top, len({*ours, *theirs}))
    assert sum(scores) <= sum(ours.values()) + 1e-3


class Scripted:
    """A step that gives every mention the same candidates; it notes how many documents it took."""

    def __init__(self, digest: str, answer: Mention) -> None:
        self.digest = digest
        self.taken = list[int]()
        self._answer = answer

    def __call__(self, document: Document) -> Document:
        return next(self.pipe([document]))

    def pipe(self, documents: Iterable[Document]) -> Iterator[Document]:
        block = list(documents)
        self.taken.append(len(block))
        for document in block:
            yield document.with_mentions(
                replace(m, ids=self._answer.ids, candidates=self._answer.candidates)
                for m in document.mentions
            )


def test_documents_are_joined_in_order_mention_by_mention() -> None:
    named = Scripted("one", mention({"A": 0.5, "B": 0.4}, "exact", "A"))
    read = Scripted("two", mention({"B": 0.9, "C": 0.1}, "collective", "B"))
    linker = JoinedLinker(named, read, weight=0.5, top=2)
    marks = [Mention.at(start, start + 2) for start in (0, 3, 6)]
    documents = [Document(str(n), "ab cd ef", mentions=tuple(marks[: n % 4])) for n in range(70)]
    found = list(linker.pipe(documents))
    assert [d.id for d in found] == [d.id for d in documents]
    assert [[m.spans for m in d.mentions] for d in found] == [
        [m.spans for m in d.mentions] for d in documents
    ]
    assert {m.ids for d in found for m in d.mentions} == {("B",)}
    assert {len(m.candidates) for d in found for m in d.mentions} == {2}
    assert linker(documents[3]) == found[3]
    assert linker.digest == "one+two"
    by_name = JoinedLinker(named, read, weight=0.0)(documents[1])
    assert by_name.mentions[0].ids == ("A",)


def test_shares_are_the_weighted_geometric_mean_scaled_to_what_the_name_linker_linked() -> None:
    named = mention({"A": 0.5, "B": 0.3}, "exact", "A")
    read = mention({"B": 0.9}, "collective", "B")
    found = join(named, read, weight=0.25, top=5)
    shares = {"A": 0.5**0.75 * 0.001**0.25, "B": 0.3**0.75 * 0.9**0.25}
    total = sum(shares.values())
    for candidate in found.candidates:
        expected = 0.8 * shares[candidate.entity_id] / total
        assert abs(candidate.score - expected) < 1e-4
    assert found.ids == ("B",)

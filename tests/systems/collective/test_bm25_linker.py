"""Links by words in common."""

from __future__ import annotations

import pytest

from holdfast.document import NIL, Document, Mention
from holdfast.kb import Entry, KnowledgeBase
from holdfast.systems.collective.bm25 import Bm25Linker
from small_kb import of_entries

ENTRIES = (
    Entry("X:1", "sick bog", types=("Disease",)),
    Entry("X:2", "sick fen", types=("Chemical",)),
    Entry("X:3", "sick moss of the bog", types=("Disease",)),
    Entry("X:4", "dry heath", types=("Disease",)),
)


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    return of_entries(tmp_path_factory.mktemp("bm25") / "kb", *ENTRIES)


def linked(linker: Bm25Linker, surface: str, type: str = "") -> Mention:
    text = f"a {surface} here"
    mentions = (Mention.at(2, 2 + len(surface), type),)
    return linker(Document("1", text, mentions=mentions)).mentions[0]


def test_the_entity_with_most_words_in_common_is_the_answer(kb: KnowledgeBase) -> None:
    mention = linked(Bm25Linker(kb), "sick bog")
    assert [c.entity_id for c in mention.candidates] == ["X:1", "X:3", "X:2"]
    assert mention.ids == ("X:1",)
    scores = [c.evidence[0].score or 0.0 for c in mention.candidates]
    shares = [score / sum(scores) for score in scores]
    assert [c.score for c in mention.candidates] == pytest.approx(shares, abs=1e-3)
    assert mention.candidates[0].label == "sick bog"


def test_no_word_in_common_is_nil(kb: KnowledgeBase) -> None:
    mention = linked(Bm25Linker(kb), "quaggle")
    assert (mention.ids, mention.candidates) == ((NIL,), ())


def test_only_the_wanted_types_and_that_of_the_mention_are_candidates(kb: KnowledgeBase) -> None:
    diseases = Bm25Linker(kb, only=["Disease"])
    assert [c.entity_id for c in linked(diseases, "sick fen").candidates] == ["X:1", "X:3"]
    assert linked(diseases, "sick fen", "Chemical").ids == (NIL,)
    assert linked(Bm25Linker(kb), "sick bog", "Chemical").ids == ("X:2",)


def test_no_more_candidates_than_asked_for_also_where_types_are_wanted(kb: KnowledgeBase) -> None:
    assert [c.entity_id for c in linked(Bm25Linker(kb, top=1), "sick bog").candidates] == ["X:1"]
    few = Bm25Linker(kb, only=["Chemical"], top=1)
    assert [c.entity_id for c in linked(few, "sick bog fen").candidates] == ["X:2"]


def test_many_documents_are_linked_as_each_alone(kb: KnowledgeBase) -> None:
    link = Bm25Linker(kb)
    surfaces = ("sick bog", "heath", "quaggle")
    documents = [
        Document(s, s, mentions=(Mention.at(0, len(s)),) * (n % 3)) for n, s in enumerate(surfaces)
    ]
    assert list(link.pipe(documents)) == [link(document) for document in documents]

"""BM25 ranks entities by the words that their names share with a mention."""

from __future__ import annotations

from pathlib import Path

import pytest

import holdfast
from holdfast.document import Document, Mention
from holdfast.kb import Entry, KnowledgeBase
from holdfast.systems.collective.bm25 import Bm25Index, Bm25Linker
from small_kb import of_entries

TEXT = "A fever of swamps, rock fever, and nothing."


@pytest.fixture
def kb(tmp_path: Path) -> KnowledgeBase:
    return of_entries(
        tmp_path / "kb",
        Entry("X:1", "swamp fever", types=("Disease",)),
        Entry("X:2", "rock fever", synonyms=("fever of rocks",), types=("Disease",)),
        Entry("X:3", "rock", types=("Chemical",)),
    )


def marked(*words: str) -> Document:
    places = ((TEXT.index(w), TEXT.index(w) + len(w)) for w in words)
    return Document("1", TEXT, mentions=tuple(Mention.at(*place) for place in places))


def test_bm25_retrieves_by_the_words_of_a_mention(kb: KnowledgeBase) -> None:
    document = marked("fever of swamps", "rock fever", "nothing")
    found = Bm25Index.build(kb).search([document.text_of(m) for m in document.mentions], 3)
    assert [[kb.id_at(near.entity) for near in one][:1] for one in found] == [["X:1"], ["X:2"], []]


def test_the_linker_ranks_by_share_and_says_nil_where_no_word_is_shared(kb: KnowledgeBase) -> None:
    linked = Bm25Linker(kb, top=2)(marked("fever of swamps", "rock fever", "nothing"))
    assert [m.ids for m in linked.mentions] == [("X:1",), ("X:2",), (holdfast.NIL,)]
    for mention in linked.mentions[:2]:
        shares = [c.score for c in mention.candidates]
        assert len(shares) == 2
        assert shares == sorted(shares, reverse=True)
        assert sum(shares) == pytest.approx(1, abs=1e-3)
        assert mention.candidates[0].evidence[0].kind == "bm25"


def test_only_wanted_types_are_candidates(kb: KnowledgeBase) -> None:
    (mention,) = Bm25Linker(kb, only=("Chemical",), top=1)(marked("rock fever")).mentions
    assert [c.entity_id for c in mention.candidates] == ["X:3"]


def test_it_is_a_part_of_a_pipeline(kb: KnowledgeBase) -> None:
    document = marked("rock fever", "fever of swamps")
    link = holdfast.load(kb, model=["bm25-linker"], marked=True, top=2)
    assert link(document) == Bm25Linker(kb, top=2)(document)
    assert list(link.pipe([document, document])) == [link(document)] * 2

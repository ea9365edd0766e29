"""Names as a corpus uses them, with the documents that do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from holdfast.document import Document, Mention
from holdfast.kb import Entry, KnowledgeBase
from holdfast.link.ranking.used_names import UsedNames, collect_used_names
from small_kb import of_entries

ENTRIES = (
    Entry("X:1", "fen ague", types=("Disease",)),
    Entry("X:2", "bog ague", types=("Disease",)),
)


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    return of_entries(tmp_path_factory.mktemp("used") / "kb", *ENTRIES)


def document(id: str, text: str, *marked: tuple[str, tuple[str, ...]]) -> Document:
    mentions = tuple(
        Mention.at(text.rindex(words), text.rindex(words) + len(words), ids=ids)
        for words, ids in marked
    )
    return Document(id, text, mentions=mentions)


@pytest.fixture(scope="module")
def used(kb: KnowledgeBase) -> UsedNames:
    return collect_used_names(
        [
            document(
                "1", "shaking fit, then chill", ("shaking fit", ("X:1",)), ("chill", ("X:2",))
            ),
            document("2", "Shaking fit or shaking-fit", ("shaking-fit", ("X:1",))),
            document("3", "Fen ague (FA). FA again", ("FA", ("X:1",))),
            document("4", "chill", ("chill", ("X:1",))),
            document("5", "both and none", ("both", ("X:1", "X:2")), ("none", ("NIL",))),
            document("6", "lost", ("lost", ("Y:9",))),
        ],
        kb,
    )


def test_mentions_of_one_known_entity_are_collected_written_out(used: UsedNames) -> None:
    found = set(zip(used.names, used.entity_ids, used.documents, strict=True))
    assert found == {
        ("shaking fit", "X:1", frozenset("1")),
        ("chill", "X:2", frozenset("1")),
        ("shaking-fit", "X:1", frozenset("2")),
        ("Fen ague", "X:1", frozenset("3")),
        ("chill", "X:1", frozenset("4")),
    }


def test_documents_are_found_by_entity_and_by_name(used: UsedNames) -> None:
    assert used.mentioning("X:1") == frozenset("1234")
    assert used.mentioning("X:2") == frozenset("1")
    assert used.mentioning("Y:9") == frozenset()
    assert used.using("Shaking Fit") == {"X:1": frozenset("12")}
    assert used.using("chill") == {"X:1": frozenset("4"), "X:2": frozenset("1")}
    assert used.using("nothing") == {}


def test_saved_names_are_the_same(used: UsedNames, tmp_path: Path) -> None:
    used.save(tmp_path)
    opened = UsedNames.open(tmp_path)
    assert (opened.names, opened.entity_ids) == (used.names, used.entity_ids)
    assert list(opened.documents) == list(used.documents)
    assert opened.documents[1:3] == tuple(used.documents)[1:3]
    assert opened.using("chill") == used.using("chill")
    assert opened.mentioning("X:1") == used.mentioning("X:1")


def test_entities_may_have_other_ids_in_a_knowledge_base(
    used: UsedNames, kb: KnowledgeBase
) -> None:
    names = UsedNames(("chill", "fit"), ("OLD:1", "OLD:2"), (frozenset("1"), frozenset("2")))
    rows = np.array([kb.row_of("X:2"), -1], dtype=np.int64)
    renamed = names.under_ids_of(kb, rows)
    assert renamed.entity_ids == ("X:2", "OLD:2")
    assert renamed.names == names.names
    assert renamed.mentioning("X:2") == frozenset("1")
    assert used.under_ids_of(kb, kb.rows_of(used.entity_ids)).entity_ids == used.entity_ids

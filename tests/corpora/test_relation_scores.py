"""Scores and evidence of relations, as text in PubTator and BioC."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.corpora import read_documents, write_documents
from holdfast.document import Argument, Document, Mention, Relation, Span
from holdfast.errors import InvalidValueError

ENDS = (Argument("MESH:D1"), Argument("MESH:D2"))
MENTIONS = (
    Mention.at(0, 5, "Chemical", ids=("MESH:D1",)),
    Mention.at(6, 11, "Disease", ids=("MESH:D2",)),
)


@pytest.mark.parametrize("suffix", ["pubtator", "bioc.json", "bioc.xml", "jsonl", "parquet"])
@pytest.mark.parametrize(
    ("note", "score", "evidence"),
    [("", 0.5, (Span(0, 11), Span(12, 15))), ("Novel", 1.0, ()), ("No score=x", 0.25, ())],
)
def test_they_come_back(
    tmp_path: Path, suffix: str, note: str, score: float, evidence: tuple[Span, ...]
) -> None:
    relation = Relation("CID", ENDS, note=note, score=score, evidence=evidence)
    document = Document("1", "words cause pain", mentions=MENTIONS, relations=(relation,))
    path = tmp_path / f"out.{suffix}"
    write_documents([document], path, allow_loss=True)
    ((found,),) = (d.relations for d in read_documents(path))
    assert (found.note, found.score, found.evidence) == (note, score, evidence)


def test_a_note_that_only_looks_like_a_score_stays_a_note(tmp_path: Path) -> None:
    path = tmp_path / "in.pubtator"
    for note in ("score=2", "score=high", "score=0.5 evidence=9-3", "scores=0.5"):
        path.write_text(f"1|t|a b\n1|a|\n1\tCID\tD1\tD2\t{note}\n", encoding="utf-8")
        ((found,),) = (d.relations for d in read_documents(path))
        assert (found.note, found.score) == (note, None)


def test_a_score_is_a_probability_and_evidence_is_in_the_text() -> None:
    with pytest.raises(InvalidValueError, match="outside"):
        Relation("CID", ENDS, score=1.5)
    with pytest.raises(InvalidValueError, match="empty or negative"):
        Relation("CID", ENDS, evidence=(Span(3, 3),))
    relation = Relation("CID", ENDS, evidence=(Span(0, 9),))
    with pytest.raises(InvalidValueError, match="leaves the text"):
        Document("1", "short", relations=(relation,))

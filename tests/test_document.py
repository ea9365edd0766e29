"""The values that flow: what they refuse, and that their JSON form gives them back."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.document import (
    NIL,
    STATUSES,
    Argument,
    Candidate,
    Document,
    Evidence,
    Mention,
    Passage,
    Relation,
    Span,
)
from holdfast.errors import HoldfastError, InvalidValueError
from holdfast.types import TYPES, canonical_type

TEXT = "Breast and ovarian cancer run in families."

words = st.text(max_size=8)
filled_words = st.text(min_size=1, max_size=8)
scores = st.floats(0, 1)
evidence = st.builds(
    Evidence, words, words, st.none() | st.floats(allow_nan=False, allow_infinity=False)
)
candidates = st.builds(
    Candidate, filled_words, words, scores, words, st.lists(evidence, max_size=2).map(tuple)
)
ids = st.just((NIL,)) | st.lists(filled_words.filter(lambda value: value != NIL), unique=True).map(
    tuple
)


def ascending_pairs(draw: st.DrawFn, length: int, *, most: int) -> list[tuple[int, int]]:
    """Up to `most` pairs of distinct offsets, none overlapping the next."""
    offsets = sorted(draw(st.sets(st.integers(0, length), max_size=2 * most)))
    return list(zip(offsets[::2], offsets[1::2], strict=False))


@st.composite
def mentions(draw: st.DrawFn, length: int, mention_id: str) -> Mention:
    spans = ascending_pairs(draw, length, most=3) or [(0, length)]
    return Mention(
        spans=tuple(Span(start, end) for start, end in spans),
        type=draw(words),
        ids=draw(ids),
        id=mention_id,
        parts=tuple(draw(st.lists(words, max_size=2))),
        status=draw(st.none() | st.sampled_from(STATUSES)),
        candidates=tuple(draw(st.lists(candidates, max_size=2))),
    )


@st.composite
def documents(draw: st.DrawFn) -> Document:
    text = draw(st.text(min_size=1, max_size=40))
    mention_ids = draw(st.lists(filled_words, unique=True, max_size=3))
    arguments = st.builds(
        lambda value, role: Argument(entity_id=value, role=role), filled_words, words
    )
    if mention_ids:
        arguments |= st.builds(
            lambda value, role: Argument(mention_id=value, role=role),
            st.sampled_from(mention_ids),
            words,
        )
    relations = st.builds(
        Relation,
        words,
        st.lists(arguments, min_size=2, max_size=3).map(tuple),
        words,
        words,
    )
    return Document(
        id=draw(words),
        text=text,
        passages=tuple(
            Passage(draw(words), start, end)
            for start, end in ascending_pairs(draw, len(text), most=3)
        ),
        mentions=tuple(
            draw(mentions(len(text), mention_id))
            for mention_id in [*mention_ids, *draw(st.just([""]) | st.just([]))]
        ),
        relations=tuple(draw(st.lists(relations, max_size=2))),
        metadata=tuple(draw(st.lists(st.tuples(words, words), max_size=2))),
    )


def document_json(**mention: Any) -> dict[str, Any]:
    return {"id": "1", "text": TEXT, "mentions": [{"spans": [[0, 6]], **mention}]}


@settings(max_examples=60)
@given(documents())
def test_a_document_comes_back_from_its_json_as_it_was(document: Document) -> None:
    assert Document.from_json(json.loads(json.dumps(document.to_json()))) == document


@settings(max_examples=30)
@given(documents())
def test_the_json_form_leaves_out_what_is_empty(document: Document) -> None:
    form = document.to_json()
    optional = [form, *form.get("mentions", []), *form.get("relations", [])]
    assert {"id", "text"} <= form.keys()
    for item in optional:
        empty = [key for key, value in item.items() if value in ("", None, [])]
        assert set(empty) <= {"id", "text"} if item is form else empty == []


def test_the_json_form_of_a_full_document_is_the_documented_one() -> None:
    document = Document(
        id="7",
        text=TEXT,
        passages=(Passage("title", 0, len(TEXT)),),
        mentions=(
            Mention(
                (Span(0, 6), Span(19, 25)),
                type="Disease",
                ids=("MESH:D001943",),
                id="T1",
                parts=("breast cancer",),
                status="affirmed",
                candidates=(
                    Candidate(
                        "MESH:D001943",
                        "breast cancer",
                        0.5,
                        "Breast Neoplasms",
                        (Evidence("exact", "breast cancer", 1.0),),
                    ),
                ),
            ),
        ),
        relations=(
            Relation("is_a", (Argument(mention_id="T1"), Argument("MESH:D009369", role="parent"))),
        ),
        metadata=(("journal", "none"),),
    )
    assert document.to_json() == {
        "id": "7",
        "text": TEXT,
        "passages": [{"kind": "title", "start": 0, "end": 42}],
        "mentions": [
            {
                "id": "T1",
                "spans": [[0, 6], [19, 25]],
                "text": "Breast cancer",
                "type": "Disease",
                "ids": ["MESH:D001943"],
                "parts": ["breast cancer"],
                "status": "affirmed",
                "candidates": [
                    {
                        "entity_id": "MESH:D001943",
                        "name": "breast cancer",
                        "label": "Breast Neoplasms",
                        "score": 0.5,
                        "evidence": [{"kind": "exact", "detail": "breast cancer", "score": 1.0}],
                    }
                ],
            }
        ],
        "relations": [
            {
                "type": "is_a",
                "arguments": [
                    {"mention_id": "T1"},
                    {"entity_id": "MESH:D009369", "role": "parent"},
                ],
            }
        ],
        "metadata": [["journal", "none"]],
    }


def test_a_candidate_with_score_zero_keeps_its_score() -> None:
    mention = Mention((Span(0, 6),), candidates=(Candidate("MESH:D1", "x", 0.0),))
    document = Document("1", TEXT, mentions=(mention,))
    assert document.to_json()["mentions"][0]["candidates"][0]["score"] == 0.0
    assert Document.from_json(document.to_json()) == document


def test_json_whose_mention_text_does_not_match_is_refused_with_both_texts() -> None:
    with pytest.raises(InvalidValueError, match=r"0-6 says 'Ovary', the text there is 'Breast'"):
        Document.from_json(document_json(text="Ovary"))


def test_json_without_the_mention_text_is_read() -> None:
    assert Document.from_json(document_json()).mentions == (Mention.at(0, 6),)


@pytest.mark.parametrize(
    "data",
    [
        {"text": TEXT},
        {"id": "1"},
        {"id": 1, "text": TEXT},
        {"id": "1", "text": None},
        {"id": "1", "text": TEXT, "mentions": 5},
        {"id": "1", "text": TEXT, "mentions": [{"type": "Disease"}]},
        {"id": "1", "text": TEXT, "mentions": ["T1"]},
        {"id": "1", "text": TEXT, "passages": [{"kind": "title", "start": 0}]},
        {"id": "1", "text": TEXT, "relations": [{"type": "is_a"}]},
        {"id": "1", "text": TEXT, "metadata": ["journal"]},
        {"id": "1", "text": TEXT, "metadata": [["journal"]]},
        document_json(spans=[[0]]),
        document_json(spans=[["a", "b"]]),
        document_json(candidates=[{"entity_id": "X:1"}]),
        document_json(candidates=[{"entity_id": "X:1", "score": "high"}]),
        {"id": "1", "text": TEXT, "metadata": ["ab"]},
        {"id": "1", "text": TEXT, "passages": [{"kind": 1, "start": 0, "end": 1}]},
        {"id": "1", "text": TEXT, "relations": [{"arguments": [{"entity_id": 1}]}]},
        document_json(spans=[[0, 6.5]]),
        document_json(spans=[[False, True]]),
        document_json(type=5),
        document_json(ids="MESH:D1"),
        document_json(ids=[5]),
        document_json(parts="ab"),
        document_json(status=["negated"]),
        document_json(candidates=[{"entity_id": "X:1", "score": 0.5, "name": 5}]),
        document_json(candidates=[{"entity_id": "X:1", "score": 0.5, "evidence": [{}]}]),
        ["id", "text"],
        "document",
        None,
    ],
)
def test_json_that_is_not_a_document_is_refused_on_one_line(data: Any) -> None:
    with pytest.raises(InvalidValueError) as caught:
        Document.from_json(data)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("spans", [[(3, 3)], [(4, 3)], [(-1, 3)], []])
def test_a_mention_refuses_an_empty_reversed_or_negative_span(
    spans: list[tuple[int, int]],
) -> None:
    with pytest.raises(InvalidValueError):
        Mention(tuple(Span(*span) for span in spans))


@pytest.mark.parametrize("spans", [[(4, 8), (0, 2)], [(0, 4), (3, 6)], [(0, 4), (0, 4)]])
def test_a_mention_refuses_spans_out_of_order_or_overlapping(
    spans: list[tuple[int, int]],
) -> None:
    with pytest.raises(InvalidValueError, match="out of order or overlaps"):
        Mention(tuple(Span(*span) for span in spans))


def test_spans_that_touch_are_allowed() -> None:
    mention = Mention((Span(0, 3), Span(3, 6)))
    assert (mention.start, mention.end) == (0, 6)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ((NIL, "MESH:D1"), "either NIL or has ids"),
        (("MESH:D1", NIL), "either NIL or has ids"),
        ((NIL, NIL), "either NIL or has ids"),
        (("",), "empty"),
        (("MESH:D1", ""), "empty"),
        (("MESH:D1", "MESH:D2", "MESH:D1"), "repeat"),
    ],
)
def test_a_mention_refuses_ids_that_contradict_themselves(
    ids: tuple[str, ...], message: str
) -> None:
    with pytest.raises(InvalidValueError, match=message):
        Mention.at(0, 1, ids=ids)


@pytest.mark.parametrize(
    ("ids", "is_nil", "is_linked"),
    [((), False, False), ((NIL,), True, False), (("MESH:D1",), False, True)],
)
def test_unlinked_nil_and_linked_are_three_things(
    ids: tuple[str, ...], is_nil: bool, is_linked: bool
) -> None:
    mention = Mention.at(0, 1, ids=ids)
    assert (mention.is_nil, mention.is_linked) == (is_nil, is_linked)


def test_a_mention_refuses_an_unknown_status() -> None:
    with pytest.raises(InvalidValueError, match="'denied' is not one of affirmed, negated"):
        Mention((Span(0, 1),), status="denied")


@pytest.mark.parametrize("score", [-0.01, 1.01, float("nan"), float("inf")])
def test_a_candidate_refuses_a_score_outside_zero_to_one(score: float) -> None:
    with pytest.raises(InvalidValueError, match=r"outside \[0, 1\]"):
        Candidate("MESH:D1", "x", score)


def test_a_candidate_refuses_an_empty_entity_id() -> None:
    with pytest.raises(InvalidValueError, match="entity id"):
        Candidate("", "x", 0.5)


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (3, 2)])
def test_a_passage_refuses_a_reversed_or_negative_stretch(start: int, end: int) -> None:
    with pytest.raises(InvalidValueError, match="'title'"):
        Passage("title", start, end)


@pytest.mark.parametrize(("entity_id", "mention_id"), [("", ""), ("MESH:D1", "T1")])
def test_an_argument_is_an_entity_or_a_mention_and_not_both(
    entity_id: str, mention_id: str
) -> None:
    with pytest.raises(InvalidValueError):
        Argument(entity_id, mention_id)


def test_a_relation_needs_two_arguments() -> None:
    with pytest.raises(InvalidValueError, match="'treats'"):
        Relation("treats", (Argument("MESH:D1"),))


def test_a_document_refuses_a_mention_outside_its_text() -> None:
    with pytest.raises(InvalidValueError, match=r"mention 0-43 leaves the text \(42 long\)"):
        Document("1", TEXT, mentions=(Mention.at(0, 43),))
    assert Document("1", TEXT, mentions=(Mention.at(0, 42),)).mentions[0].end == len(TEXT)


def test_a_document_refuses_a_mention_id_given_twice() -> None:
    with pytest.raises(InvalidValueError, match="'T1' repeats"):
        Document("1", TEXT, mentions=(Mention.at(0, 1, id="T1"), Mention.at(2, 3, id="T1")))


def test_mentions_without_an_id_may_be_many_even_the_same() -> None:
    document = Document("1", TEXT, mentions=(Mention.at(0, 1), Mention.at(0, 1)))
    assert len(document.mentions) == 2


def test_a_document_refuses_a_relation_to_a_mention_that_is_not_there() -> None:
    relation = Relation("is_a", (Argument(mention_id="T1"), Argument("MESH:D1")))
    with pytest.raises(InvalidValueError, match="'T1', which is not there"):
        Document("1", TEXT, mentions=(Mention.at(0, 1),), relations=(relation,))


@pytest.mark.parametrize(
    "passages",
    [
        (Passage("title", 0, 43),),
        (Passage("title", 0, 10), Passage("abstract", 9, 20)),
        (Passage("abstract", 10, 20), Passage("title", 0, 10)),
    ],
)
def test_a_document_refuses_passages_that_overlap_or_leave_the_text(
    passages: tuple[Passage, ...],
) -> None:
    with pytest.raises(InvalidValueError, match="overlaps another or leaves the text"):
        Document("1", TEXT, passages=passages)


def test_an_empty_abstract_at_the_end_of_the_text_is_a_passage() -> None:
    passages = (Passage("title", 0, 42), Passage("abstract", 42, 42))
    assert Document("1", TEXT, passages=passages).passages == passages


def test_offsets_count_code_points() -> None:
    document = Document("1", "𝛼-synuclein é", mentions=(Mention.at(0, 11),))
    assert document.text_of(document.mentions[0]) == "𝛼-synuclein"


def test_the_pieces_of_an_interrupted_mention_are_joined_by_a_space() -> None:
    mention = Mention((Span(0, 6), Span(19, 25)))
    assert Document("1", TEXT, mentions=(mention,)).text_of(mention) == "Breast cancer"


def test_a_richer_copy_leaves_the_original_as_it_was() -> None:
    document = Document("1", TEXT)
    richer = document.with_mentions([Mention.at(0, 6)])
    assert document.mentions == ()
    assert richer == replace(document, mentions=(Mention.at(0, 6),))


def test_a_richer_copy_is_checked_too() -> None:
    with pytest.raises(InvalidValueError):
        Document("1", TEXT).with_mentions([Mention.at(0, 100)])


def test_values_cannot_be_changed_and_can_be_hashed() -> None:
    mention = Mention.at(0, 6, "Disease", ["MESH:D1"])
    with pytest.raises(FrozenInstanceError):
        mention.type = "Gene"  # type: ignore[misc]
    assert len({Document("1", TEXT, mentions=(mention,)), Document("1", TEXT)}) == 2


def test_a_refused_value_is_both_a_holdfast_error_and_a_value_error() -> None:
    assert issubclass(InvalidValueError, HoldfastError)
    assert issubclass(InvalidValueError, ValueError)


@pytest.mark.parametrize(
    ("spelling", "expected"),
    [
        ("SpecificDisease", "Disease"),
        ("DiseaseOrPhenotypicFeature", "Disease"),
        ("Gene_or_gene_product", "Gene"),
        ("GeneOrGeneProduct", "Gene"),
        ("Simple_chemical", "Chemical"),
        ("ChemicalEntity", "Chemical"),
        ("OrganismTaxon", "Species"),
        ("cell line", "CellLine"),
        ("cell_line", "CellLine"),
        ("cell-type", "CellType"),
        ("SequenceVariant", "Variant"),
        ("protein", "Gene"),
    ],
)
def test_spellings_of_one_type_agree(spelling: str, expected: str) -> None:
    assert canonical_type(spelling) == expected


@pytest.mark.parametrize("known", TYPES)
def test_a_canonical_type_is_its_own_spelling_in_any_case(known: str) -> None:
    assert canonical_type(known) == known
    assert canonical_type(known.upper()) == canonical_type(known.lower()) == known


@given(st.text(max_size=12))
def test_a_canonical_type_does_not_change_again(spelling: str) -> None:
    assert canonical_type(canonical_type(spelling)) == canonical_type(spelling)


def test_an_unknown_type_stays_as_it_is() -> None:
    assert canonical_type("Metabolic_Route") == "Metabolic_Route"

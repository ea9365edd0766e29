from __future__ import annotations

from evaluate.strategies import document
from holdfast.document import NIL, Mention, Span
from holdfast.evaluate import Mistake, find_mistakes

TEXT = "breast cancer and pain after aspirin"
M = Mention.at


def mistakes(gold: list[Mention], predicted: list[Mention], protocol: str) -> list[Mistake]:
    return list(
        find_mistakes(
            [document("d", *gold, text=TEXT)],
            [document("d", *predicted, text=TEXT)],
            protocol=protocol,
            equivalents=lambda entity: frozenset({"N:3"} if entity == "M:3" else ()),
        )
    )


GOLD = [M(29, 36, "Chemical", ["M:3"]), M(0, 13, "Disease", ["M:1"]), M(18, 22, "Disease", ["M:2"])]
FOUND = [M(29, 36, "Gene", ["N:3"]), M(7, 13, "Disease", ["M:1"]), M(18, 22, "Disease", ["M:9"])]


def test_strong_mistakes_are_wrong_spans_and_wrong_ids_in_order() -> None:
    assert mistakes(GOLD, FOUND, "strong") == [
        Mistake("wrong span", "d", (Span(0, 13),), "breast cancer", "M:1", "M:1 (cancer)"),
        Mistake("wrong id", "d", (Span(18, 22),), "pain", "M:2", "M:9"),
    ]


def test_typed_mistakes_are_wrong_types() -> None:
    found = mistakes(GOLD[:1], FOUND[:1], "typed")
    assert [(m.kind, m.gold, m.predicted) for m in found] == [("wrong type", "Chemical", "Gene")]
    assert mistakes(GOLD[:1], FOUND[:1], "mention") == []


def test_missed_and_spurious_mentions_are_shown_with_their_text() -> None:
    found = mistakes([GOLD[1]], [FOUND[2], M(29, 36)], "mention")
    assert [(m.kind, m.text, m.gold, m.predicted) for m in found] == [
        ("missed", "breast cancer", "breast cancer", ""),
        ("spurious", "pain", "", "pain"),
        ("spurious", "aspirin", "", "aspirin"),
    ]


def test_mentions_without_an_id_are_no_mistakes_about_ids() -> None:
    assert mistakes([M(0, 13, ids=[NIL])], [M(29, 36)], "strong") == []


def test_a_repeated_prediction_is_no_mistake() -> None:
    assert mistakes(GOLD[:1], FOUND[:1] * 2, "strong") == []


def test_the_json_form_is_plain() -> None:
    (mistake,) = mistakes(GOLD[2:], FOUND[2:], "strong")
    assert mistake.to_json() == {
        "kind": "wrong id",
        "document": "d",
        "spans": [[18, 22]],
        "text": "pain",
        "gold": "M:2",
        "predicted": "M:9",
    }

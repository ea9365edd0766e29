"""The rules file: block, pin, add, drop."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.document import Candidate, Document, Evidence, Mention
from holdfast.errors import FormatError, InputError
from holdfast.kb import KnowledgeBase
from holdfast.link.rules import Rules, read_rules
from holdfast.pipeline import load
from small_kb import make_kb


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    return make_kb(tmp_path_factory.mktemp("rules") / "kb")


def linked(kb: KnowledgeBase, folder: Path, rules: str, text: str) -> Document:
    path = folder / "rules.toml"
    path.write_text(rules, encoding="utf-8")
    return load(kb, rules=path)(text)


def test_a_blocked_name_is_no_mention(kb: KnowledgeBase, tmp_path: Path) -> None:
    text = "A heart attack after bleeding."
    found = linked(kb, tmp_path, 'block = ["Heart Attacks"]', text)
    assert [found.text_of(m) for m in found.mentions] == ["bleeding"]


def test_a_pinned_name_is_that_entity_and_says_so(kb: KnowledgeBase, tmp_path: Path) -> None:
    rules = '[pin]\n"heart attack" = "MONDO:0002"'
    (mention,) = linked(kb, tmp_path, rules, "A heart attack.").mentions
    assert mention.ids == ("MONDO:0002",)
    (best,) = mention.candidates
    assert (best.score, best.evidence[0].kind) == (1.0, "rule")
    assert "heart attack" in best.evidence[0].detail


def test_an_added_synonym_is_found_though_no_vocabulary_has_it(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    rules = '[synonyms]\n"MESH:D002" = ["broken pump", "zq9"]'
    found = linked(kb, tmp_path, rules, "Broken pumps are rare; a ZQ9 is not.")
    assert [(found.text_of(m), m.ids) for m in found.mentions] == [
        ("Broken pumps", ("MESH:D002",)),
        ("ZQ9", ("MESH:D002",)),
    ]
    assert {m.type for m in found.mentions} == {"Disease"}


def test_a_synonym_takes_the_place_of_a_shorter_mention(kb: KnowledgeBase, tmp_path: Path) -> None:
    rules = '[synonyms]\n"MESH:D002" = ["silent heart attack"]'
    found = linked(kb, tmp_path, rules, "A silent heart attack.")
    assert [found.text_of(m) for m in found.mentions] == ["silent heart attack"]


def test_a_dropped_type_is_gone(kb: KnowledgeBase, tmp_path: Path) -> None:
    text = "Lithium carbonate and bleeding."
    found = linked(kb, tmp_path, 'drop_types = ["chemical"]', text)
    assert {m.type for m in found.mentions} == {"Disease"}


def test_empty_rules_change_nothing(kb: KnowledgeBase, tmp_path: Path) -> None:
    text = "A heart attack after bleeding and lithium carbonate."
    assert linked(kb, tmp_path, "", text) == load(kb)(text)


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("blocks = []", "no rule is called 'blocks'"),
        ("block = 5", "block must be a list"),
        ('block = ["--"]', "no letter or digit"),
        ('[pin]\n"x" = "MESH:D999999"', "MESH:D999999"),
        ('[pin]\n"x" = ["MESH:D002"]', "needs one id"),
        ('[synonyms]\n"MESH:D002" = "x"', "must be a list"),
        ('drop_types = ["diseases of kings"]', "no type is called"),
        ("block = [\n!]", "line 2"),
        ('pin = ["x"]', "pin must be a table"),
        ("block = [5]", "block must be a list"),
    ],
)
def test_a_mistake_is_named_with_its_file(
    kb: KnowledgeBase, tmp_path: Path, rules: str, said: str
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(rules, encoding="utf-8")
    with pytest.raises(FormatError, match=r"mine\.toml") as caught:
        read_rules(path, kb)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_an_input_error(kb: KnowledgeBase, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.toml"):
        read_rules(tmp_path / "nowhere.toml", kb)


def rules_of(kb: KnowledgeBase, folder: Path, text: str) -> Rules:
    path = folder / "rules.toml"
    path.write_text(text, encoding="utf-8")
    return read_rules(path, kb)


def marked(text: str, *surfaces: str, type: str = "Disease") -> Document:
    """The first place of each surface, as a mention."""
    places = [(text.index(surface), surface) for surface in surfaces]
    mentions = tuple(Mention.at(at, at + len(surface), type) for at, surface in places)
    return Document("1", text, mentions=mentions)


def words(document: Document) -> list[str]:
    return [document.text_of(mention) for mention in document.mentions]


def test_a_mention_that_only_touches_a_rules_name_stays(kb: KnowledgeBase, tmp_path: Path) -> None:
    rules = rules_of(kb, tmp_path, '[synonyms]\n"MESH:D002" = ["zq9"]')
    assert words(rules.find(marked("abc-ZQ9-def", "abc-", "-def"))) == ["abc-", "ZQ9", "-def"]
    assert words(rules.find(marked("abc-ZQ9-def", "abc-Z", "9-def"))) == ["ZQ9"]
    assert words(rules.find(marked("abc-ZQ9-def", "abc-ZQ9-def"))) == ["ZQ9"]


@pytest.mark.parametrize("tokens", [1, 2, 4, 7, 12])
def test_names_of_many_words_are_found(kb: KnowledgeBase, tmp_path: Path, tokens: int) -> None:
    name = " ".join(f"quib{'bcdfghjklmnp'[i]}" for i in range(tokens))
    rules = rules_of(kb, tmp_path, f'[synonyms]\n"MESH:D002" = ["{name}"]')
    text = f"Some {name} and {name}."
    found = rules.find(Document("1", text))
    assert words(found) == [name, name]
    assert [mention.type for mention in found.mentions] == ["Disease", "Disease"]


def test_of_two_rules_names_the_longest_from_the_left_is_taken(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    rules = rules_of(
        kb, tmp_path, '[synonyms]\n"MESH:D002" = ["wobbly knee", "knee pain"]\n"HGNC:1" = ["knee"]'
    )
    text = "A wobbly knee pain, a knee."
    found = rules.find(Document("1", text))
    assert words(found) == ["wobbly knee", "knee"]
    assert [mention.type for mention in found.mentions] == ["Disease", "Gene"]


def test_a_name_does_not_go_on_behind_a_blank_line(kb: KnowledgeBase, tmp_path: Path) -> None:
    rules = rules_of(kb, tmp_path, '[synonyms]\n"MESH:D002" = ["wobbly knee"]')
    assert words(rules.find(Document("1", "wobbly\n\nknee; wobbly knee"))) == ["wobbly knee"]


def test_mentions_and_names_of_rules_are_in_the_order_of_the_text(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    rules = rules_of(kb, tmp_path, '[synonyms]\n"MESH:D002" = ["zq9"]')
    assert words(rules.find(marked("gout, zq9, pain", "gout", "pain"))) == ["gout", "zq9", "pain"]


def decided(rules: Rules, surface: str, *ids: str, type: str = "Disease") -> Mention:
    """The mention after the rules, where a linker found these entities, the first one likeliest."""
    candidates = tuple(
        Candidate(id, id, 0.5**place, id, (Evidence("exact", "a name"),))
        for place, id in enumerate(ids, 1)
    )
    mention = Mention(Mention.at(0, len(surface)).spans, type, ids[:1], candidates=candidates)
    return rules.decide(Document("1", surface, mentions=(mention,))).mentions[0]


def test_a_synonym_comes_first_and_the_other_candidates_stay(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    rules = rules_of(kb, tmp_path, '[synonyms]\n"MESH:D002" = ["bad pump"]')
    mention = decided(rules, "bad pump", "MESH:D001", "MESH:D002", "MESH:D004")
    assert mention.ids == ("MESH:D002",)
    assert [c.entity_id for c in mention.candidates] == ["MESH:D002", "MESH:D001", "MESH:D004"]
    best = mention.candidates[0]
    assert (best.name, best.label, best.score) == ("bad pump", "Myocardial Infarction", 1.0)
    assert best.evidence == (Evidence("rule", "the rules call MESH:D002 “bad pump”"),)
    assert mention.candidates[1].evidence == (Evidence("exact", "a name"),)


def test_a_pin_leaves_no_other_candidate_and_gives_a_type_where_there_is_none(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    rules = rules_of(kb, tmp_path, '[pin]\n"bad pump" = "MESH:D002"')
    mention = decided(rules, "bad pump", "MESH:D001", "MESH:D002", type="")
    assert [c.entity_id for c in mention.candidates] == ["MESH:D002"]
    assert mention.candidates[0].evidence[0].detail == "the rules pin “bad pump” to MESH:D002"
    assert mention.type == "Disease"
    assert decided(rules, "bad pump", "MESH:D001", type="Odd").type == "Odd"
    assert decided(rules, "good pump", "MESH:D001").ids == ("MESH:D001",)


def test_where_two_rules_name_one_thing_the_one_that_is_written_so_counts(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    rules = rules_of(kb, tmp_path, 'block = ["was"]\n[pin]\n"WAS" = "MESH:D003"')
    assert words(rules.find(marked("WAS was", "WAS", "was"))) == ["WAS"]
    assert decided(rules, "WAS", "HGNC:2").ids == ("MESH:D003",)


def test_a_blocked_name_that_was_linked_anyway_keeps_its_link(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    rules = rules_of(kb, tmp_path, 'block = ["gout"]')
    assert decided(rules, "gout", "MESH:D001").ids == ("MESH:D001",)


def test_rules_say_why_they_keep_a_mention_out(kb: KnowledgeBase, tmp_path: Path) -> None:
    text = 'block = ["gout"]\ndrop_types = ["gene", "chemical"]\n[pin]\n"AD" = "MESH:D003"'
    rules = rules_of(kb, tmp_path, text)
    assert list(rules.reasons_against("gouts")) == ["the rules block “gout”"]
    dropped = ["the rules drop what is of the type Chemical, Gene"]
    assert list(rules.reasons_against("pain")) == dropped
    assert list(rules.reasons_against("AD")) == dropped
    assert list(rules_of(kb, tmp_path, "").reasons_against("gout")) == []


def test_dropped_types_are_compared_however_they_are_spelled(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    rules = rules_of(kb, tmp_path, 'drop_types = ["gene"]')
    assert words(rules.find(marked("TNF", "TNF", type="GeneOrGeneProduct"))) == []
    assert words(rules.find(marked("TNF", "TNF", type="Disease"))) == ["TNF"]

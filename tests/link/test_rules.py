"""The rules file: block, pin, add, drop."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.document import Document
from holdfast.errors import FormatError, InputError
from holdfast.kb import KnowledgeBase
from holdfast.link.rules import read_rules
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

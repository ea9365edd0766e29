"""Types that only the user's own vocabulary has are asked for and dropped like any other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import holdfast
from command import call
from holdfast.errors import UsageError
from holdfast.kb import open_kb

TABLE = (
    "id\tname\tsynonyms\ttype\n"
    "A:1\tquaggle binding test\tQBT\tassay\n"
    "A:2\tzibol lysis screen\t\tassay|process\n"
    "A:3\tquaggle fever\t\tdisease\n"
    "A:4\tvorpal counter\t\tLab Device\n"
)
TEXT = "Quaggle fever, a quaggle binding test, a zibol lysis screen and a vorpal counter."
MODELS = ("default", "dictionary", "names")


@pytest.fixture
def kb(tmp_path: Path) -> str:
    (tmp_path / "terms.tsv").write_text(TABLE, encoding="utf-8")
    assert call("kb", "build", "mine", "--table", tmp_path / "terms.tsv").returncode == 0
    return "mine"


def found(kb: str, *options: str) -> dict[str, tuple[str, ...]]:
    """From id to the type and ids of all candidates of the mention."""
    done = call("link", TEXT, "--kb", kb, "--json", *options)
    assert done.returncode == 0, done.stderr
    return {
        mention["ids"][0]: (mention["type"], *(c["entity_id"] for c in mention["candidates"]))
        for mention in json.loads(done.stdout)["mentions"]
    }


@pytest.mark.parametrize("model", MODELS)
def test_own_types_are_found_by_default_under_their_own_name(kb: str, model: str) -> None:
    types = {id: type for id, (type, *_) in found(kb, "--model", model).items()}
    assert types == {"A:1": "assay", "A:2": "Process", "A:3": "Disease", "A:4": "Lab Device"}


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("spelled", ["assay", "Assay"])
def test_only_an_own_type_finds_just_its_entities(kb: str, model: str, spelled: str) -> None:
    answers = found(kb, "--only", spelled, "--model", model)
    assert {id: type for id, (type, *_) in answers.items()} == {"A:1": "assay", "A:2": "assay"}
    assert {id for _, *ids in answers.values() for id in ids} <= {"A:1", "A:2"}


@pytest.mark.parametrize("model", MODELS)
def test_own_and_known_types_may_be_asked_for_together(kb: str, model: str) -> None:
    answers = found(kb, "--only", "lab-device,disease,process", "--model", model)
    types = {id: type for id, (type, *_) in answers.items()}
    assert types == {"A:2": "Process", "A:3": "Disease", "A:4": "Lab Device"}


def test_a_known_type_leaves_own_types_out(kb: str) -> None:
    assert "A:1" not in found(kb, "--only", "disease")


def test_rules_drop_own_types(kb: str, tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('drop_types = ["ASSAY", "lab device"]\n', encoding="utf-8")
    assert set(found(kb, "--rules", str(rules))) == {"A:2", "A:3"}
    rules.write_text('drop_types = ["spell"]\n', encoding="utf-8")
    done = call("link", TEXT, "--kb", kb, "--rules", rules)
    assert done.returncode == 1
    assert "drop_types: no type is called 'spell'; there is: Disease, " in done.stderr
    assert "assay, Lab Device" in done.stderr


def test_an_unknown_type_is_answered_with_the_own_ones_too(kb: str) -> None:
    done = call("link", TEXT, "--kb", kb, "--only", "asay")
    assert done.returncode == 2
    assert "no type is called 'asay'; there is: Disease, " in done.stderr
    assert "Other, assay, Lab Device" in done.stderr


def test_info_counts_own_types(kb: str) -> None:
    data = json.loads(call("kb", "info", kb, "--json").stdout)
    assert data["types"] == {"assay": 2, "Disease": 1, "Process": 1, "Lab Device": 1}
    assert "assay 2" in call("kb", "info", kb).stdout


def test_asking_for_an_own_type_changes_nothing_for_others(kb: str) -> None:
    base = open_kb(kb)
    before = holdfast.load(base)(TEXT)
    holdfast.load(base, only=("assay",))
    assert holdfast.load(base)(TEXT) == before


@pytest.mark.parametrize(
    ("only", "message"),
    [
        ("disease", r"'disease' is one string, not several types; write \['disease'\]"),
        ((), "no type is named; there is: Disease, "),
        (("disease", None), "a type is called by its name, not None"),
    ],
)
def test_what_is_no_list_of_types_is_refused(
    kb: str, only: str | tuple[str | None, ...], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        holdfast.load(kb, only=only)  # type: ignore[arg-type]

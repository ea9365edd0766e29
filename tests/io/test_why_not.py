"""`holdfast link --why-not`: which rule, threshold or other mention kept a term out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from command import call
from holdfast.kb import Entry, Source
from small_kb import make_kb

TEXT = (
    "A heart attack after rest in a cold room, see www.heartattack.org/TNF here. The activin "
    "receptor signaling pathway was shown in table row; a quaggle\n\nfever (QF) too."
)


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    entries = (
        Entry("X:1", "Heart Attack", types=("Disease",)),
        Entry("X:2", "REST", types=("Gene",)),
        Entry("X:3", "cold", types=("Disease",)),
        Entry("X:4", "activin receptor", types=("Gene",)),
        Entry("X:5", "activin receptor signaling pathway", types=("Process",)),
        Entry("X:6", "table row", types=("Chemical",)),
        Entry("X:7", "TNF", types=("Gene",)),
        Entry("X:8", "room", types=("Other",)),
        Entry("X:9", "quaggle fever", types=("Disease",)),
    )
    return make_kb(tmp_path / "kb", (Source("Ours"), entries)).folder


def reasons(kb: Path, term: str, *options: str | Path, text: str = TEXT) -> dict[str, str]:
    """What is said at the first place, or of the whole text: rule -> detail."""
    done = call("link", text, "--kb", kb, "--why-not", term, "--json", *options)
    assert done.returncode == 0, done.stderr
    (report,) = json.loads(done.stdout)["documents"]
    told: list[dict[str, Any]] = [*report["reasons"]]
    for place in report["places"][:1]:
        assert text[place["start"] : place["end"]] == place["text"]
        told += place["reasons"]
    return {reason["rule"]: reason["detail"] for reason in told}


def test_what_was_found_is_told_with_its_link(kb: Path) -> None:
    assert "Disease and linked to X:1" in reasons(kb, "heart attacks")["found"]


def test_a_term_that_is_in_no_vocabulary_has_nearest_names(kb: Path) -> None:
    told = reasons(kb, "hart attack", text="A hart attack.")
    assert "“Heart Attack” (X:1)" in told["unlisted"]
    assert "probability" in told["untagged"] or "overlap" in told


def test_a_term_that_does_not_occur_is_looked_up_all_the_same(kb: Path) -> None:
    told = reasons(kb, "TNF", text="Nothing here.")
    assert "does not occur" in told["absent"]
    assert "X:7 lists “TNF”" in told["listed"]
    assert set(reasons(kb, "zebra", text="Nothing.")) == {"absent", "unlisted"}
    assert "inside a word" in reasons(kb, "art", text="A heart.")
    assert "no letter" in reasons(kb, "...", text="A heart.")["absent"]


@pytest.mark.parametrize(
    ("term", "rule", "words"),
    [
        ("rest", "common word", "common word"),
        ("cold", "common word", "X:3 lists “cold”"),
        ("room", "only", "--only other finds it"),
        ("TNF", "address", "address"),
        ("quaggle fever", "lines", "another line"),
        ("activin receptor", "overlap", "longer mention “activin receptor signaling pathway”"),
        ("table row", "denied", "more than 0.9 is enough"),
    ],
)
def test_the_rule_that_was_decisive_is_named(kb: Path, term: str, rule: str, words: str) -> None:
    assert words in reasons(kb, term)[rule]


def test_case_punctuation_and_unwanted_types_are_named(kb: Path) -> None:
    assert "case matters" in reasons(kb, "tnf", text="The tnf rose.")["case"]
    told = reasons(kb, "heart attack", text="The heart, attack and all.")
    assert "comma" in told["punctuation"]
    assert "not wanted: Disease" in reasons(kb, "heart attack", "--only", "gene")["only"]


def test_a_short_name_and_a_short_form_are_told(tmp_path: Path) -> None:
    kb = make_kb(
        tmp_path / "kb",
        (
            Source("Ours"),
            (Entry("X:1", "K9", types=("Gene",)), Entry("X:2", "TNF", types=("Gene",))),
        ),
    ).folder
    assert "fewer than three" in reasons(kb, "K9", "--model", "dictionary", text="The K9.")["short"]
    text = "The total number of fish (TNF) was high."
    assert "“total number of fish”" in reasons(kb, "TNF", text=text)["abbreviation"]


def test_the_rules_of_a_file_are_told(kb: Path, tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('block = ["heart attack"]\n', encoding="utf-8")
    assert "block “heart attack”" in reasons(kb, "heart attack", "--rules", rules)["blocked"]


def test_nil_is_told_with_its_probabilities(kb: Path) -> None:
    text = "Patients with hypothyroidism took lithium."
    done = call("link", text, "--kb", kb, "--why-not", "hypothyroidism", "--json")
    (place,) = json.loads(done.stdout)["documents"][0]["places"]
    (reason,) = place["reasons"]
    assert reason["rule"] == "nil"
    assert not place["found"]
    assert 0 < reason.get("none", 1) <= 1


def test_people_get_lines_and_equal_places_are_told_once(kb: Path) -> None:
    done = call("link", "TNF and TNF rose.", "--kb", kb, "--why-not", "TNF")
    assert done.stdout.splitlines()[0] == "“TNF” at 0-3, 8-11:"
    assert done.stdout.count("found: ") == 1


def test_the_dictionary_alone_is_explained_too(kb: Path) -> None:
    told = reasons(kb, "activin receptor", "--model", "dictionary")
    assert set(told) == {"listed", "overlap"}


def test_it_is_wrong_use_with_marked_mentions_or_a_format(kb: Path, tmp_path: Path) -> None:
    table = tmp_path / "a.tsv"
    table.write_text("name\nTNF\n", encoding="utf-8")
    for arguments in (("--mentions", table), ("TNF", "--format", "tsv")):
        done = call("link", *arguments, "--kb", kb, "--why-not", "TNF")
        assert done.returncode == 2
        assert "--why-not" in done.stderr

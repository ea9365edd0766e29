"""The nearest concept of strings that name none: a small vocabulary, and the open one."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path

import pytest

from command import call
from holdfast.kb import Entry, KnowledgeBase, Source, open_kb
from holdfast.link.strings.clinical_words import clinical_words
from holdfast.link.strings.readings import readings_of
from holdfast.link.strings.spelling import align, distance
from small_kb import make_kb

DATA = Path(__file__).parents[2] / "data"


def disease(id: str, name: str, *synonyms: str) -> Entry:
    return Entry(id, name, synonyms=synonyms, types=("Disease",))


def drug(id: str, name: str, *synonyms: str) -> Entry:
    return Entry(id, name, synonyms=synonyms, types=("Chemical",))


MESH = (
    disease("MESH:1", "Myocardial Infarction", "Heart Attack"),
    disease("MESH:2", "Diabetes Mellitus, Type 2", "Type 2 Diabetes Mellitus"),
    disease("MESH:3", "Carcinoma, Non-Small-Cell Lung", "Non-Small Cell Lung Cancer"),
    disease("MESH:4", "Pulmonary Disease, Chronic Obstructive"),
    disease("MESH:5", "Hypertension"),
    disease("MESH:6", "Hypotension"),
    disease("MESH:7", "Osteoarthritis, Knee"),
    disease("MESH:8", "Stomach Neoplasms", "gastric cancer"),
    disease("MESH:9", "Urinary Tract Infections"),
    disease("MESH:10", "Alzheimer Disease"),
    disease("MESH:11", "Diabetes Mellitus, Type 1", "Type 1 Diabetes Mellitus"),
    disease("MESH:12", "Hyponatremia"),
    disease("MESH:13", "Gastritis"),
    disease("MESH:14", "Chest Pain"),
    disease("MESH:15", "Gout"),
    disease("MESH:16", "Influenza, Human", "Influenza"),
    disease("MESH:17", "Miller Syndrome"),
    disease("MESH:18", "Warts"),
    drug("MESH:30", "Metformin"),
    drug("MESH:31", "Ibuprofen"),
    Entry("MESH:40", "Coronary Artery Bypass", types=("Other",)),
    Entry("MESH:41", "Insurance", types=("Other",)),
    Entry("MESH:42", "Helicobacter pylori", types=("Species",)),
    Entry("HGNC:1", "WNT5A", synonyms=("WNT",), types=("Gene",)),
)
MONDO = (
    disease("MONDO:5", "hypertension"),
    disease("MONDO:10", "Alzheimer disease"),
    drug("CHEBI:30", "metformin"),
    drug("CHEBI:31", "ibuprofen"),
)

READ = {
    "hart attack": "MESH:1",
    "Diabetis melitus typ 2": "MESH:2",
    "T2DM, uncontrolled": "MESH:2",
    "stage IV NSCLC": "MESH:3",
    "COPD exacerbation": "MESH:4",
    "s/p CABG": "MESH:40",
    "hypertention, benign": "MESH:5",
    "h/o HTN since 2015": "MESH:5",
    "OA bilateral knees": "MESH:7",
    "cancer of the stomach, T2N1M0": "MESH:8",
    "UTI (recurrent)": "MESH:9",
    "alzhiemers": "MESH:10",
    "I10.9 - hypertension, unspecified": "MESH:5",
    "low sodium": "MESH:12",
    "H. pylori gastritis": "MESH:13",
    "c/o chest pain x 3 days": "MESH:14",
    "gout flare R great toe": "MESH:15",
    "metformin 500 mg bid": "MESH:30",
    "ibuprophen 200mg tab prn": "MESH:31",
    "type 1 diabetes mellitus w/ retinopathy": "MESH:11",
}
EMPTY = [
    "n/a",
    "see notes",
    "doing well",
    "john smith",
    "-",
    "pt refused",
    "denies chest pain",
    "no evidence of gout",
    "Dr. Miller",
    "insurance denied",
    "want to compare",
    "WNL",
    "room 12",
    "unknown",
]


def answers(kb: KnowledgeBase, strings: list[str], folder: Path) -> dict[str, dict[str, str]]:
    """What `holdfast link --mentions` prints for each string."""
    path = folder / "strings.txt"
    path.write_text("".join(f"{string}\n" for string in strings), encoding="utf-8")
    done = call("link", "--mentions", path, "--kb", kb.folder, "--no-header")
    assert done.returncode == 0, done.stderr
    rows = csv.DictReader(io.StringIO(done.stdout), delimiter="\t")
    return {row["mention"]: row for row in rows}


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    folder = tmp_path_factory.mktemp("clinical") / "kb"
    return make_kb(folder, (Source("MeSH"), MESH), (Source("MONDO"), MONDO))


@pytest.fixture(scope="module")
def rows(kb: KnowledgeBase, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """Linked once for all tests, so before the home of each test is set: in a home of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOLDFAST_HOME", str(tmp_path_factory.mktemp("home")))
        return answers(kb, [*READ, *EMPTY], tmp_path_factory.mktemp("strings"))


@pytest.mark.parametrize("string", READ)
def test_a_decorated_or_misspelled_string_is_read(
    rows: dict[str, dict[str, str]], kb: KnowledgeBase, string: str
) -> None:
    row = rows[string]
    found = row["holdfast_id"] or row["nearest_id"]
    assert kb.label_at(kb.row_of(found) or 0).casefold() == (
        kb.label_at(kb.row_of(READ[string]) or 0).casefold()
    )


@pytest.mark.parametrize("string", EMPTY)
def test_what_names_nothing_stays_empty(rows: dict[str, dict[str, str]], string: str) -> None:
    found = {key: value for key, value in rows[string].items() if key != "mention" and value}
    assert found == {}


def test_the_nearest_concept_is_never_in_the_id_column(rows: dict[str, dict[str, str]]) -> None:
    near = [row for row in rows.values() if row["nearest_id"]]
    assert len(near) >= 10
    assert not any(row["holdfast_id"] for row in near)
    assert all(0.0 < float(row["nearest_score"]) <= 1.0 for row in near)


def test_why_says_how_the_string_was_read(rows: dict[str, dict[str, str]]) -> None:
    row = rows["stage IV NSCLC"]
    assert row["nearest_name"] == "Carcinoma, Non-Small-Cell Lung"
    assert "without “stage IV”" in row["nearest_why"]
    assert "NSCLC is “non-small cell lung cancer”" in row["nearest_why"]
    assert "spelling hart→heart" in rows["hart attack"]["nearest_why"]


def test_only_the_types_that_are_asked_for_are_near(kb: KnowledgeBase, tmp_path: Path) -> None:
    path = tmp_path / "strings.txt"
    path.write_text("metformin 500 mg bid\nhart attack\n", encoding="utf-8")
    done = call("link", "--mentions", path, "--kb", kb.folder, "--only", "disease")
    first, second = csv.DictReader(io.StringIO(done.stdout), delimiter="\t")
    assert (first["holdfast_id"], first["nearest_id"]) == ("", "")
    assert second["nearest_id"] == "MESH:1"


def test_documents_get_no_nearest_concept(kb: KnowledgeBase) -> None:
    done = call("link", "He had a hart attack.", "--kb", kb.folder, "--json")
    assert "nearest" not in done.stdout


def test_a_placeholder_that_a_vocabulary_lists_is_linked(tmp_path: Path) -> None:
    own = make_kb(tmp_path / "kb", (Source("own"), [Entry("own:1", "Pending")]))
    found = answers(own, ["Pending", "pending", "none"], tmp_path)
    assert found["Pending"]["holdfast_id"] == "own:1"
    assert found["pending"]["holdfast_id"] == ""


def test_readings_come_with_what_was_left_out() -> None:
    texts = {reading.text: reading.changes for reading in readings_of("acute on chronic CHF")}
    assert texts["congestive heart failure"] == (
        "without “acute on chronic”",
        "CHF is “congestive heart failure”",
    )
    assert readings_of("denies chest pain") == []
    assert readings_of("seen by Dr. Brown") == []
    assert readings_of("word " * 60) == []


@pytest.mark.parametrize("short", ["AS", "ALL", "ED", "PE"])
def test_short_forms_that_could_be_words_count_in_capitals_only(short: str) -> None:
    found = clinical_words().abbreviations
    assert found.fullmatch(short)
    assert not found.fullmatch(short.lower())
    assert found.fullmatch("copd")


def test_numbers_and_short_words_are_no_slips() -> None:
    assert align("diabetes type 1", "diabetes type 2") is None
    assert align("WNL", "WNT") is None
    assert align("hepatitis A", "hepatitis") is None
    found = align("carcinoma of the brest", "Breast Carcinoma")
    assert found is not None
    assert found.slips == (("brest", "breast"),)
    assert align("parkinson", "Parkinson disease", generic={"disease"}) is not None


def test_distance_counts_a_swap_once() -> None:
    assert distance("heart", "haert") == 1
    assert distance("heart", "hart") == 1
    assert distance("", "abc") == 3


@pytest.fixture
def open_home(monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with the open knowledge base, from HOLDFAST_TEST_HOME."""
    value = os.environ.get("HOLDFAST_TEST_HOME")
    if not value or not (Path(value) / "kb" / "open").is_dir():
        pytest.skip("HOLDFAST_TEST_HOME does not name a home folder with the knowledge base `open`")
    monkeypatch.setenv("HOLDFAST_HOME", value)
    return Path(value)


def test_clinical_strings_are_read_and_the_others_stay_empty(
    open_home: Path, tmp_path: Path
) -> None:
    """At least 70 % right, by id or nearest concept; at most two of the others answered."""
    kb = open_kb(open_home / "kb" / "open")
    with (DATA / "clinical_strings.tsv").open(encoding="utf-8", newline="") as file:
        listed = list(csv.DictReader(file, delimiter="\t"))
    gold = {row["string"]: set(row["ids"].split("|")) for row in listed}
    empty = (DATA / "empty_strings.txt").read_text(encoding="utf-8").splitlines()
    assert len(gold) >= 80
    assert len(empty) >= 30
    rows = answers(kb, [*gold, *empty], tmp_path)
    right = 0
    for string, ids in gold.items():
        found = (rows[string]["holdfast_id"] or rows[string]["nearest_id"]).split("|")
        right += any(ids & kb.equivalents(id) for id in found if id)
    answered = [s for s in empty if rows[s]["holdfast_id"] or rows[s]["nearest_id"]]
    assert right >= 0.7 * len(gold), f"{right} of {len(gold)}"
    assert len(answered) <= 2, answered

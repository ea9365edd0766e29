from __future__ import annotations

import json
from pathlib import Path

import pytest

from corpora.named.files import write
from holdfast.corpora.named.biosyn import (
    LenientMention,
    LenientName,
    read_lenient_dictionary,
    read_lenient_mentions,
    read_lenient_pairs,
)
from holdfast.errors import FormatError, InvalidValueError, UsageError

HEADER = "doc\tspans\ttype\tmention\tids\n"


def mentions_of(tmp_path: Path, rows: str) -> list[LenientMention]:
    return list(read_lenient_mentions(write(tmp_path / "test.concept.tsv", HEADER + rows)))


def test_both_signs_join_ids_and_one_joins_parts(tmp_path: Path) -> None:
    rows = (
        "1\t0|5\tDisease\tasthma\tD001249\n"
        "1\t9|20\tComposite\tbreast cancer |ovarian cancer\tD001943|D010051\n"
        "2\t0|9\tClass\tdental|cyst\tD000001+D000002\n"
        "2\t0|9\tClass\tblue deafness\tD000003+D000004|300000\n"
    )
    assert mentions_of(tmp_path, rows) == [
        LenientMention("1", ("asthma",), frozenset({"D001249"})),
        LenientMention("1", ("breast cancer", "ovarian cancer"), frozenset({"D001943", "D010051"})),
        LenientMention("2", ("dental", "cyst"), frozenset({"D000001", "D000002"})),
        LenientMention("2", ("blue deafness",), frozenset({"D000003", "D000004", "300000"})),
    ]


@pytest.mark.parametrize(
    "row",
    [
        "1\t0|5\tDisease\tasthma\n",
        "1\t0|5\tDisease\t\tD001249\n",
        "1\t0|5\tDisease\tasthma||fever\tD001249\n",
        "1\t0|5\tDisease\tasthma\t\n",
        "1\t0|5\tDisease\tasthma\tD001249|\n",
    ],
)
def test_a_broken_row_is_refused_with_its_line(tmp_path: Path, row: str) -> None:
    with pytest.raises(FormatError, match=r"test\.concept\.tsv, line 3"):
        mentions_of(tmp_path, "1\t0|5\tDisease\tasthma\tD001249\n" + row)


def test_a_file_without_the_header_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "test.concept.tsv", "1\t0|5\tDisease\tasthma\tD001249\n")
    with pytest.raises(FormatError, match="line 1: the header must be"):
        list(read_lenient_mentions(path))


def test_a_dictionary_line_belongs_to_each_of_its_ids(tmp_path: Path) -> None:
    path = write(tmp_path / "d.txt", "D001249||asthma\nC500001|600001+D1||blue thumb\n")
    assert list(read_lenient_dictionary(path)) == [
        LenientName("asthma", frozenset({"D001249"})),
        LenientName("blue thumb", frozenset({"C500001", "600001", "D1"})),
    ]


@pytest.mark.parametrize("line", ["D001249|asthma", "D001249||", "||asthma", ""])
def test_a_broken_dictionary_line_is_refused_with_its_line(tmp_path: Path, line: str) -> None:
    with pytest.raises(FormatError, match=r"d\.txt, line 2"):
        list(read_lenient_dictionary(write(tmp_path / "d.txt", f"D1||asthma\n{line}\n")))


def test_pairs_are_mentions_of_an_unknown_document(tmp_path: Path) -> None:
    pairs = {"test": [["l dopa", "D007980"], ["a|b", "D1|D2"]], "train": []}
    path = write(tmp_path / "pairs.json", json.dumps(pairs))
    assert list(read_lenient_pairs(path, "test")) == [
        LenientMention("", ("l dopa",), frozenset({"D007980"})),
        LenientMention("", ("a", "b"), frozenset({"D1", "D2"})),
    ]
    with pytest.raises(UsageError, match="no split 'dev'; there is test, train"):
        list(read_lenient_pairs(path, "dev"))


@pytest.mark.parametrize("pair", [["l dopa"], ["", "D1"], 5, ["a", 5]])
def test_a_broken_pair_is_refused_with_its_index(tmp_path: Path, pair: object) -> None:
    path = write(tmp_path / "pairs.json", json.dumps({"test": [["a", "D1"], pair]}))
    with pytest.raises(FormatError, match="test pair 1"):
        list(read_lenient_pairs(path, "test"))


def test_a_mention_without_words_or_ids_cannot_be_made() -> None:
    with pytest.raises(InvalidValueError):
        LenientMention("1", (), frozenset({"D1"}))
    with pytest.raises(InvalidValueError):
        LenientMention("1", ("asthma",), frozenset())


def exact_match_accuracy(folder: Path) -> float:
    """A mention is right if each part is a name of the dictionary whose ids meet the gold."""
    names = {
        line.name: line.ids for line in read_lenient_dictionary(folder / "test_dictionary.txt")
    }
    mentions = list(read_lenient_mentions(folder / "test.concept.tsv"))
    right = sum(
        all(names.get(part, frozenset()) & mention.ids for part in mention.parts)
        for mention in mentions
    )
    return 100 * right / len(mentions)


@pytest.mark.parametrize(
    ("folder", "sizes", "accuracy"),
    [
        ("ncbi_disease/biosyn", (5_134, 787, 960, 71_924, 72_887, 73_024), 76.875),
        ("bc5cdr/biosyn_disease", (4_131, 4_178, 4_287, 71_924, 72_636, 73_126), 83.951),
    ],
)
def test_the_real_disease_files_have_their_size_and_their_exact_match_accuracy(
    data_dir: Path, folder: str, sizes: tuple[int, ...], accuracy: float
) -> None:
    path = data_dir / "corpora" / folder
    splits = ("train", "dev", "test")
    mentions = [sum(1 for _ in read_lenient_mentions(path / f"{s}.concept.tsv")) for s in splits]
    names = [sum(1 for _ in read_lenient_dictionary(path / f"{s}_dictionary.txt")) for s in splits]
    assert (*mentions, *names) == sizes
    assert exact_match_accuracy(path) == pytest.approx(accuracy, abs=0.001)


@pytest.mark.parametrize("folder", ["ncbi_disease/biosyn", "bc5cdr/biosyn_disease"])
@pytest.mark.parametrize(("mentions", "dictionary"), [("train", "dev"), ("traindev", "test")])
def test_the_real_dictionaries_already_hold_the_training_mentions(
    data_dir: Path, folder: str, mentions: str, dictionary: str
) -> None:
    path = data_dir / "corpora" / folder
    names = {
        line.name: line.ids
        for line in read_lenient_dictionary(path / f"{dictionary}_dictionary.txt")
    }
    missing = [
        mention
        for mention in read_lenient_mentions(path / f"{mentions}.concept.tsv")
        if len(mention.parts) == 1 and not names.get(mention.parts[0], frozenset()) & mention.ids
    ]
    assert missing == []


@pytest.mark.parametrize(
    ("split", "size"), [("train", 831), ("traindev", 1_317), ("dev", 5_029), ("test", 5_015)]
)
def test_the_real_chemical_pairs_have_their_size(data_dir: Path, split: str, size: int) -> None:
    path = data_dir / "corpora" / "bc5cdr" / "biosyn_chemical_pairs.json"
    assert sum(1 for _ in read_lenient_pairs(path, split)) == size

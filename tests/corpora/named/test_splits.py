from __future__ import annotations

import json
from pathlib import Path

import pytest

from corpora.named.files import write
from holdfast.corpora.named import (
    CORPORA,
    corpus_named,
    load_training,
    shared_documents_report,
    without_shared_documents,
)
from holdfast.corpora.named.overlap import build_shared_text
from holdfast.corpora.named.splits import (
    CorpusSplit,
    Overlap,
    Removal,
    TypedSplit,
    find_overlaps,
    parse_split,
    parse_splits,
)
from holdfast.document import Document
from holdfast.errors import InputError, UsageError

TITLES = {
    "10000001": "Lithium caused tremor in several older patients of one clinic",
    "10000002": "Kelp anchors itself to rock by means of a branching holdfast",
    "10000003": "Aspirin and bleeding: what a large registry could tell us",
}


def pubtator(*pmids: str) -> str:
    return "".join(f"{pmid}|t|{TITLES[pmid]}\n{pmid}|a|\n\n" for pmid in pmids)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    corpora = tmp_path / "corpora"
    write(corpora / "bc5cdr" / "test.pubtator.txt", pubtator("10000001"))
    write(corpora / "biored" / "train.pubtator.txt", pubtator("10000001", "10000002"))
    write(corpora / "ncbi_disease" / "train.pubtator.txt", pubtator("10000003"))
    tokens = "\n\n".join(
        "\n".join(f"{token}\tO" for token in TITLES[pmid].replace(":", " :").split())
        for pmid in ("10000001", "10000003")
    )
    write(corpora / "ner_iob" / "BC2GM" / "train.tsv", tokens + "\n")
    return tmp_path


def test_a_mixture_loses_the_evaluated_documents_and_says_how_many(data: Path) -> None:
    training = load_training(
        [("biored", "train"), ("ncbi-disease", "train"), ("bc2gm", "train")],
        evaluated=[("bc5cdr", "test")],
        data=data,
    )
    assert [document.id for document in training.documents] == [
        "10000002",
        "10000003",
        "BC2GM-train-2",
    ]
    assert [part.removed for part in training.parts] == [
        (Removal("10000001", "id"),),
        (),
        (Removal("BC2GM-train-1", "text"),),
    ]
    assert str(training.parts[0]) == (
        "biored train: 1 documents kept, 1 removed as evaluated (1 by id, 0 by text)"
    )


def test_without_evaluated_splits_nothing_is_removed(data: Path) -> None:
    training = load_training([("biored", "train")], evaluated=[], data=data)
    assert len(list(training.documents)) == 2


def test_a_split_cannot_be_trained_on_and_evaluated(data: Path) -> None:
    with pytest.raises(UsageError, match="biored train cannot be trained on and evaluated"):
        load_training([("biored", "train")], evaluated=[("biored", "train")], data=data)


def test_a_mixture_may_ship_only_if_all_of_it_may(data: Path) -> None:
    write(
        data / "corpora" / "re" / "ddi" / "train" / "a.xml",
        '<document id="d1"><sentence id="s" text="Nothing."/></document>',
    )
    free = load_training([("biored", "train")], evaluated=[], data=data)
    bound = load_training([("biored", "train"), ("ddi", "train")], evaluated=[], data=data)
    assert (free.weights_may_ship, bound.weights_may_ship) == (True, False)


def test_a_missing_corpus_of_the_mixture_is_an_error(data: Path) -> None:
    with pytest.raises(InputError, match="craft"):
        load_training([("craft", "train")], evaluated=[], data=data)


def test_removal_streams_and_needs_no_collector() -> None:
    shared = build_shared_text([Document("10000001", "x")])
    training = iter([Document("10000002", "y"), Document("10000001", "z")])
    kept = without_shared_documents(training, shared)
    assert next(kept).id == "10000002"
    assert list(kept) == []


def test_the_report_lists_each_overlap_once_and_no_split_with_itself(data: Path) -> None:
    splits = [("bc5cdr", "test"), ("biored", "train"), ("bc2gm", "train")]
    report = shared_documents_report(data, training=splits, evaluated=splits)
    rows = [line.split() for line in report.splitlines()[1:]]
    assert rows == [
        ["bc5cdr/test", "biored/train", "1", "0"],
        ["bc5cdr/test", "bc2gm/train", "0", "1"],
        ["biored/train", "bc5cdr/test", "1", "0"],
        ["biored/train", "bc2gm/train", "0", "1"],
        ["bc2gm/train", "bc5cdr/test", "0", "1"],
        ["bc2gm/train", "biored/train", "0", "1"],
    ]


def test_the_real_corpora_share_the_documents_that_are_known_to_be_shared(
    data_dir: Path,
) -> None:
    biored: list[CorpusSplit] = [("biored", "train"), ("biored", "dev")]
    tests: list[CorpusSplit] = [("bc5cdr", "test"), ("ncbi-disease", "test")]
    assert list(find_overlaps(biored, tests, data=data_dir)) == [
        Overlap(("biored", "train"), ("bc5cdr", "test"), by_id=53, by_text=0),
        Overlap(("biored", "train"), ("ncbi-disease", "test"), by_id=1, by_text=0),
        Overlap(("biored", "dev"), ("bc5cdr", "test"), by_id=16, by_text=0),
    ]


def test_the_real_sentences_of_evaluated_abstracts_are_removed_from_training(
    data_dir: Path,
) -> None:
    training = load_training(
        [("ncbi-disease-iob", "test"), ("ncbi-disease-iob", "dev")],
        evaluated=[("ncbi-disease", "test")],
        data=data_dir,
    )
    shared, apart = training.parts
    assert len(shared.removed) > 0.98 * (len(shared.removed) + len(shared.documents))
    assert len(apart.removed) < 0.01 * len(apart.documents)
    assert CORPORA["ncbi-disease-iob"].unit == "sentence"


def test_splits_are_read_as_recipes_write_them() -> None:
    assert parse_splits(["bc5cdr train", "biored  dev"]) == [("bc5cdr", "train"), ("biored", "dev")]
    with pytest.raises(UsageError, match="'bc5cdr': write a corpus and a split"):
        parse_splits(["bc5cdr"])


def test_a_file_stands_in_for_a_split_in_any_format(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    kept = "Grey owls were counted in seven valleys of the north over nine winters."
    text = "The tin harp of the old mill was tuned anew by three masons last spring."
    write(tmp_path / "my notes.txt", kept)
    write(tmp_path / "dev.jsonl", json.dumps(Document("7", text).to_json()))
    write(tmp_path / "train" / "a.txt", kept)
    write(tmp_path / "train" / "b.txt", text)
    assert parse_splits(["my notes.txt", "train"]) == [("my notes.txt", ""), ("train", "")]
    training = load_training(
        parse_splits(["train", "my notes.txt"]), evaluated=parse_splits(["dev.jsonl"]), data=data
    )
    assert [document.text for document in training.documents] == [kept, kept]
    assert training.parts[0].removed == (Removal("b", "text"),)
    assert str(training.parts[0]).startswith("train: 1 documents kept, 1 removed")
    assert training.weights_may_ship
    assert corpus_named("train").licence == "your own"


def test_a_recipe_s_own_split_is_meant_before_a_file_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "train", "text")
    write(tmp_path / "mine.txt", "text")
    assert parse_split("train", own="bc5cdr") == TypedSplit(("bc5cdr", "train"))
    assert parse_split("mine.txt", own="bc5cdr") == TypedSplit(("mine.txt", ""))
    assert parse_split("biored train Gene,Species") == TypedSplit(
        ("biored", "train"), ("Gene", "Species")
    )
    with pytest.raises(UsageError, match="a file that is there"):
        parse_split("gone.txt")
    with pytest.raises(UsageError, match="write a corpus and a split"):
        parse_splits(["biored train Gene"])

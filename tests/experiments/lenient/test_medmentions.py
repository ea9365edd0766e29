"""MedMentions by the lenient protocol, on hand-written files."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from corpora.named.files import write, write_json_lines
from holdfast.corpora.named.biosyn import LenientMention, LenientName
from holdfast.errors import UsageError
from holdfast.experiments.lenient.medmentions import load_medmentions, score_medmentions
from holdfast.names.exact import VerbatimIndex

TEXT = "Asthma and the wheezing of children with a strange new cough in the clinics of Leeds"


def training(pmid: str, tokens: str, first: int, last: int, cui: str) -> dict[str, object]:
    return {
        "pmid": pmid,
        "sentences": [{"tokens": tokens.split(), "mentions": [[first, last, cui]]}],
    }


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Of the evaluated concepts, C1 has an open name, C2 a training mention, C3 neither."""
    folder = tmp_path / "corpora" / "medmentions"
    names = {"C1": ["ASTHMA, bronchial", "Asthma"], "C9": ["Fever"]}
    write(folder / "cui_names_open.json.gz", gzip.compress(json.dumps(names).encode()))
    write_json_lines(
        folder / "st21pv_tokens" / "train.jsonl.gz",
        [
            training("11111111", "Severe Wheezing heard by nobody else", 1, 2, "C2"),
            training("22222222", "A cough of an evaluated document", 1, 2, "C3"),
        ],
    )
    gold = [[0, 6, "C1", 1], [15, 23, "C2", 1], [27, 35, "C8", 0], [55, 60, "C3", 1]]
    for split in ("dev", "test"):
        record = {"pmid": "22222222", "text": TEXT, "mentions": gold}
        write_json_lines(folder / "full_offsets" / f"{split}.jsonl.gz", [record])
    return tmp_path


def test_a_split_has_open_names_training_wordings_and_its_subset_of_mentions(data: Path) -> None:
    task = load_medmentions("dev", data=data)
    assert task.dictionary == (
        LenientName("asthma bronchial", frozenset({"C1"})),
        LenientName("asthma", frozenset({"C1"})),
        LenientName("fever", frozenset({"C9"})),
    )
    assert task.mentions == (
        LenientMention("22222222", ("asthma",), frozenset({"C1"})),
        LenientMention("22222222", ("wheezing",), frozenset({"C2"})),
        LenientMention("22222222", ("cough",), frozenset({"C3"})),
    )


def test_training_documents_that_are_evaluated_are_left_out(data: Path) -> None:
    training = load_medmentions("test", data=data).training
    assert training == (LenientMention("11111111", ("wheezing",), frozenset({"C2"})),)


def test_the_report_has_accuracies_and_their_ceilings(data: Path) -> None:
    report = score_medmentions(load_medmentions("dev", data=data), VerbatimIndex.build)
    assert report["accuracy_at_1"] == pytest.approx(2 / 3)
    assert (report.unit, report.counts["n_documents"]) == ("document", 1)
    context = report.to_json()
    assert context["ceiling_open"] == pytest.approx(1 / 3)
    assert context["ceiling_training"] == pytest.approx(1 / 3)
    assert context["ceiling"] == pytest.approx(2 / 3)
    assert context["dictionary_names"] == 4
    assert context["rebuilt"] is True


def test_only_splits_that_are_evaluated_can_be_loaded(data: Path) -> None:
    with pytest.raises(UsageError, match="no split 'train' to evaluate; it has dev, test"):
        load_medmentions("train", data=data)

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

import holdfast.corpora.named as named
from corpora.named.files import write
from holdfast.corpora.named import CORPORA, load_corpus
from holdfast.errors import FormatError, InputError, UsageError

MISMATCH = "10000001|t|Asthma\n10000001|a|\n10000001\t0\t6\tfevers\tDisease\tD001249\n\n"


def test_every_public_name_is_exported() -> None:
    assert all(hasattr(named, name) for name in named.__all__)
    assert all(first < second for first, second in pairwise(named.__all__))


def test_an_unknown_corpus_is_refused_with_those_that_are_known(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no corpus 'bc6cdr'; there is ncbi-disease, bc5cdr"):
        load_corpus("bc6cdr", "train", data=tmp_path)


def test_an_unknown_split_is_refused_with_those_that_are_known(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="jnlpba has no split 'train'; it has dev, test"):
        load_corpus("jnlpba", "train", data=tmp_path)


def test_a_data_folder_without_corpora_is_refused_with_advice(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"train\.pubtator\.txt: not there; .* HOLDFAST_DATA"):
        load_corpus("bc5cdr", "train", data=tmp_path)


def test_a_missing_corpus_is_refused_with_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "corpora" / "craft").mkdir(parents=True)
    (tmp_path / "corpora" / "biored").mkdir()
    with pytest.raises(InputError, match="holds biored, craft"):
        load_corpus("bc5cdr", "train", data=tmp_path)


def test_one_wrong_mention_is_passed_over_in_ncbi_disease_and_nowhere_else(
    tmp_path: Path,
) -> None:
    for folder in ("ncbi_disease", "bc5cdr"):
        write(tmp_path / "corpora" / folder / "train.pubtator.txt", MISMATCH)
    [document] = load_corpus("ncbi-disease", "train", data=tmp_path)
    assert document.mentions == ()
    with pytest.raises(FormatError, match=r"line 3"):
        list(load_corpus("bc5cdr", "train", data=tmp_path))


def test_a_second_wrong_mention_in_ncbi_disease_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "corpora" / "ncbi_disease" / "train.pubtator.txt"
    write(path, MISMATCH + MISMATCH.replace("10000001", "10000002"))
    with pytest.raises(InputError, match=r"line 7.*more is wrong here"):
        list(load_corpus("ncbi-disease", "train", data=tmp_path))


def test_sentences_of_two_corpora_have_different_ids(tmp_path: Path) -> None:
    for folder in ("BC2GM", "AnatEM"):
        write(tmp_path / "corpora" / "ner_iob" / folder / "train.tsv", "A\tO\n\nB\tO\n")
    ids = [d.id for name in ("bc2gm", "anatem") for d in load_corpus(name, "train", data=tmp_path)]
    assert ids == ["BC2GM-train-1", "BC2GM-train-2", "AnatEM-train-1", "AnatEM-train-2"]


def test_only_non_commercial_corpora_keep_weights_from_shipping() -> None:
    kept = [name for name, corpus in CORPORA.items() if not corpus.weights_may_ship]
    assert kept == ["chemprot", "ddi"]


REAL = {
    ("ncbi-disease", "train"): (593, 5_144, 0),  # one document twice, one mention left out
    ("ncbi-disease", "dev"): (100, 787, 0),
    ("ncbi-disease", "test"): (100, 960, 0),
    ("bc5cdr", "train"): (500, 9_385, 1_038),
    ("bc5cdr", "dev"): (500, 9_591, 1_012),
    ("bc5cdr", "test"): (500, 9_809, 1_066),
    ("biored", "train"): (400, 13_351, 4_178),
    ("biored", "dev"): (100, 3_533, 1_162),
    ("medmentions", "dev"): (878, 68_874, 0),
    ("medmentions", "test"): (879, 69_822, 0),
    ("medmentions-st21pv", "train"): (2_635, 121_992, 0),
    ("medmentions-st21pv", "dev"): (878, 39_494, 0),
    ("medmentions-st21pv", "test"): (879, 39_772, 0),
    ("medmentions-tokens", "train"): (2_635, 121_992, 0),
    ("medmentions-tokens", "test"): (879, 40_051, 0),
    ("craft", "train"): (60, 58_549, 0),
    ("craft", "dev"): (7, 9_478, 0),
    ("bionlp13cg", "train"): (300, 10_935, 0),
    ("bionlp13cg", "dev"): (100, 3_634, 0),
    ("bionlp13cg", "test"): (200, 6_955, 0),
    ("med1250", "all"): (1_250, 0, 0),
    ("chemprot", "train"): (4_528, 19_793, 4_131),
    ("chemprot", "dev"): (2_630, 12_127, 2_412),
    ("chemprot", "test"): (3_656, 16_260, 3_439),
    ("ddi", "train"): (714, 14_765, 4_021),
    ("ddi", "test"): (191, 3_040, 979),
    ("bc2gm", "train"): (12_574, 15_197, 0),
    ("bc2gm", "dev"): (2_519, 3_061, 0),
    ("bc2gm", "test"): (5_038, 6_325, 0),
    ("bc5cdr-chemical-iob", "train"): (4_560, 5_203, 0),
    ("bc5cdr-chemical-iob", "dev"): (4_581, 5_347, 0),
    ("bc5cdr-chemical-iob", "test"): (4_797, 5_385, 0),
    ("bc5cdr-disease-iob", "train"): (4_560, 4_182, 0),
    ("bc5cdr-disease-iob", "dev"): (4_581, 4_246, 0),
    ("bc5cdr-disease-iob", "test"): (4_797, 4_424, 0),
    ("ncbi-disease-iob", "train"): (5_424, 5_134, 0),
    ("ncbi-disease-iob", "dev"): (923, 787, 0),
    ("ncbi-disease-iob", "test"): (940, 960, 0),
    ("linnaeus", "train"): (11_935, 2_119, 0),
    ("linnaeus", "dev"): (4_078, 711, 0),
    ("linnaeus", "test"): (7_142, 1_433, 0),
    ("anatem", "train"): (5_861, 6_946, 0),
    ("anatem", "dev"): (2_118, 2_139, 0),
    ("anatem", "test"): (3_830, 4_616, 0),
    ("jnlpba", "dev"): (200, 4_551, 0),
    ("jnlpba", "test"): (404, 8_662, 0),
}


def test_the_counts_below_cover_every_split() -> None:
    assert set(REAL) == {(name, split) for name, c in CORPORA.items() for split in c.splits}


@pytest.mark.parametrize(("name", "split"), REAL, ids=["-".join(key) for key in REAL])
def test_a_real_split_holds_its_documents_mentions_and_relations(
    data_dir: Path, name: str, split: str
) -> None:
    documents = mentions = relations = 0
    ids = set[str]()
    for document in load_corpus(name, split, data=data_dir):
        documents += 1
        mentions += len(document.mentions)
        relations += len(document.relations)
        ids.add(document.id)
    assert (documents, mentions, relations) == REAL[name, split]
    repeated = 1 if (name, split) == ("ncbi-disease", "train") else 0
    assert len(ids) == documents - repeated

"""The real corpora read without error, and hold what they are known to hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpora.made_up import without_made_up_ids
from holdfast.corpora import ReadReport, dumps, read_documents, write_documents

PUBTATOR = [
    ("ncbi_disease/dev", 100, 787, 0),
    ("ncbi_disease/test", 100, 960, 0),
    ("bc5cdr/train", 500, 9385, 1038),
    ("bc5cdr/dev", 500, 9591, 1012),
    ("bc5cdr/test", 500, 9809, 1066),
    ("biored/train", 400, 13351, 4178),
    ("biored/dev", 100, 3533, 1162),
]


@pytest.mark.parametrize(("name", "documents", "mentions", "relations"), PUBTATOR)
def test_pubtator_corpora(
    data_dir: Path, tmp_path: Path, name: str, documents: int, mentions: int, relations: int
) -> None:
    report = ReadReport()
    batch = list(read_documents(data_dir / f"corpora/{name}.pubtator.txt", report=report))
    assert (report.documents, report.mentions, report.relations) == (documents, mentions, relations)
    assert all(id.partition(":")[2] or m.is_nil for d in batch for m in d.mentions for id in m.ids)
    for out in ("x.pubtator", "x.bioc.xml", "x.bioc.json"):
        write_documents(batch, tmp_path / out)
        again = zip(read_documents(tmp_path / out), batch, strict=True)
        assert [without_made_up_ids(read, original) for read, original in again] == batch


def test_the_training_mention_with_wrong_offsets_is_the_only_one_skipped(data_dir: Path) -> None:
    """One article is in the file twice, word for word: 593 documents, 592 ids."""
    report = ReadReport()
    path = data_dir / "corpora/ncbi_disease/train.pubtator.txt"
    ids = {d.id for d in read_documents(path, lenient=True, report=report)}
    assert (len(ids), report.documents) == (592, 593)
    assert report.mentions == 5145 - 1
    assert report.skipped == {"mention": 1}


def test_bare_ids_stay_bare(data_dir: Path) -> None:
    path = data_dir / "corpora/bc5cdr/test.pubtator.txt"
    lines = path.read_text(encoding="utf-8").splitlines()
    assert dumps(read_documents(path), "pubtator").splitlines() == lines


@pytest.mark.parametrize(
    ("split", "documents", "mentions"),
    [("train", 300, 10935), ("dev", 100, 3634), ("test", 200, 6955)],
)
def test_standoff_corpora(
    data_dir: Path, tmp_path: Path, split: str, documents: int, mentions: int
) -> None:
    report = ReadReport()
    batch = list(read_documents(data_dir / "corpora/bionlp13cg" / split, report=report))
    assert (report.documents, report.mentions) == (documents, mentions)
    write_documents(batch, tmp_path / "out", format="brat")
    assert list(read_documents(tmp_path / "out")) == batch


IOB_MENTIONS = {
    "AnatEM/train": 6946,
    "AnatEM/test": 4616,
    "BC2GM/train": 15197,
    "BC2GM/test": 6325,
    "BC5CDR-chem/test": 5385,
    "BC5CDR-disease/test": 4424,
    "JNLPBA/dev": 4551,
    "JNLPBA/test": 8662,
    "NCBI-disease/dev": 787,
    "NCBI-disease/test": 960,
    "linnaeus/test": 1433,
}


def test_every_iob_corpus_reads_as_it_is_labelled(data_dir: Path, tmp_path: Path) -> None:
    files = sorted((data_dir / "corpora/ner_iob").glob("*/*.t*"))
    assert len(files) == 20
    for file in files:
        report = ReadReport()
        batch = list(read_documents(file, format="iob", report=report))
        name = f"{file.parent.name}/{file.stem}"
        begun = file.read_text(encoding="utf-8").count("\tB-")
        assert report.mentions == IOB_MENTIONS.get(name, begun) == begun
        if file.stem == "dev":
            write_documents(batch, tmp_path / "x.bilou")
            assert list(read_documents(tmp_path / "x.bilou")) == batch

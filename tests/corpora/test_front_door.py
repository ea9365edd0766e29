"""Formats by extension, and files that are whole or not there."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

import holdfast.corpora
from holdfast.corpora import (
    FORMATS,
    ReadReport,
    dumps,
    format_of,
    format_to_read,
    read_documents,
    write_documents,
    write_to,
)
from holdfast.document import Document, Mention
from holdfast.errors import FormatError, LossError, UsageError

WRITABLE = [name for name in FORMATS if name != "medline"]


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a.pubtator", "pubtator"),
        ("a.pubtator.txt", "pubtator"),
        ("A.PubTator.TXT.GZ", "pubtator"),
        ("a.bioc.json", "bioc-json"),
        ("a.bioc.xml.gz", "bioc-xml"),
        ("a.ann", "brat"),
        ("a.a1", "brat"),
        ("a.bigbio.json", "bigbio"),
        ("a.bigbio.jsonl", "bigbio-lines"),
        ("a.iob", "iob"),
        ("a.tsv", "iob"),
        ("a.bilou", "bilou"),
        ("a.mentions.tsv", "mentions"),
        ("a.jsonl.gz", "jsonl"),
        ("a.json", "json"),
        ("a.xml", "medline"),
        ("pubmed24n0001.xml.gz", "medline"),
        ("a.parquet", "parquet"),
        ("a.b.txt", "text"),
    ],
)
def test_the_longest_extension_decides(name: str, format: str) -> None:
    assert format_of(Path(name)) == format


def test_a_name_that_tells_no_format_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="name it with --to, one of pubtator, "):
        write_documents([], tmp_path / "x.doc")
    with pytest.raises(UsageError, match="unknown format 'word'"):
        write_documents([], tmp_path / "x.doc", format="word")
    with pytest.raises(UsageError, match="there is no such file"):
        next(read_documents(tmp_path / "x.jsonl"))
    (tmp_path / "x.dat").write_bytes(b"\x00\x01")
    with pytest.raises(UsageError, match="name it with --from"):
        next(read_documents(tmp_path / "x.dat"))
    with pytest.raises(UsageError, match=r"no file in this folder holds documents \(not text: x"):
        next(read_documents(tmp_path))
    with pytest.raises(UsageError, match="medline cannot be written"):
        write_documents([], tmp_path / "x.xml")


def broken_after_one() -> Iterator[Document]:
    yield Document("1", "text", mentions=(Mention.at(0, 4, "Gene"),))
    raise FormatError("the input breaks here")


@pytest.mark.parametrize("format", WRITABLE)
def test_an_error_leaves_nothing_half_written(tmp_path: Path, format: str) -> None:
    with pytest.raises(FormatError, match="breaks here"):
        write_documents(broken_after_one(), tmp_path / "out", format=format, allow_loss=True)
    assert not any(tmp_path.iterdir())


def test_an_error_keeps_the_file_that_was_there(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(FormatError, match="breaks here"):
        write_documents(broken_after_one(), path)
    assert path.read_text(encoding="utf-8") == "mine"
    assert [p.name for p in tmp_path.iterdir()] == ["x.jsonl"]


def test_a_file_may_be_rewritten_from_itself(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.gz"
    documents = [Document("1", "a"), Document("2", "b")]
    write_documents(documents, path)
    first = path.read_bytes()
    write_documents(read_documents(path), path)
    assert path.read_bytes() == first


@pytest.mark.parametrize("format", [name for name in FORMATS if name not in ("parquet", "brat")])
@pytest.mark.parametrize("compressed", [False, True])
def test_invalid_utf8_and_empty_files_are_format_errors(
    tmp_path: Path, format: str, compressed: bool
) -> None:
    path = tmp_path / ("x.gz" if compressed else "x")
    root = b"<collection>" if format == "bioc-xml" else b"<PubmedArticleSet>"
    for content, said in ((b"", "empty"), (root + b"\nab\xff\xfe", "line [12]")):
        path.write_bytes(gzip.compress(content) if compressed else content)
        with pytest.raises(FormatError, match=said) as caught:
            list(read_documents(path, format=format))
        assert str(path) in str(caught.value)


@pytest.mark.parametrize("format", ["jsonl", "pubtator", "bioc-json", "mentions", "iob"])
def test_a_byte_order_mark_is_no_part_of_the_first_line(tmp_path: Path, format: str) -> None:
    document = Document("1", "a", mentions=(Mention.at(0, 1, "Gene"),))
    path = tmp_path / "x"
    path.write_text("\ufeff" + dumps([document], format), encoding="utf-8")
    (again,) = read_documents(path, format=format)
    assert again.id == "1"


@pytest.mark.parametrize("format", ["jsonl", "pubtator", "bioc-json", "parquet"])
def test_a_lone_surrogate_is_a_loss_with_its_place(tmp_path: Path, format: str) -> None:
    document = Document("1", "a lone \ud800")
    with pytest.raises(LossError, match=r"lone surrogate U\+D800"):
        write_documents([document], tmp_path / "x", format=format)
    assert not any(tmp_path.iterdir())


def test_a_stream_gets_what_a_file_gets(tmp_path: Path) -> None:
    document = Document("1", "a\r\nb")
    with (tmp_path / "s").open("w", encoding="utf-8", newline="") as stream:
        write_to([document], stream, "jsonl")
    write_documents([document], tmp_path / "x.jsonl")
    assert (tmp_path / "s").read_bytes() == (tmp_path / "x.jsonl").read_bytes()
    with pytest.raises(UsageError, match="parquet cannot be written here"):
        dumps([document], "parquet")


def test_every_public_name_is_there() -> None:
    assert all(hasattr(holdfast.corpora, name) for name in holdfast.corpora.__all__)


@pytest.mark.parametrize(
    ("content", "format"),
    [
        ("1|t|Title\n1|a|Abstract\n", "pubtator"),
        ("\ufeff\n1|t|Title\n", "pubtator"),
        ("1|t|Title\nprose goes on here\n", "text"),
        ('{"id": "1", "text": "x"}\n{"id": "2", "text": "y"}\n', "jsonl"),
        ('[\n{"id": "1",\n"text": "x"}]', "json"),
        ('{"documents": [{"id": "1", "passages": [{"offset": 0, "infons": {}}]}]}', "bioc-json"),
        ('[{"id": "1", "passages": [{"text": ["x"], "offsets": [[0, 1]]}]}]', "bigbio"),
        ('[{"id": "1", "text": "x", "passages": [{"kind": "title", "start": 0}]}]', "json"),
        ("[1] Smith 2001, a reference", "text"),
        ("<collection><source/></collection>", "bioc-xml"),
        ("<?xml version='1.0'?><!-- c --><PubmedArticleSet/>", "medline"),
        ("<0.5 mg/l was found", "text"),
        ("A\tO\nheart\tB-Disease\nattack\tI-Disease\n", "iob"),
        ("Blood group O\nVitamin B\n", "text"),
        ("document_id\tstart\tend\tmention\n1\t0\t1\ta\n", "mentions"),
        ("Just prose.\n", "text"),
    ],
)
def test_content_tells_the_format_where_the_name_does_not(
    tmp_path: Path, content: str, format: str
) -> None:
    for name in ("x", "x.txt", "x.gz"):
        raw = content.encode()
        (tmp_path / name).write_bytes(gzip.compress(raw) if name == "x.gz" else raw)
        assert format_to_read(tmp_path / name) == format


@pytest.mark.parametrize("name", ["x.pubtator", "x.bioc.json", "x.iob", "x.mentions.tsv"])
def test_a_name_that_says_enough_is_believed(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text('{"id": "1", "text": "x"}\n', encoding="utf-8")
    assert format_to_read(tmp_path / name) == format_of(Path(name))


@pytest.mark.parametrize("format", ["text", "brat", "jsonl", "json", "bioc-xml", "pubtator"])
def test_a_byte_order_mark_shifts_no_offset(tmp_path: Path, format: str) -> None:
    document = Document("x", "\ufeffa gene" if format == "text" else "a gene")
    if format != "text":
        document = document.with_mentions([Mention.at(2, 6, "Gene", id="T1")])
    path = tmp_path / {"text": "x.txt", "brat": "x.ann"}.get(format, "x")
    write_documents([document], path, format=format, allow_loss=True)
    for part in [path, path.with_suffix(".txt")] if format == "brat" else [path]:
        part.write_text("\ufeff" + part.read_text(encoding="utf-8").lstrip("\ufeff"), "utf-8")
    (again,) = read_documents(path, format=format)
    assert again.text.rstrip("\n") == "a gene"
    assert [again.text_of(m) for m in again.mentions] == ["gene"] * (format != "text")


def test_annotations_may_count_the_byte_order_mark_of_their_text(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("\ufeffA gene", "utf-8")
    for start, end in ((2, 6), (3, 7)):
        (tmp_path / "x.ann").write_text(f"T1\tGene {start} {end}\tgene\n", "utf-8")
        (document,) = read_documents(tmp_path / "x.ann")
        assert document.text == "A gene"
        assert [(m.start, m.end) for m in document.mentions] == [(2, 6)]
    (tmp_path / "x.ann").write_text("T1\tGene 1 5\tgene\n", "utf-8")
    with pytest.raises(FormatError, match=r"x\.ann, line 1"):
        list(read_documents(tmp_path / "x.ann"))


OVERLAPPING = {
    "x.ann": "T1\tCell 0 8;4 15\trod cell cell bodies\n",
    "x.jsonl": '{"id": "x", "text": "rod cell bodies", "mentions": [{"id": "T1", "type": "Cell", '
    '"spans": [[0, 8], [4, 15]]}]}\n',
    "x.mentions.tsv": "document_id\tstart\tend\tmention\nx\t0;4\t8;15\trod cell cell bodies\n",
    "x.bioc.json": '{"id": "x", "passages": [{"offset": 0, "text": "rod cell bodies", '
    '"annotations": [{"id": "T1", "infons": {}, "text": "rod cell cell bodies", "locations": '
    '[{"offset": 4, "length": 11}, {"offset": 0, "length": 8}]}]}]}',
}


@pytest.mark.parametrize("name", OVERLAPPING)
def test_spans_of_a_mention_that_overlap_are_named_or_merged_and_counted(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / "x.txt").write_text("rod cell bodies", encoding="utf-8")
    (tmp_path / name).write_text(OVERLAPPING[name], encoding="utf-8")
    with pytest.raises(FormatError, match=r"overlap|does not fit") as caught:
        list(read_documents(tmp_path / name))
    assert name in str(caught.value)
    report = ReadReport()
    (document,) = read_documents(tmp_path / name, lenient=True, report=report)
    assert [[*m.spans] for m in document.mentions] == [[(0, 15)]]
    assert report.mended == {"mention whose spans overlap": 1}
    assert not report.skipped
    assert "mended in the input: mention whose spans overlap (1)" in report.summary()
    assert any("x" in line and "overlap; merged" in line for line in report.summary())

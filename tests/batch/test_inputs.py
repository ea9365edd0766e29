"""Sources and their records: what counts as broken, and what as a fault of the machine."""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest
from pyarrow import fs

from batch_jobs import documents, write_jsonl
from holdfast.batch import places, records
from holdfast.batch.folder import check_apart
from holdfast.batch.inputs import InputFile, InputSource, find_sources
from holdfast.batch.records import Broken, read_records
from holdfast.corpora import write_documents
from holdfast.document import Document
from holdfast.errors import HoldfastError, InputError, UsageError


def source_of(path: Path) -> InputSource:
    (source,) = find_sources([str(path)], format=None, documents_per_shard=10).sources
    return source


def write_texts(folder: Path, *names: str) -> Path:
    folder.mkdir()
    for name in names:
        (folder / name).write_text("A heart attack.", encoding="utf-8")
    return folder


def test_texts_of_several_folders_get_different_ids(tmp_path: Path) -> None:
    folders = [write_texts(tmp_path / name, "x.txt", "y.txt") for name in ("a", "b", "c")]
    alone = folders[0] / "x.txt"
    found = find_sources(
        [*map(str, folders), f"file://{alone}"], format=None, documents_per_shard=100
    )
    ids = [file.document_id for source in found.sources for file in source.files]
    assert ids == ["x", "y", "x.txt", "y.txt", "x.txt (2)", "y.txt (2)", "x.txt (3)"]
    read = list(read_records(found.sources[0], strict=True))
    assert [document.id for document in read if isinstance(document, Document)] == ids


def test_a_link_to_nothing_is_named(tmp_path: Path) -> None:
    folder = write_texts(tmp_path / "texts", "x.txt")
    (folder / "y.txt").symlink_to(tmp_path / "absent")
    with pytest.raises(InputError, match=r"y\.txt: No such file"):
        find_sources([str(folder)], format=None, documents_per_shard=10)


def test_annotations_of_any_shape_cost_no_document(tmp_path: Path) -> None:
    """They are dropped, whatever they are; a JSON file may have anything there."""
    lines = [
        '{"id": "a", "text": "A heart attack.", "mentions": 5}',
        '{"id": "b", "text": "A heart attack.", "mentions": ["x"], "relations": {"y": 1}}',
        '{"id": "c", "text": "A heart attack.", "relations": [{"arguments": ["z"]}, 7]}',
    ]
    path = write_jsonl(tmp_path / "docs.jsonl", lines)
    found = list(read_records(source_of(path), strict=False))
    assert found == [Document(id, "A heart attack.") for id in "abc"]


def test_broken_lines_of_annotations_cost_no_document(tmp_path: Path) -> None:
    pubtator = tmp_path / "one.pubtator"
    lines = ["1|t|A heart attack.", "1|a|", "1\tone\ttwo", "2\t0\t1\tA\tDisease", "", ""]
    pubtator.write_text("\n".join(lines), encoding="utf-8")
    (found,) = read_records(source_of(pubtator), strict=False)
    assert isinstance(found, Document)
    folder = tmp_path / "brat"
    folder.mkdir()
    (folder / "x.txt").write_text("A heart attack.", encoding="utf-8")
    (folder / "x.ann").write_text("what is this\n", encoding="utf-8")
    (found,) = read_records(source_of(folder / "x.ann"), strict=False)
    assert isinstance(found, Document)


def test_lines_of_another_document_are_not_dropped_in_silence(tmp_path: Path) -> None:
    path = tmp_path / "two.pubtator"
    path.write_text("1|t|One.\n1|a|\n1\t0\t3\tOne\tD\tX:1\n2|x|Two.\n", encoding="utf-8")
    broken, _ = read_records(source_of(path), strict=False)
    assert isinstance(broken, Broken)
    assert "2|x|Two." in broken.reason


def test_a_damaged_page_of_parquet_is_broken_and_no_fault_of_the_machine(tmp_path: Path) -> None:
    path = tmp_path / "docs.parquet"
    listed = [Document(str(n), f"Text {n * 7919} of a heart attack.") for n in range(2000)]
    write_documents(listed, path)
    content = bytearray(path.read_bytes())
    content[1000:3000] = bytes(2000)
    path.write_bytes(content)
    found = list(read_records(source_of(path), strict=False))
    assert isinstance(found[-1], Broken)
    assert found[-1].reason.startswith("docs.parquet")


def test_an_address_has_the_documents_that_a_folder_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, content in {
        "a.txt": b"A heart attack.",
        "deep/b.jsonl": b'{"id": "1", "text": "A heart attack."}\n',
        "c.pubtator.gz": gzip.compress(b"1|t|A heart attack.\n1|a|\n"),
        ".hidden.txt": b"no",
        "deep/.git/config.txt": b"no",
        "README.md": b"About these files.",
        "table.csv": b"a,b\n1,2\n",
        "picture.dat": bytes(range(256)),
    }.items():
        path = tmp_path / "bucket" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    here = fs.SubTreeFileSystem(str(tmp_path), fs.LocalFileSystem())
    monkeypatch.setattr(places, "_arrow", lambda address: (here, address.partition("://")[2]))
    found = find_sources(["s3://bucket/"], format=None, documents_per_shard=10)
    files = {file.name: file.format for source in found.sources for file in source.files}
    assert files == {"a.txt": "text", "c.pubtator.gz": "pubtator", "deep/b.jsonl": "jsonl"}
    assert sum(found.left_out.values()) == 5
    for source in found.sources:
        assert all(isinstance(one, Document) for one in read_records(source, strict=True))
    with pytest.raises(InputError, match="of no format that is known"):
        find_sources(["s3://bucket/picture.dat"], format=None, documents_per_shard=10)
    (tmp_path / "bucket/a.ann").write_bytes(b"T1\tDisease 2 14\theart attack\n")
    with pytest.raises(InputError, match="copy both here"):
        find_sources(["s3://bucket/"], format=None, documents_per_shard=10)


def test_the_format_of_a_large_packed_file_is_seen_in_its_beginning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(0)
    lines = (f'{{"id": "{n}", "text": "{rng.randbytes(600).hex()}"}}\n' for n in range(3000))
    (tmp_path / "bucket").mkdir()
    path = tmp_path / "bucket/large.jsonl.gz"
    path.write_bytes(gzip.compress("".join(lines).encode()))
    assert path.stat().st_size > 3 << 19
    here = fs.SubTreeFileSystem(str(tmp_path), fs.LocalFileSystem())
    monkeypatch.setattr(places, "_arrow", lambda address: (here, address.partition("://")[2]))
    with places.beginning_of("s3://bucket/large.jsonl.gz") as copy:
        assert copy.stat().st_size < path.stat().st_size
    (source,) = find_sources(["s3://bucket"], format=None, documents_per_shard=10).sources
    assert source.files[0].format == "jsonl"


def test_a_reader_that_fails_ends_its_file_and_not_the_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fine = documents(2, "d")
    source = source_of(write_jsonl(tmp_path / "docs.jsonl", fine))

    def read(*_: object, **__: object) -> Iterator[Document]:
        yield fine[0]
        raise AttributeError("no such thing")

    monkeypatch.setattr(records, "format_named", lambda _: SimpleNamespace(read=read))
    first, broken = read_records(source, strict=False)
    assert isinstance(first, Document)
    assert isinstance(broken, Broken)
    assert broken.reason.startswith("docs.jsonl: the rest of the file cannot be read (Attribute")
    with pytest.raises(InputError, match="the rest of the file"):
        list(read_records(source, strict=True))


def test_a_file_that_cannot_be_fetched_is_not_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the quarantine it would be lost for good; the job stops, and goes on where it was."""

    def fail(*_: object, **__: object) -> None:
        raise OSError("connection reset")

    files = SimpleNamespace(open_input_stream=fail)
    monkeypatch.setattr(places, "_arrow", lambda address: (files, address.partition("//")[2]))
    source = InputSource(0, (InputFile("s3://bucket/x.jsonl", "x.jsonl", "jsonl", 9),))
    with pytest.raises(HoldfastError, match=r"s3://bucket/x\.jsonl: .*connection reset") as caught:
        list(read_records(source, strict=False))
    assert not isinstance(caught.value, InputError)


def test_the_copy_of_a_file_at_an_address_is_named_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its folder is another one in every run, and the output depends on no run."""
    address = "s3://bucket/deep/x.jsonl"
    (tmp_path / "x.jsonl").write_text('{"id": "1", "text": "A."}\n{broken\n', encoding="utf-8")
    files = SimpleNamespace(open_input_stream=lambda *_, **__: (tmp_path / "x.jsonl").open("rb"))
    monkeypatch.setattr(places, "_arrow", lambda address: (files, address.partition("//")[2]))
    source = InputSource(0, (InputFile(address, "x.jsonl", "jsonl", 9),))
    _, broken = read_records(source, strict=False)
    assert isinstance(broken, Broken)
    assert broken.reason.startswith("x.jsonl, line 2: not JSON")
    with pytest.raises(InputError) as caught:
        list(read_records(source, strict=True))
    assert str(caught.value).startswith(f"{address}, line 2: not JSON")


@pytest.mark.parametrize(
    ("out", "read", "is_refused"),
    [
        ("s3://bucket/in/out", "s3://bucket/in", True),
        ("s3://bucket/in", "s3://bucket/in/", True),
        ("s3://bucket/in-out", "s3://bucket/in", False),
        ("out", "s3://bucket/in", False),
        ("file://{}/out", "{}", True),
        ("{}/out", "file://{}", True),
        ("file://{}-out", "{}", False),
        ("s3://bucket/out", "in", False),
    ],
)
def test_output_below_an_input_at_an_address_is_refused(
    out: str, read: str, is_refused: bool, tmp_path: Path
) -> None:
    out, read = out.format(tmp_path), read.format(tmp_path)
    with pytest.raises(UsageError) if is_refused else nullcontext():
        check_apart(out, [read])

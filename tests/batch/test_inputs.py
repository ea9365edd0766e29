"""Sources and their records: what counts as broken, and what as a fault of the machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from batch_jobs import documents, write_jsonl
from holdfast.batch import places, records
from holdfast.batch.folder import check_apart
from holdfast.batch.inputs import InputFile, InputSource, find_sources
from holdfast.batch.records import Broken, read_records
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
        ("s3://bucket/out", "in", False),
    ],
)
def test_output_below_an_input_at_an_address_is_refused(
    out: str, read: str, is_refused: bool
) -> None:
    with pytest.raises(UsageError) if is_refused else nullcontext():
        check_apart(out, [read])

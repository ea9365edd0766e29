"""Files that are read strictly and written whole or not at all."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast import files
from holdfast.errors import FormatError, InputError, UsageError
from holdfast.files import (
    numbered_lines,
    open_bytes,
    raw_lines,
    read_chunks,
    read_lines,
    read_text,
    replacing,
    replacing_folder,
    replacing_text,
)

LINES = [f"line {number} é 🧬".encode() for number in range(4000)]
TEXT = b"\n".join(LINES)


def saved(tmp_path: Path, content: bytes, name: str = "x") -> Path:
    path = tmp_path / name
    path.write_bytes(content)
    return path


def read_everything(path: Path) -> bytes:
    with open_bytes(path) as stream:
        return stream.read()


def test_a_gzipped_file_is_unpacked_whatever_it_is_called(tmp_path: Path) -> None:
    assert read_everything(saved(tmp_path, gzip.compress(TEXT))) == TEXT
    assert read_everything(saved(tmp_path, TEXT, "plain.gz")) == TEXT


def _packed() -> bytes:
    return gzip.compress(TEXT, mtime=0)


DAMAGED = {
    "cut in the header": _packed()[:7],
    "cut in the middle": _packed()[: len(_packed()) // 2],
    "without its checksum": _packed()[:-8],
    "with a wrong checksum": _packed()[:-8] + bytes(4) + _packed()[-4:],
    "with a wrong length": _packed()[:-4] + bytes(4),
    "with other bytes inside": _packed()[:400] + b"\xff" * 400 + _packed()[800:],
    "with an unknown method": b"\x1f\x8b\x09" + _packed()[3:],
    "with something behind it": _packed() + b"behind",
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_gzip_is_one_line_that_names_the_file(tmp_path: Path, damage: str) -> None:
    path = saved(tmp_path, DAMAGED[damage], "x.gz")
    for read in (
        read_everything,
        read_text,
        lambda p: [*read_lines(p)],
        lambda p: [*read_chunks(p)],
    ):
        with pytest.raises(FormatError, match="not a whole gzip file") as caught:
            read(path)
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"", gzip.compress(b"", mtime=0)])
def test_an_empty_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = saved(tmp_path, content)
    for read in (
        read_everything,
        read_text,
        lambda p: [*read_lines(p)],
        lambda p: [*read_chunks(p)],
    ):
        with pytest.raises(FormatError, match="the file is empty"):
            read(path)


def test_what_cannot_be_opened_is_named_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none: No such file"):
        read_text(tmp_path / "none")
    with pytest.raises(InputError, match="directory"):
        read_text(tmp_path)


def test_only_a_line_feed_ends_a_line(tmp_path: Path) -> None:
    path = saved(tmp_path, "\ufeffa\rb\u2028c\x0bd\r\n\n\ufeffe".encode())
    assert [*raw_lines(path)] == [(1, "a\rb\u2028c\x0bd\r\n"), (2, "\n"), (3, "\ufeffe")]
    assert [*read_lines(path)] == [(1, "a\rb\u2028c\x0bd\r"), (2, ""), (3, "\ufeffe")]
    assert [*numbered_lines(path)] == [(1, "a\rb\u2028c\x0bd"), (2, ""), (3, "\ufeffe")]
    assert read_text(path) == "a\rb\u2028c\x0bd\r\n\n\ufeffe"


@pytest.mark.parametrize("size", [1, 2, 3, 5, 64, 1 << 20])
def test_chunks_together_are_the_text(
    tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_CHUNK", size)
    text = "é🧬\ufeff\r\nβ" * 5
    path = saved(tmp_path, text.encode())
    assert "".join(read_chunks(path)) == text
    marked = saved(tmp_path, b"\xef\xbb\xbf" + text.encode())
    if size >= 3:
        assert "".join(read_chunks(marked)) == text


@pytest.mark.parametrize("size", [1, 4, 1 << 20])
@pytest.mark.parametrize("cut", ["é", "β", "한", "🧬"])
def test_a_file_cut_inside_a_character_is_refused_with_its_line(
    tmp_path: Path, size: int, cut: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_CHUNK", size)
    path = saved(tmp_path, b"one\ntwo\nthree " + cut.encode()[:-1])
    for read in (lambda p: [*read_chunks(p)], lambda p: [*read_lines(p)], read_text):
        with pytest.raises(FormatError, match=r"line 3: byte 0x\w\w is not UTF-8"):
            read(path)


@pytest.mark.parametrize("size", [1, 5, 1 << 20])
def test_a_byte_that_is_not_utf8_is_named_with_its_line(
    tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_CHUNK", size)
    path = saved(tmp_path, b"one\ntwo\nthr\xe9e\nfour")
    for read in (lambda p: [*read_chunks(p)], lambda p: [*read_lines(p)], read_text):
        with pytest.raises(FormatError, match=r"line 3: byte 0xe9 is not UTF-8; convert"):
            read(path)
    assert [*read_lines(path, encoding="latin-1")][2] == (3, "thrée")
    with pytest.raises(FormatError, match="line 3: byte 0xe9 is not ascii"):
        list(read_lines(path, encoding="ascii"))


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_is_told_by_its_name(tmp_path: Path, encoding: str) -> None:
    path = saved(tmp_path, "\ufeffone".encode(encoding))
    for read in (lambda p: [*read_chunks(p)], lambda p: [*read_lines(p)], read_text):
        with pytest.raises(FormatError, match="line 1: the file is UTF-16, not UTF-8"):
            read(path)


@given(st.binary(max_size=50))
def test_bytes_are_written_whole_and_gzipped_by_name(content: bytes) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        for name in ("x", "x.gz", "x.GZ"):
            path = Path(folder) / name
            with replacing(path) as stream:
                stream.write(content)
                assert not path.exists()
            written = path.read_bytes()
            assert (gzip.decompress(written) if name != "x" else written) == content
        assert sorted(p.name for p in Path(folder).iterdir()) == ["x", "x.GZ", "x.gz"]


def test_the_same_content_is_the_same_gzip(tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz"):
        with replacing_text(tmp_path / name) as stream:
            stream.write("é\r\n\n")
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.gz").read_bytes()) == "é\r\n\n".encode()


def test_after_an_error_the_file_is_as_it_was(tmp_path: Path) -> None:
    path = saved(tmp_path, b"mine")
    with pytest.raises(TypeError), replacing(path) as stream:
        stream.write(b"other" + None)  # type: ignore[operator]
    assert path.read_bytes() == b"mine"
    assert [p.name for p in tmp_path.iterdir()] == ["x"]


def test_a_folder_takes_the_place_of_an_empty_one_only(tmp_path: Path) -> None:
    target = tmp_path / "out"
    for _ in range(2):  # first there is none, then an empty one
        with replacing_folder(target) as folder:
            assert not any(target.iterdir()) if target.exists() else True
            (folder / "a").write_bytes(b"a")
        assert [p.name for p in target.iterdir()] == ["a"]
        (target / "a").unlink()
    saved(target, b"b", "b")
    for path in (target, target / "b"):
        with pytest.raises(UsageError, match="already exists and is not an empty folder"):
            replacing_folder(path).__enter__()
    with pytest.raises(KeyError), replacing_folder(tmp_path / "new") as folder:
        raise KeyError
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


@given(st.text(st.characters(codec="utf-8"), max_size=5), st.booleans())
def test_marked_text_is_read_back_and_is_marked_only_where_it_must_be(
    text: str, with_mark: bool
) -> None:
    text = f"\ufeff{text}" if with_mark else text
    written = files.marked_text(text)
    assert written.removeprefix("\ufeff") == text
    assert written == text or text.startswith("\ufeff")


def test_the_head_and_the_mark_of_a_file_are_read_through_gzip(tmp_path: Path) -> None:
    for content in (b"\xef\xbb\xbfabc", gzip.compress(b"\xef\xbb\xbfabc")):
        path = saved(tmp_path, content)
        assert files.starts_with_mark(path)
        assert files.read_head(path, 4) == b"\xef\xbb\xbfa"
        assert files.read_head(path, 99) == b"\xef\xbb\xbfabc"
    assert not files.starts_with_mark(saved(tmp_path, b"abc\xef\xbb\xbf"))
    assert not files.starts_with_mark(saved(tmp_path, b"\xef\xbb"))


def test_only_a_file_without_a_byte_is_empty(tmp_path: Path) -> None:
    assert files.is_empty(saved(tmp_path, b""))
    assert files.is_empty(saved(tmp_path, gzip.compress(b"")))
    assert not files.is_empty(saved(tmp_path, b" "))
    assert not files.is_empty(saved(tmp_path, gzip.compress(b"")[:5]))
    assert not files.is_empty(tmp_path / "none")


def test_a_folder_that_is_not_there_is_said_by_its_own_name(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "x.jsonl"
    for write in (replacing, replacing_folder):
        with pytest.raises(InputError, match=r"x\.jsonl: there is no folder .*nowhere; make it"):
            write(path).__enter__()
    with pytest.raises(InputError, match="there is no folder"):
        files.write_durably(path, b"x")

"""Opening files: encodings, compression, and rows."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from holdfast.errors import FormatError, InputError
from holdfast.files import numbered_lines
from holdfast.kb.readers.source import csv_rows, find_in_folder, tab_rows


def _file(folder: Path, content: bytes, name: str = "file.txt") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def test_lines_lose_their_ends_and_the_byte_order_mark(tmp_path: Path) -> None:
    path = _file(tmp_path, b"\xef\xbb\xbfone\r\ntwo\nthree")
    assert list(numbered_lines(path)) == [(1, "one"), (2, "two"), (3, "three")]


def test_a_gzipped_file_is_known_by_its_bytes_and_not_by_its_name(tmp_path: Path) -> None:
    path = _file(tmp_path, gzip.compress("Sjögren\n".encode()), "names.txt")
    assert list(numbered_lines(path)) == [(1, "Sjögren")]


def test_invalid_utf8_is_an_error_that_names_file_and_line(tmp_path: Path) -> None:
    path = _file(tmp_path, b"good\nSj\xf6gren\n")
    with pytest.raises(FormatError, match="byte 0xf6 is not UTF-8") as caught:
        list(numbered_lines(path))
    assert (caught.value.path, caught.value.line) == (str(path), 2)


def test_utf16_is_called_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="UTF-16"):
        list(numbered_lines(_file(tmp_path, "id\tname\n".encode("utf-16"))))


@pytest.mark.parametrize("content", [b"", gzip.compress(b"", mtime=0)])
def test_an_empty_file_is_an_error(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(FormatError, match="the file is empty"):
        list(numbered_lines(_file(tmp_path, content)))


def test_a_gzip_file_that_is_cut_short_is_an_error(tmp_path: Path) -> None:
    whole = gzip.compress(b"".join(b"%d some text\n" % i for i in range(5000)))
    for length in (15, len(whole) // 2, len(whole) - 4):
        with pytest.raises(FormatError, match="not a whole gzip file"):
            list(numbered_lines(_file(tmp_path, whole[:length])))


def test_a_missing_file_or_a_folder_is_an_input_error(tmp_path: Path) -> None:
    for path in (tmp_path / "none.txt", tmp_path):
        with pytest.raises(InputError, match=str(path)):
            list(numbered_lines(path))


def test_a_row_of_the_wrong_width_is_an_error_with_its_line(tmp_path: Path) -> None:
    path = _file(tmp_path, b"a\tb\nc\n")
    with pytest.raises(FormatError, match="line 2: 1 fields where 2 are expected"):
        list(tab_rows(path, columns=2))


def test_quoted_fields_hold_delimiters_quotes_and_line_ends(tmp_path: Path) -> None:
    path = _file(tmp_path, b'a,"b, ""c""\nd"\n\ne,f\n')
    assert list(csv_rows(path, delimiter=",")) == [(1, ["a", 'b, "c"\nd']), (4, ["e", "f"])]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'a,b\nc,"d\ne,f\n', "line 2: a quote that opens in this row is never closed"),
        (b'a,b\nc,"d\n' + b"x" * 200_000, "line 2: a cell of more than .* is a quote"),
        (b'a,b\n"c"d,e\n', "line 2: text follows a closing quote"),
    ],
)
def test_broken_quotes_are_errors_at_the_row_that_opens_them(
    tmp_path: Path, content: bytes, message: str
) -> None:
    with pytest.raises(FormatError, match=message):
        list(csv_rows(_file(tmp_path, content), delimiter=","))


def test_a_file_is_found_below_its_folder_gzipped_or_not(tmp_path: Path) -> None:
    (tmp_path / "META").mkdir()
    found = _file(tmp_path / "META", b"x", "A.RRF.gz")
    assert find_in_folder(tmp_path, "A.RRF") == found
    assert find_in_folder(tmp_path, "B.RRF") is None
    (tmp_path / "OLD").mkdir()
    _file(tmp_path / "OLD", b"x", "A.RRF")
    with pytest.raises(InputError, match="holds several"):
        find_in_folder(tmp_path, "A.RRF")
    with pytest.raises(InputError, match="not a folder"):
        find_in_folder(found, "A.RRF")

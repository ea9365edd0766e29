"""Record tries of the MARISA library, read without it."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import FormatError
from holdfast.kb.open.taxa.marisa import read_numbered_records
from marisa_file import marisa_file

WRITTEN_BY_THE_LIBRARY = Path(__file__).parents[3] / "data" / "marisa"
NUMBERS = sorted({(i * i * 7919 + i * 31 + 1) % 10_000_000 for i in range(400)})


def _record(number: int) -> bytes:
    return struct.pack("<IBBB", number * 2654435761 % 2**32, number % 7, number % 11, number % 256)


@pytest.mark.parametrize("kind", ["one-trie", "nested", "binary-tail"])
def test_what_the_library_wrote_is_read_in_full(kind: str) -> None:
    records = read_numbered_records(
        (WRITTEN_BY_THE_LIBRARY / f"{kind}.marisa").read_bytes(), size=7
    )
    assert records.numbers.tolist() == NUMBERS
    assert [row.tobytes() for row in records.fields] == [_record(n) for n in NUMBERS]


@given(st.dictionaries(st.integers(0, 99_999), st.binary(min_size=4, max_size=4), min_size=1))
def test_every_record_comes_back_by_ascending_number(written: dict[int, bytes]) -> None:
    records = read_numbered_records(marisa_file(written), size=4)
    assert records.numbers.tolist() == sorted(written)
    assert [row.tobytes() for row in records.fields] == [written[n] for n in sorted(written)]


def test_another_file_a_cut_one_and_records_of_another_size_are_refused() -> None:
    whole = marisa_file({9606: b"abcd"})
    with pytest.raises(FormatError, match="not a MARISA trie"):
        read_numbered_records(b"PK" + whole, size=4)
    with pytest.raises(FormatError, match="cut off"):
        read_numbered_records(whole[:100], size=4)
    with pytest.raises(FormatError, match="7 bytes"):
        read_numbered_records(whole, size=7)
    with pytest.raises(FormatError, match="not a number"):
        read_numbered_records(whole, size=2)

"""Large JSON objects, one member at a time."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import FormatError
from holdfast.kb.open.json_stream import iterate_members

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


class Trickle:
    """Gives at most a few bytes at a time, whatever it is asked for."""

    def __init__(self, content: bytes, size: int) -> None:
        self._stream = io.BytesIO(content)
        self._size = size

    def read(self, size: int = 1 << 20, /) -> bytes:
        return self._stream.read(min(size, self._size))


def members(content: bytes, size: int = 1 << 20) -> dict[str, Any]:
    return dict(iterate_members(Trickle(content, size), path="f.json"))


@given(
    st.dictionaries(st.text(max_size=4), VALUES, max_size=5),
    st.integers(1, 9),
    st.sampled_from([None, 2]),
    st.booleans(),
)
def test_it_equals_json_however_the_stream_is_cut(
    data: dict[str, Any], size: int, indent: int | None, ascii: bool
) -> None:
    content = json.dumps(data, indent=indent, ensure_ascii=ascii).encode("utf-8", "surrogatepass")
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return
    assert members(content, size) == data


@given(st.integers(0, 40))
def test_an_object_that_is_cut_off_is_an_error_that_names_the_file(at: int) -> None:
    content = json.dumps({"one": [1, 2], "zwei": {"ü": 3}, "tail": 12345}).encode()
    with pytest.raises(FormatError, match=r"f\.json"):
        members(content[: min(at, len(content) - 1)])


@pytest.mark.parametrize("content", [b"\xff", b'{"a": "\xff"}', b'{"a": "\xc3'])
def test_bytes_that_are_not_utf8_are_an_error_that_names_the_file(content: bytes) -> None:
    with pytest.raises(FormatError, match=r"f\.json"):
        members(content)

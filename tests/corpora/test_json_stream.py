"""Large JSON files, read an element at a time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast import files
from holdfast.corpora.json_stream import read_elements
from holdfast.errors import FormatError

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
ELEMENT: dict[str, Any] = {
    "number": -12.5e-30,
    "digits": 123456789012345678901234567890,
    "flags": [True, False, None, True],
    "text": 'a "quoted" \\ line\nend \u00e9 \U0001f9ec',
    "nested": {"empty": [], "none": {}},
}


def values(path: Path, **options: Any) -> list[Any]:
    return [element.value for element in read_elements(path, **options)]


def saved(folder: Path, content: str) -> Path:
    path = folder / "x.json"
    path.write_text(content, encoding="utf-8", newline="")
    return path


@pytest.mark.parametrize("size", [*range(1, 40), 100, 1 << 20])
def test_where_a_piece_of_the_file_ends_does_not_matter(
    tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_CHUNK", size)
    for ascii_only in (True, False):
        one = json.dumps(ELEMENT, ensure_ascii=ascii_only)
        assert values(saved(tmp_path, f"[{one}, {one}]")) == [ELEMENT, ELEMENT]
        assert values(saved(tmp_path, f"{one}\n\n{one}\n")) == [ELEMENT, ELEMENT]
        whole = f'{{"date": 1.25e+10, "true": true, "key": -7, "documents": [{one}], "x": 1}}'
        assert values(saved(tmp_path, whole), array_keys=("documents",)) == [ELEMENT]
    numbers = [0, -1, 1.5, 1e300, -2.5e-12, True, None, False, "e", 10]
    assert values(saved(tmp_path, json.dumps(numbers))) == numbers


@given(st.lists(VALUES, max_size=4), st.integers(1, 30))
def test_elements_are_those_of_the_standard_library(items: list[Any], size: int) -> None:
    import tempfile

    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(files, "_CHUNK", size)
        assert values(saved(Path(folder), json.dumps(items, indent=1))) == items


def test_an_element_knows_the_line_where_it_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = saved(tmp_path, '\n[\n{"a":\n1},\n\n {"b": 2}\n]\n{"c": 3}\n')
    for size in (1, 7, 1 << 20):
        monkeypatch.setattr(files, "_CHUNK", size)
        assert [e.line for e in read_elements(path)] == [3, 6, 8]


def test_only_an_array_under_a_known_key_is_taken_apart(tmp_path: Path) -> None:
    path = saved(tmp_path, '{"documents": [1, 2], "other": [3]} {"documents": 4} {"more": [5]}')
    assert values(path, array_keys=("documents", "more")) == [1, 2, {"documents": 4}, 5]
    whole = [{"documents": [1, 2], "other": [3]}, {"documents": 4}, {"more": [5]}]
    assert values(path) == whole


@pytest.mark.parametrize(
    ("content", "line", "said"),
    [
        (" \n ", None, "blank"),
        ("\n3", 2, "expected an object or an array, not '3'"),
        ("[1,\n2", 2, "expected ',', not 'the end of the file'"),
        ("[1\n2]", 2, "expected ',', not '2'"),
        ("[1,\n]", 2, "not JSON"),
        ('{"a": 1,\n b: 2}', 2, "expected a key"),
        ('{"a"\n 1}', 2, "expected ':', not '1'"),
        ('{"a": 1\n "b": 2}', 2, "expected ',', not '\"'"),
        ('[{"a": "unending]}', 1, "not JSON: Unterminated string"),
        ('[{"a":\n tru}]', 2, "not JSON: Expecting value"),
        ("[1]\n]", 2, "expected an object or an array"),
        ('[{"a": ' + "[" * 200_000, 1, "JSON beyond reading"),
    ],
)
@pytest.mark.parametrize("size", [3, 1 << 20])
def test_what_is_not_json_is_named_with_its_line(
    tmp_path: Path,
    content: str,
    line: int | None,
    said: str,
    size: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(files, "_CHUNK", size if len(content) < 1000 else 1 << 20)
    with pytest.raises(FormatError) as caught:
        values(saved(tmp_path, content))
    assert said in str(caught.value)
    assert caught.value.line == line

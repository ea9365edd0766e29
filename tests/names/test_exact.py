"""Names by their key."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.names.exact import ExactIndex, VerbatimIndex, variants
from holdfast.text.tokens import hashes_of_names, key_of

NAMES = [
    "Diabetes, Gestational",
    "IL-2",
    "Tumour of bone",
    "TGF-β",
    "Haemorrhage",
    "Sjögren's syndrome",
    "***",
    "IL-2",
]


@pytest.fixture(scope="module")
def index() -> ExactIndex:
    return ExactIndex.build(NAMES)


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("diabetes gestational", [0]),
        ("Gestational Diabetes", [0]),
        ("il2", [1, 7]),
        ("IL 2", [1, 7]),
        ("tumor of bones", [2]),
        ("tgf beta", [3]),
        ("hemorrhages", [4]),
        ("Sjogren’s Syndrome", [5]),
        ("***", []),
        ("", []),
        ("gestational", []),
    ],
)
def test_ways_to_write_a_name_find_it(index: ExactIndex, query: str, rows: list[int]) -> None:
    found = index.search([query], 3)
    assert found.rows[0].tolist() == rows + [-1] * (3 - len(rows))
    assert found.scores[0].tolist() == [1.0] * len(rows) + [0.0] * (3 - len(rows))


def test_fewer_rows_than_there_are_come_in_row_order(index: ExactIndex) -> None:
    assert index.search(["IL-2"], 1).rows.tolist() == [[1]]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Diabetes, Gestational", ["Gestational Diabetes"]),
        ("Lupus, a, b", []),
        ("IL-2", ["IL2"]),
        ("2-AB-3", ["2AB3"]),
        ("beta-blocker", []),
        ("Deficiency, IL-2", ["IL-2 Deficiency", "Deficiency, IL2"]),
    ],
)
def test_variants_reverse_one_comma_and_drop_hyphens_at_digits(
    name: str, expected: list[str]
) -> None:
    assert list(variants(name)) == expected


texts = st.text(st.sampled_from("aBé β-2,s' "), max_size=8)


@settings(max_examples=50, deadline=None)
@given(st.lists(texts, max_size=20), st.lists(texts, max_size=10))
def test_it_agrees_with_a_dictionary_of_keys(names: list[str], queries: list[str]) -> None:
    rows_of: dict[str, set[int]] = {}
    for row, name in enumerate(names):
        for way in (name, *variants(name)):
            rows_of.setdefault(key_of(way), set()).add(row)
    rows_of.pop("", None)
    index = ExactIndex.build(names)
    asked = [*names, *queries]
    holds = index.holds(hashes_of_names(asked))
    assert holds.tolist() == [key_of(query) in rows_of for query in asked]
    found = index.search(asked, 25)
    for query, rows in zip(asked, found.rows.tolist(), strict=True):
        assert [row for row in rows if row >= 0] == sorted(rows_of.get(key_of(query), ()))


def test_saved_and_opened_it_is_the_same(index: ExactIndex, tmp_path: Path) -> None:
    index.save(tmp_path)
    opened = ExactIndex.open(tmp_path)
    np.testing.assert_array_equal(opened.keys, index.keys)
    np.testing.assert_array_equal(opened.rows, index.rows)


def test_an_index_of_nothing_finds_nothing() -> None:
    index = ExactIndex.build([])
    assert index.holds(hashes_of_names(["a"])).tolist() == [False]
    assert index.search(["a"], 1).rows.tolist() == [[-1]]
    assert index.search([], 1).rows.shape == (0, 1)


def test_verbatim_means_to_the_letter() -> None:
    index = VerbatimIndex.build(["Pain", "pain", "", "pain"])
    assert index.search(["pain", "Pain ", "", "PAIN"], 2).rows.tolist() == [
        [1, 3],
        [-1, -1],
        [-1, -1],
        [-1, -1],
    ]


@pytest.mark.parametrize("count", [9, 16, 17, 40, 200])
def test_what_long_names_begin_with_is_known_at_eight_sixteen_and_so_on(count: int) -> None:
    words = [f"w{i}" for i in range(count)]
    index = ExactIndex.build([" ".join(words), "another short name"])
    for prefix in (8, 16, 32, 64, 128, 256):
        hashes = hashes_of_names([" ".join(words[:prefix])])
        assert index.begins(hashes)[0] == (prefix < count)
    assert not index.begins(hashes_of_names([" ".join(words[1:9])]))[0]
    assert index.holds(hashes_of_names([" ".join(words)]))[0]

"""What the benchmark of growth makes; how fast anything is, is not tested."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.bench.gold_documents import write_bare
from holdfast.bench.growth import measure_growth, parse_sizes, synthetic_names
from holdfast.document import Document, Mention
from holdfast.errors import UsageError

DOCUMENT = Document(
    "1", "Heart attack and bleeding.", mentions=(Mention.at(0, 12), Mention.at(17, 25))
)
names_of_words = st.lists(
    st.lists(st.text("abcdé", min_size=1, max_size=6), min_size=1, max_size=4).map(" ".join),
    min_size=1,
    max_size=30,
)


@given(names_of_words, st.integers(1, 80))
def test_growth_makes_exactly_so_many_names_real_ones_first(real: list[str], size: int) -> None:
    names = list(synthetic_names(real, size, seed=3))
    assert len(names) == size
    assert all(name and name == " ".join(name.split()) for name in names)
    first = Counter(names[: len(real)])
    assert first <= Counter(real)
    assert first.total() == min(size, len(real))
    assert names == list(synthetic_names(real, size, seed=3))


def test_synthetic_names_share_words_with_real_ones_but_are_mostly_new() -> None:
    draw = random.Random(0)
    words = ["".join(draw.choices("abcdefgh", k=7)) for _ in range(300)]
    real = [" ".join(draw.sample(words, 3)) for _ in range(200)]
    made = list(synthetic_names(real, 1200, seed=3))[200:]
    assert len(set(made) - set(real)) > 950
    known = [sum(word in words for word in name.split()) / len(name.split()) for name in made]
    assert np.mean(known) > 0.8


def test_growth_builds_links_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    real = ["heart attack", "bleeding", "renal failure of the old"]
    documents = tmp_path / "documents.jsonl"
    write_bare([DOCUMENT], documents)
    stages = list[str]()
    points = measure_growth(
        real,
        documents,
        sizes=(2, 50),
        threads=1,
        progress=lambda what, _: stages.append(what),
    )
    small, large = points
    assert (small.speed.kb_names, large.speed.kb_names) == (2, 50)
    assert large.speed.disk_megabytes > 0
    assert large.build_seconds > 0
    assert stages == ["2 names", "50 names"]
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize(("text", "wanted"), [("100, 10", (10, 100)), ("5,5", (5,)), ("7", (7,))])
def test_sizes_are_read_in_ascending_order(text: str, wanted: tuple[int, ...]) -> None:
    assert parse_sizes(text) == wanted


@pytest.mark.parametrize("text", ["", "10k", "0", "-5", "1.5", "1,,2"])
def test_sizes_that_are_no_sizes_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="size"):
        parse_sizes(text)

"""What the speed benchmark of names counts, draws and says; how fast anything is, is not tested."""

from __future__ import annotations

import json
import os
import random
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.document import Document, Mention
from holdfast.errors import HoldfastError, InputError, InvalidValueError, UsageError
from holdfast.evaluate.line_plot import Panel, draw_panels
from holdfast.evaluate.linking_speed import LinkingJob, bare, measure_linking, measure_start
from holdfast.evaluate.name_growth import measure_growth, synthetic_names
from holdfast.evaluate.name_speed import (
    GoldDocument,
    Plan,
    accuracies,
    parse_sizes,
    ratios,
    read_names,
)
from holdfast.evaluate.name_speed_page import draw_growth, render_names
from holdfast.evaluate.processes import confined, read_memory, repeat, run_job
from small_kb import make_kb

pytest.importorskip("onnxruntime", reason="the extra `dense` is not installed")
from holdfast.evaluate.encoding_speed import Bert, sample_by_length

TEXT = "Heart attack (HA) and bleeding; HA."
names_of_words = st.lists(
    st.lists(st.text("abcdé", min_size=1, max_size=6), min_size=1, max_size=4).map(" ".join),
    min_size=1,
    max_size=30,
)


class FakeSession:
    """Gives each name the sum of its unmasked tokens, and remembers the batches."""

    def __init__(self) -> None:
        self.shapes: list[tuple[int, ...]] = []

    def run(self, outputs: Sequence[str], inputs: dict[str, Any]) -> list[Any]:
        assert outputs == ["vectors"]
        tokens, mask = inputs["tokens"], inputs["mask"]
        assert (tokens[mask == 0] == 0).all()
        self.shapes.append(tokens.shape)
        return [(tokens * mask).sum(axis=1, keepdims=True).astype(np.float32)]


def letters(names: Sequence[str]) -> list[list[int]]:
    return [[ord(letter) for letter in name] for name in names]


@given(st.lists(st.text("abc", max_size=12), min_size=1, max_size=40), st.integers(1, 9))
def test_bert_gives_a_name_its_own_vector_whatever_is_beside_it(
    names: list[str], batch: int
) -> None:
    session = FakeSession()
    found = Bert(session, letters, longest=8).encode(names, batch=batch)
    wanted = [101 + sum(map(ord, name[:6])) + 102 for name in names]
    assert found[:, 0].tolist() == wanted
    assert max(rows for rows, _ in session.shapes) <= batch


def test_bert_pads_short_names_little_because_names_are_sorted() -> None:
    session = FakeSession()
    Bert(session, letters, longest=25).encode(["a", "abcdefgh"] * 4, batch=4)
    assert session.shapes == [(4, 3), (4, 10)]


@given(st.lists(st.text("ab", max_size=30), max_size=60), st.integers(1, 70))
def test_a_sample_has_the_lengths_of_the_names(names: list[str], size: int) -> None:
    sample = sample_by_length(names, size, seed=1)
    assert len(sample) == min(size, len(names))
    lengths = sorted(map(len, names))
    for place, name in enumerate(sample):
        start, end = (i * len(names) // len(sample) for i in (place, place + 1))
        assert lengths[start] <= len(name) <= lengths[end - 1]
    assert sample == sample_by_length(names, size, seed=1)


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


def test_rounds_stop_when_patience_ends_but_one_is_always_measured() -> None:
    taken = iter([9.0, 1.0, 5.0, 7.0])
    assert repeat(lambda: next(taken), rounds=3, patience=100).seconds == 5.0
    slow = repeat(lambda: 60.0, rounds=5, patience=150)
    assert (slow.seconds, slow.rounds) == (60.0, 3)
    assert repeat(lambda: 1000.0, rounds=5, patience=150).rounds == 1


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system cannot confine")
def test_a_process_may_use_no_more_cores_than_it_is_confined_to() -> None:
    before = os.sched_getaffinity(0)
    with confined(1):
        assert len(os.sched_getaffinity(0)) == 1
    assert os.sched_getaffinity(0) == before
    for threads in (0, len(before) + 1):
        with pytest.raises(UsageError, match=f"{threads} threads"), confined(threads):
            pass


def test_memory_is_at_most_its_peak_and_grows_by_what_is_allocated() -> None:
    before = read_memory()
    held = np.ones(8_000_000)  # 64 MB
    after = read_memory()
    assert held[-1] == 1
    assert 0 < after.private <= after.resident <= after.peak
    assert after.peak - before.resident > 40


def test_a_program_that_fails_or_is_not_there_is_one_line(tmp_path: Path) -> None:
    program = (sys.executable, "-c", "raise SystemExit('no index here')")
    with pytest.raises(HoldfastError, match="no index here") as caught:
        run_job(program, {}, scratch=tmp_path, threads=1)
    assert "\n" not in str(caught.value)
    with pytest.raises(UsageError, match="nowhere/python"):
        run_job((tmp_path / "nowhere/python",), {}, scratch=tmp_path, threads=1)


def test_a_job_reaches_its_program_with_the_number_of_threads(tmp_path: Path) -> None:
    code = (
        "import json, os, sys\n"
        "job = json.load(open(sys.argv[1]))\n"
        "json.dump({**job, 'threads': os.environ['OMP_NUM_THREADS']}, open(sys.argv[2], 'w'))"
    )
    script = tmp_path / "echo.py"
    script.write_text(code, encoding="utf-8")
    answer = run_job((sys.executable, script), {"a": "é"}, scratch=tmp_path, threads=3)
    assert answer == {"a": "é", "threads": "3"}


def written(documents: Sequence[Document], folder: Path) -> Path:
    path = folder / "documents.jsonl"
    lines = (json.dumps(document.to_json()) + "\n" for document in documents)
    path.write_text("".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def gold() -> Document:
    mentions = (
        Mention.at(0, 12, "Disease", ["MESH:D002"]),
        Mention.at(22, 30, "Disease", ["MESH:D004"]),
        Mention.at(32, 34, "Disease", ["MESH:D002"]),
    )
    return Document("1", TEXT, mentions=mentions)


def test_a_bare_document_keeps_places_and_forgets_answers(gold: Document) -> None:
    found = bare(gold)
    assert [m.spans for m in found.mentions] == [m.spans for m in gold.mentions]
    assert not any(m.ids or m.type for m in found.mentions)


def test_the_measured_linker_answers_every_mention(tmp_path: Path, gold: Document) -> None:
    kb = make_kb(tmp_path / "kb")
    job = LinkingJob(kb.folder, written([bare(gold)], tmp_path))
    assert LinkingJob.from_json(job.to_json()) == job
    linked = measure_linking(job, scratch=tmp_path)
    assert linked.speed.kb_names == kb.names
    assert (linked.speed.documents, linked.speed.mentions) == (1, 3)
    assert linked.speed.mentions_per_second > 0
    assert linked.speed.p50_milliseconds <= linked.speed.p99_milliseconds
    assert [ranking[0][0] for ranking in linked.rankings] == ["MESH:D002", "MESH:D004", "MESH:D002"]
    found = accuracies([GoldDocument("ncbi-disease", gold)], linked.rankings, kb)
    assert found["ncbi-disease"]["accuracy_at_1"] == 1.0
    assert found["ncbi-disease"]["mentions"] == 3
    assert measure_start(job, scratch=tmp_path, rounds=1) > 0


def test_a_tie_for_the_first_place_is_wrong(tmp_path: Path, gold: Document) -> None:
    kb = make_kb(tmp_path / "kb")
    tied = [("MESH:D002", 1.0), ("MESH:D001", 1.0)]
    found = accuracies([GoldDocument("bc5cdr", gold)], [tied, [("MESH:D004", 0.5)], []], kb)
    assert found["bc5cdr"]["accuracy_at_1"] == round(1 / 3, 4)


def test_growth_builds_links_and_leaves_nothing_behind(
    tmp_path: Path, gold: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    real = ["heart attack", "bleeding", "renal failure of the old"]
    documents = written([bare(gold)], tmp_path)
    stages = list[str]()
    points = measure_growth(
        real,
        documents,
        sizes=(2, 50),
        model=None,
        threads=1,
        progress=lambda what, _: stages.append(what),
    )
    small, large = points
    assert (small.speed.kb_names, large.speed.kb_names) == (2, 50)
    assert large.speed.disk_megabytes > 0
    assert large.build_seconds > 0
    assert stages == ["2 names", "50 names"]
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize(("text", "wanted"), [("", ()), ("100, 10", (10, 100)), ("5,5", (5,))])
def test_sizes_are_read_in_ascending_order(text: str, wanted: tuple[int, ...]) -> None:
    assert parse_sizes(text) == wanted


@pytest.mark.parametrize("text", ["10k", "0", "-5", "1.5"])
def test_sizes_that_are_no_sizes_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="size"):
        parse_sizes(text)


def test_names_come_from_the_file_without_blank_lines(tmp_path: Path) -> None:
    path = tmp_path / "names.txt"
    path.write_text("renal failure\r\n\n  gout \n", encoding="utf-8")
    assert read_names(Plan(tmp_path, [], names=path)) == ["renal failure", "gout"]
    path.write_text("\n\n", encoding="utf-8")
    with pytest.raises(InputError, match="holds no names"):
        read_names(Plan(tmp_path, [], names=path))


def linking_row(speed: float) -> dict[str, Any]:
    accuracy = {"accuracy_at_1": 0.5, "low": 0.4, "high": 0.6, "mentions": 10}
    return {"mentions_per_second": speed, "rounds": 5, "strict": {"ncbi-disease": accuracy}}


def measured() -> dict[str, Any]:
    point = {
        "kb": "mesh",
        "kb_names": 1000,
        "disk_megabytes": 1.0,
        "documents": 2,
        "mentions": 3,
        "p50_milliseconds": 1.0,
        "p99_milliseconds": 2.0,
        "load_milliseconds": 3.0,
        "resident_megabytes": 50.0,
        "private_megabytes": 20.0,
        "peak_megabytes": 60.0,
        "nearest_per_second": 600.0,
        **linking_row(400.0),
    }
    grown = point | {"build_seconds": 0.5, "build_peak_megabytes": 90.0}
    peer = {
        "version": "0.6.2",
        "names": 900,
        "build_seconds": 390.0,
        "resident_megabytes": None,
        "settings": [{"breadth": 20, **linking_row(200.0)}],
    }
    encoders = [
        {"encoder": "ours", "names": 9, "names_per_second": 320.0, "rounds": 5, "batch": None},
        {"encoder": "bert", "names": 4, "names_per_second": 20.0, "rounds": 2, "batch": 16},
    ]
    data: dict[str, Any] = {
        "threads": 2,
        "encoding": {"names": 9, "rows": encoders},
        "linking": {
            "corpora": ["ncbi-disease", "bc5cdr"],
            "split": "dev",
            "ours": point | {"strict_of_nearest": point["strict"]},
            "scispacy": peer,
        },
        "own": [point | {"start_milliseconds": 400.0}],
        "growth": [grown, grown | {"kb_names": 10_000, "rounds": 1}],
    }
    return data | {"ratios": ratios(data)}


def test_ratios_say_how_many_times_as_fast_ours_is() -> None:
    assert measured()["ratios"] == {
        "encoding, over bert": 16.0,
        "candidates alone, over scispaCy with efSearch 20": 3.0,
        "linking, over scispaCy with efSearch 20": 2.0,
    }
    alone = measured()
    del alone["encoding"]
    alone["linking"]["scispacy"] = None
    assert ratios(alone) == {}


def test_the_page_starts_with_the_ratios_and_marks_what_was_repeated_less() -> None:
    page = render_names(measured())
    assert page.index("**16.0×**") < page.index("## Encoding names") < page.index("## Growth")
    assert "| bert | 20 (2) |" in page
    assert "| ours | 320 |" in page
    assert "| ours, the dense index alone | 600 |" in page
    rows = [line for line in page.splitlines() if line.startswith("| ours, the")]
    assert [line.count("|") for line in rows] == [7, 7]


def test_the_plot_has_four_labelled_panels_of_all_points() -> None:
    root = ElementTree.fromstring(draw_growth(measured()))
    names = {"svg": "http://www.w3.org/2000/svg"}
    assert len(root.findall("svg:g", names)) == 4
    assert len(root.findall(".//svg:circle", names)) == 8
    words = {text.text for text in root.findall(".//svg:text", names)}
    assert {"names", "mentions a second", "Memory after linking", "1k", "10k"} <= words


positive = st.floats(1e-4, 1e9)


@given(st.lists(st.tuples(positive, positive), min_size=1, max_size=6))
def test_every_point_lies_within_its_panel(points: list[tuple[float, float]]) -> None:
    drawn = draw_panels([Panel("a & b", "x", "<y>", tuple(sorted(points)))])
    root = ElementTree.fromstring(drawn)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    circles = root.findall(".//{http://www.w3.org/2000/svg}circle")
    assert len(circles) == len(points)
    for circle in circles:
        assert 0 < float(circle.attrib["cx"]) < width
        assert 0 < float(circle.attrib["cy"]) < height


@pytest.mark.parametrize("points", [(), ((1.0, 0.0),), ((-1.0, 2.0),)])
def test_a_log_plot_refuses_what_it_cannot_show(points: tuple[tuple[float, float], ...]) -> None:
    with pytest.raises(InvalidValueError, match="above 0"):
        Panel("t", "x", "y", points)

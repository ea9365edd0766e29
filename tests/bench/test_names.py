"""What the speed benchmark of names counts and says; how fast anything is, is not tested."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.bench.encoding_speed import Bert, sample_by_length
from holdfast.bench.gold_documents import GoldDocument, write_bare
from holdfast.bench.linking_speed import LinkingJob, bare, measure_linking, measure_start
from holdfast.bench.names import Plan, accuracies, ratios, read_names
from holdfast.bench.processes import Memory, confined, repeat, run_job
from holdfast.document import Document, Mention
from holdfast.errors import HoldfastError, InputError, UsageError
from results.measured import names_speed
from small_kb import make_kb

TEXT = "Heart attack (HA) and bleeding; HA."


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


def test_rounds_stop_when_patience_ends_but_one_is_always_names_speed() -> None:
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


ALLOCATE = """
import json
import numpy as np
from holdfast.bench.processes import read_memory

found = [read_memory()]
held = np.ones(8_000_000)  # 64 MB
found.append(read_memory())
del held
found.append(read_memory())
print(json.dumps([[m.resident, m.private, m.peak] for m in found]))
"""


@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="this system tells the peak only"
)
def test_memory_grows_by_what_is_allocated_and_the_peak_remembers_it() -> None:
    """In a process of its own: here, what earlier tests held would be the peak."""
    done = subprocess.run([sys.executable, "-c", ALLOCATE], capture_output=True, check=True)
    before, during, after = (Memory(*figures) for figures in json.loads(done.stdout))
    for memory in (before, during, after):
        assert 0 < memory.private <= memory.resident <= memory.peak + 1
    assert 60 < during.resident - before.resident < 80
    assert 60 < during.private - before.private < 80
    assert during.peak - before.peak > 40
    assert during.resident - after.resident > 60
    assert after.peak > during.peak - 1  # the system counts pages in batches


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
    documents = tmp_path / "documents.jsonl"
    write_bare([gold], documents)
    job = LinkingJob(kb.folder, documents)
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


def test_names_come_from_the_file_without_blank_lines(tmp_path: Path) -> None:
    path = tmp_path / "names.txt"
    path.write_text("renal failure\r\n\n  gout \n", encoding="utf-8")
    assert read_names(Plan(tmp_path, [], names=path)) == ["renal failure", "gout"]
    path.write_text("\n\n", encoding="utf-8")
    with pytest.raises(InputError, match="holds no names"):
        read_names(Plan(tmp_path, [], names=path))


def test_ratios_say_how_many_times_as_fast_ours_is() -> None:
    assert names_speed()["ratios"] == {
        "encoding, over bert": 16.0,
        "candidates alone, over scispaCy with efSearch 20": 3.0,
        "candidates alone, equal strings anew, over scispaCy with efSearch 20": 1.5,
        "linking, over scispaCy with efSearch 20": 2.0,
    }
    alone = names_speed()
    del alone["encoding"]
    alone["linking"]["scispacy"] = None
    assert ratios(alone) == {}

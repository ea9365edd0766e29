"""Building appears whole or not at all, and says what it did."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from holdfast.errors import FormatError, KnowledgeBaseError
from holdfast.kb import (
    Addition,
    Entity,
    Entry,
    KnowledgeBase,
    Record,
    Source,
    build,
    build_kb,
    open_kb,
    store,
    tables,
)
from holdfast.kb.describe import describe, search
from small_kb import DISEASES, MESH, make_kb


def test_sources_without_an_entity_are_an_error_and_leave_nothing(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeBaseError, match="'k': its sources hold no entity"):
        build_kb(tmp_path / "kb", name="k", parts=[(Source("s"), [Addition("X:1", ("a",))])])
    assert list(tmp_path.iterdir()) == []


def test_a_bad_record_leaves_the_old_knowledge_base(tmp_path: Path) -> None:
    def records() -> Iterator[Record]:
        yield Entry("X:1", "a")
        raise FormatError("broken", path="some.file", line=7)

    digest = make_kb(tmp_path / "kb").manifest.digest
    with pytest.raises(FormatError, match=r"some\.file, line 7: broken"):
        build_kb(tmp_path / "kb", name="k", parts=[(Source("s"), records())])
    assert open_kb(tmp_path / "kb").manifest.digest == digest
    assert [path.name for path in tmp_path.iterdir()] == ["kb"]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(28, "No space left on device"), "the disk is full"),
        (OSError("1150071 requested and 582624 written"), "the disk is full"),  # numpy's way
        (OSError(5, "Input/output error"), "Input/output error"),
    ],
)
def test_a_failing_disk_is_one_line_that_names_the_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: OSError, said: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("numpy.save", fail)
    with pytest.raises(KnowledgeBaseError) as caught:
        make_kb(tmp_path / "kb")
    assert f"{said}; nothing was changed" in str(caught.value)
    assert str(tmp_path / "kb") in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_progress_never_runs_backwards_and_ends_at_one(tmp_path: Path) -> None:
    seen: list[tuple[str, float]] = []
    build_kb(
        tmp_path / "kb",
        name="k",
        parts=[(MESH, DISEASES)],
        progress=lambda what, done: seen.append((what, done)),
    )
    shares = [done for _, done in seen]
    assert shares == sorted(shares)
    assert seen[-1] == ("done", 1.0)
    assert any("MeSH" in what for what, _ in seen)


def test_progress_of_reading_goes_from_source_to_source(tmp_path: Path) -> None:
    def reading(*, is_known: bool) -> list[float]:
        """What is told when each of four sources begins, whether their number is known or not."""
        told = list[tuple[str, float]]()
        parts = [(Source(f"s{n}"), [Entry(f"X:{n}", "a")]) for n in range(4)]
        build_kb(
            tmp_path / "kb",
            name="k",
            parts=parts if is_known else (part for part in parts),
            progress=lambda what, done: told.append((what, done)),
        )
        assert [what.partition(":")[0] for what, _ in told[:4]] == [
            f"reading s{n}" for n in range(4)
        ]
        done = [part for _, part in told]
        assert done == sorted(done)
        return done[:4]

    known = reading(is_known=True)
    assert known[0] == 0
    steps = [after - before for before, after in pairwise(known)]
    assert steps == pytest.approx([steps[0]] * 3)
    assert 0 < known[3] < 1
    assert reading(is_known=False)[0] == 0


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_records_that_come_in_many_pieces_make_the_same_files(
    tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = make_kb(tmp_path / "whole")
    names = list(whole.all_names())
    monkeypatch.setattr(tables, "_ROWS_IN_MEMORY", size)
    monkeypatch.setattr(build, "_REPORT_EVERY", size)
    monkeypatch.setattr(store, "_BATCH", size)
    in_pieces = make_kb(tmp_path / "pieces")
    assert in_pieces.manifest.files == whole.manifest.files
    assert list(in_pieces.all_names()) == names
    assert len(names) == whole.names == sum(1 + len(e.synonyms) for e in every_entity(whole))


def every_entity(kb: KnowledgeBase) -> list[Entity]:
    return [kb.entity_at(row) for row in range(len(kb))]


def test_everyone_who_enters_is_told_with_its_row(tmp_path: Path) -> None:
    told: list[tuple[int, str]] = []
    records: list[Record] = [
        Entry("X:1", " a "),
        Addition("X:1", synonyms=("b", " ", "c ")),
        Entry("X:2", "d"),
        Entry("X:1", "e"),
        Addition("X:3", synonyms=("lost",)),
    ]
    summary = build_kb(
        tmp_path / "kb",
        name="k",
        parts=[(Source("s"), records)],
        entered=lambda row, entry: told.append((row, entry.name)),
    )
    assert told == [(0, " a "), (1, "d"), (0, "e")]
    assert (summary.entities, summary.names, summary.dropped) == (2, 5, 1)
    assert KnowledgeBase(tmp_path / "kb").names_of(0) == ["a", "b", "c", "e"]


def test_two_builds_of_the_same_records_are_the_same_files(tmp_path: Path) -> None:
    assert make_kb(tmp_path / "a").manifest.digest == make_kb(tmp_path / "b").manifest.digest


def test_a_description_counts_entities_by_source_and_type(tmp_path: Path) -> None:
    described = describe(make_kb(tmp_path / "kb"))
    assert [(source.name, count) for source, count in described.sources] == [
        ("MeSH", 6),
        ("HGNC", 2),
        ("MONDO", 2),
    ]
    assert dict(described.types) == {"Disease": 6, "Chemical": 2, "Gene": 2}
    assert described.to_json()["sources"][0]["licence"] == "NLM terms"


def test_search_finds_by_id_then_exactly_then_alike_each_entity_once(tmp_path: Path) -> None:
    kb = make_kb(tmp_path / "kb")
    assert search(kb, "MESH:D004")[0].entity.name == "Haemorrhage"
    found = search(kb, "heart attack")
    assert [item.entity.id for item in found[:2]] == ["MESH:D002", "MONDO:0002"]
    assert len({item.entity.id for item in found}) == len(found)
    assert [item.score for item in found] == sorted((f.score for f in found), reverse=True)
    assert search(kb, "myocardal infraction")[0].entity.id in ("MESH:D002", "MONDO:0002")
    assert search(kb, "zzzzqqqq") == []
    assert len(search(kb, "heart", top=1)) == 1

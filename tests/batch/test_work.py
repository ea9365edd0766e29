"""One shard: what is kept of it, and of processes that died at it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn

import pytest

from batch_jobs import documents, write_jsonl
from holdfast import artifacts
from holdfast.batch import folder
from holdfast.batch.inputs import find_sources
from holdfast.batch.places import LocalPlace
from holdfast.batch.plan import Shard
from holdfast.batch.settings import Linking, model_digests
from holdfast.batch.state import Finished, finished_shard, keep
from holdfast.batch.tally import ShardTally
from holdfast.batch.work import BatchJob, Worker
from holdfast.document import Document
from holdfast.errors import UsageError


class HungryPipeline:
    """Links nothing, and needs too much memory for some documents."""

    def __call__(self, document: Document) -> Document:
        if "hungry" in document.text:
            raise MemoryError
        return document

    def pipe(self, listed: Iterable[Document]) -> Iterator[Document]:
        return map(self, listed)


def shard_of(path: Path, records: int) -> Shard:
    (source,) = find_sources([str(path)], format=None, documents_per_shard=records).sources
    return Shard(source, 0, 0, records)


class PartialPipeline:
    """Links nothing, and fails at some documents."""

    def __call__(self, document: Document) -> Document:
        if "bad" in document.text:
            raise ValueError("no such thing")
        return document

    def pipe(self, listed: Iterable[Document]) -> Iterator[Document]:
        return map(self, listed)


@pytest.mark.parametrize(("good", "bad"), [(0, 1), (0, 2), (3, 30)])
def test_documents_that_cannot_be_linked_go_to_the_quarantine(
    tmp_path: Path, good: int, bad: int
) -> None:
    listed = [*documents(good, "d"), *(Document(f"b{n}", "A bad one.") for n in range(bad))]
    shard = shard_of(write_jsonl(tmp_path / "docs.jsonl", listed), len(listed))
    worker = Worker(BatchJob(Linking(kb="none"), "jsonl", strict=False, out=str(tmp_path / "out")))
    vars(worker)["_pipeline"] = PartialPipeline()
    finished = worker.annotate(shard)
    assert [one.id for one in finished.quarantined] == [f"b{n}" for n in range(bad)]
    assert finished.tally.documents == good


def test_if_none_of_many_can_be_linked_it_is_no_fault_of_theirs(tmp_path: Path) -> None:
    listed = [Document(f"b{n}", "A bad one.") for n in range(20)]
    shard = shard_of(write_jsonl(tmp_path / "docs.jsonl", listed), len(listed))
    worker = Worker(BatchJob(Linking(kb="none"), "jsonl", strict=False, out=str(tmp_path / "out")))
    vars(worker)["_pipeline"] = PartialPipeline()
    with pytest.raises(ValueError, match="no such thing"):
        worker.annotate(shard)


def test_a_document_that_needs_too_much_memory_goes_to_the_quarantine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each death is that of a process; the next one knows of it from the folder alone."""

    def die(code: int) -> NoReturn:
        raise SystemExit(code)

    monkeypatch.setattr(os, "_exit", die)
    listed = [*documents(3, "d"), Document("h", "A hungry document.")]
    shard = shard_of(write_jsonl(tmp_path / "docs.jsonl", listed), len(listed))
    job = BatchJob(Linking(kb="none"), "jsonl", strict=False, out=str(tmp_path / "out"))
    deaths, finished = 0, None
    while finished is None and deaths < 8:
        worker = Worker(job)
        vars(worker)["_pipeline"] = HungryPipeline()
        try:
            finished = worker.annotate(shard)
        except SystemExit:
            deaths += 1
    assert finished is not None
    assert [one.id for one in finished.quarantined] == ["h"]
    assert finished.tally.documents == 3
    assert deaths == 2
    assert not list((tmp_path / "out/.state").glob("*.attempts"))


@pytest.mark.parametrize("damage", [b"", b"{}", b"\x1f\x8b"])
def test_a_damaged_state_means_that_its_shard_is_done_again(tmp_path: Path, damage: bytes) -> None:
    shard = shard_of(write_jsonl(tmp_path / "docs.jsonl", documents(1, "d")), 1)
    place = LocalPlace(tmp_path / "out")
    sha256 = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"  # of b"x"
    keep(place, Finished(shard.name, "shards/x", 1, sha256, ShardTally(), (), 0.5), b"x")
    assert finished_shard(place, shard) is not None
    state = tmp_path / f"out/.state/{shard.name}.json.gz"
    content = state.read_bytes()
    state.write_bytes(damage)
    assert finished_shard(place, shard) is None
    state.write_bytes(content[:10] + b"\xff" * 10 + content[20:])  # no deflated data
    assert finished_shard(place, shard) is None


def test_every_model_that_a_part_names_is_known_by_its_digest(tmp_path: Path) -> None:
    """A part's encoder, the linkers that it joins, and what these name in turn."""
    configs: dict[str, dict[str, object]] = {
        "whole": {"parts": ["finder", "both"]},
        "finder": {"encoder": "a-transformer-of-no-folder"},
        "both": {"linkers": ["ranker", "reader"]},
        "ranker": {"encoder": {"model": "vectors", "digest": "…"}},
        "reader": {"names_model": "more-names"},
        "vectors": {},
        "more-names": {},
    }
    for name, config in configs.items():
        (tmp_path / name).mkdir()
        kind = "pipeline" if name == "whole" else "part"
        artifacts.write_manifest(tmp_path / name, kind=kind, version=1, config=config)
    before = model_digests(str(tmp_path / "whole"))
    assert list(before) == ["finder", "both", "ranker", "vectors", "reader", "more-names"]
    artifacts.write_manifest(tmp_path / "more-names", kind="part", version=1, config={"width": 2})
    after = model_digests(str(tmp_path / "whole"))
    assert {name for name in after if after[name] != before[name]} == {"more-names"}


def test_models_of_one_name_in_two_folders_are_two(tmp_path: Path) -> None:
    for number in (1, 2):
        place = tmp_path / str(number) / "linker"
        place.mkdir(parents=True)
        artifacts.write_manifest(place, kind="part", version=1, config={"number": number})
    (tmp_path / "whole").mkdir()
    parts = [str(tmp_path / str(number) / "linker") for number in (1, 2)]
    artifacts.write_manifest(
        tmp_path / "whole", kind="pipeline", version=1, config={"parts": parts}
    )
    digests = model_digests(str(tmp_path / "whole"))
    assert len(set(digests.values())) == len(digests) == 2


def test_a_lock_that_its_owner_removed_meanwhile_locks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The owner ends between the moments when the other opens the file and locks it."""
    place = LocalPlace(tmp_path / "out")

    def lock(stream: SimpleNamespace) -> bool:
        Path(stream.name).unlink()
        return True

    monkeypatch.setattr(folder, "_lock", lock)
    with pytest.raises(UsageError, match="another process"), folder.locked(place, "manifest.json"):
        pass

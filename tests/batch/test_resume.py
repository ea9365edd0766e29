"""A job goes on only if nothing changed, and says what did."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from batch_jobs import MODEL, call_inline, documents, output, write_jsonl
from holdfast.batch import run
from small_kb import DISEASES, MESH, make_kb

Done = subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `kb`, `docs.jsonl`, `rules.toml`, and the job `out` that is done."""
    folder = tmp_path_factory.mktemp("resume")
    make_kb(folder / "kb")
    write_jsonl(folder / "docs.jsonl", documents(10, "d"))
    (folder / "rules.toml").write_text('block = ["TNF"]\n', encoding="utf-8")
    done = annotate(folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def place(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "place"))


def annotate(place: Path, *extra: str | Path) -> Done:
    words: list[str | Path] = ["annotate", place / "docs.jsonl", "--out", place / "out"]
    words += ["--kb", place / "kb", *MODEL, "--rules", place / "rules.toml", "--shard-size", "4"]
    return call_inline(*words, "--workers", "1", *extra)


def refused(place: Path, *extra: str | Path) -> str:
    """The message of a resume that is refused, and leaves everything as it was."""
    before = output(place / "out")
    done = annotate(place, "--resume", *extra)
    assert done.returncode == 2, done.stderr
    assert output(place / "out") == before
    return done.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (["--top", "3"], "--top was 5, is 3"),
        (["--only", "disease"], "--only was none"),
        (["--shard-size", "5"], "--shard-size was 4, is 5"),
        (["--format", "jsonl"], "--format was parquet, is jsonl"),
        (["--model", "dictionary"], "model"),
    ],
)
def test_another_option_is_refused_and_named(place: Path, extra: list[str], message: str) -> None:
    assert message in refused(place, *extra)


def test_another_knowledge_base_is_refused(place: Path) -> None:
    shutil.rmtree(place / "kb")
    make_kb(place / "kb", (MESH, DISEASES))
    assert "knowledge base digest was" in refused(place)


def test_other_rules_are_refused(place: Path) -> None:
    (place / "rules.toml").write_text('block = ["bleeding"]\n', encoding="utf-8")
    assert "--rules was" in refused(place)


def test_another_input_is_refused(place: Path) -> None:
    path = place / "docs.jsonl"
    before = path.read_text("utf-8")
    for patient in ("1", "1000"):  # of the same size, and larger
        path.write_text(before.replace("patient 0", f"patient {patient}"), encoding="utf-8")
        assert "the content of the input docs.jsonl" in refused(place)


def test_a_further_input_is_refused(place: Path) -> None:
    more = write_jsonl(place / "more.jsonl", documents(2, "m"))
    assert "inputs number was 1, is 2" in refused(place, more)


def test_what_is_missing_or_damaged_is_done_again(place: Path) -> None:
    before = output(place / "out")
    shards = sorted((place / "out/shards").iterdir())
    shards[0].unlink()
    shards[1].write_bytes(b"damaged")
    done = annotate(place, "--resume", "--json")
    assert done.returncode == 0, done.stderr
    assert '"documents_this_run": 8' in done.stdout
    assert output(place / "out") == before


def test_what_is_known_of_killed_workers_is_forgotten(place: Path) -> None:
    """Also of a shard that is done: its worker was killed between its last two steps."""
    before = output(place / "out")
    (place / "out/.state/00000-docs-0001.attempts").write_text("{}", encoding="utf-8")
    done = annotate(place, "--resume", "--json")
    assert done.returncode == 0, done.stderr
    assert '"documents_this_run": 0' in done.stdout
    assert output(place / "out") == before


def test_a_damaged_manifest_is_one_line(place: Path) -> None:
    path = place / "out/manifest.json"
    path.write_text(path.read_text("utf-8").replace('"--top": 5', '"--top": 3'), encoding="utf-8")
    done = annotate(place, "--resume")
    assert (done.returncode, "damaged" in done.stderr) == (1, True)


def test_a_job_that_began_in_the_folder_meanwhile_is_not_overwritten(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While this one prepared the knowledge base, another one finished with other options."""
    kept = shutil.move(place / "out", place / "kept")

    def prepare(*_: object, **__: object) -> None:
        shutil.copytree(kept, place / "out", dirs_exist_ok=True)

    monkeypatch.setattr(run, "prepare_kb", prepare)
    done = annotate(place, "--top", "3")
    assert done.returncode == 2
    assert "already holds this job" in done.stderr
    assert output(place / "out") == output(Path(kept))
    shutil.rmtree(place / "out")
    resumed = annotate(place, "--top", "3", "--resume")
    assert resumed.returncode == 2
    assert "--top was 5, is 3" in resumed.stderr
    assert output(place / "out") == output(Path(kept))

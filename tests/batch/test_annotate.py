"""`holdfast annotate`: what goes in comes out linked, whatever the format, workers and shares."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import holdfast
from batch_jobs import MODEL, REPORTS, call_inline, documents, make_inputs, output, write_jsonl
from command import call
from holdfast.batch.inputs import InputFile, InputSource
from holdfast.batch.mention_rows import mention_schema
from holdfast.batch.plan import MeasuredSource, Share, shards_of_share, sources_of_share
from holdfast.corpora import read_documents
from holdfast.document import Document
from small_kb import make_kb

SIZE = ("--shard-size", "4")
Done = subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a knowledge base `kb`, inputs in `in`, and what becomes of them in `jsonl`."""
    folder = tmp_path_factory.mktemp("annotate")
    make_kb(folder / "kb")
    inputs = make_inputs(folder / "in")
    done = call(*command(folder, *inputs, out="jsonl"), "--format", "jsonl", "--workers", "2")
    assert done.returncode == 0, done.stderr
    return folder


def command(place: Path, *inputs: Path, out: str) -> list[str | Path]:
    return ["annotate", *inputs, "--out", place / out, "--kb", place / "kb", *MODEL, *SIZE]


def annotate(place: Path, *inputs: Path, out: str, extra: list[str | Path] | None = None) -> Done:
    return call_inline(*command(place, *inputs, out=out), *(extra or []))


def inputs_of(place: Path) -> list[Path]:
    listed = ("pubmed.xml.gz", "a.pubtator", "b.bioc.json", "c.jsonl", "d.parquet", "texts")
    return [place / "in" / name for name in listed]


def test_every_document_comes_out_linked_in_order_whatever_its_format(place: Path) -> None:
    read = [d for path in inputs_of(place) for d in read_documents(path)]
    bare = [Document(d.id, d.text, d.passages, metadata=d.metadata) for d in read]
    expected = list(holdfast.load(place / "kb", model="names").pipe(bare))
    shards = sorted((place / "jsonl/shards").iterdir())
    assert [d for shard in shards for d in read_documents(shard)] == expected
    assert {d.id for d in expected} >= {"100", "200", "b0", "c0", "d0", "t0", "inner/t1"}


def test_a_file_is_cut_into_shards_and_texts_are_gathered(place: Path) -> None:
    names = [path.name for path in sorted((place / "jsonl/shards").iterdir())]
    assert names[:3] == [f"00000-pubmed-000{i}.jsonl" for i in range(3)]
    assert names[-2:] == ["00005-texts-0000.jsonl", "00006-t4-0000.jsonl"]


def test_two_workers_give_what_one_process_gives(place: Path) -> None:
    done = annotate(place, *inputs_of(place), out="alone", extra=["--format", "jsonl"])
    assert done.returncode == 0, done.stderr
    assert output(place / "alone") == output(place / "jsonl")


def test_shares_are_parts_of_the_whole_and_a_last_run_gathers_them(place: Path) -> None:
    extra: list[str | Path] = ["--format", "jsonl", "--workers", "1"]
    for share in ("1/2", "2/2"):
        done = annotate(place, *inputs_of(place), out="shares", extra=[*extra, "--shard", share])
        assert done.returncode == 0, done.stderr
        page = place / f"shares/report-{share[0]}-of-2.html"
        assert f"report: {page}" in done.stderr
        assert page.exists()
    halves = [
        json.loads((place / f"shares/report-{i}-of-2.json").read_text("utf-8")) for i in (1, 2)
    ]
    whole = json.loads((place / "jsonl/report.json").read_text("utf-8"))
    assert all(half["shards"] for half in halves)
    for key in ("documents", "mentions", "shards"):
        assert sum(half[key] for half in halves) == whole[key]
    done = annotate(place, *inputs_of(place), out="shares", extra=[*extra, "--resume"])
    assert done.returncode == 0, done.stderr
    gathered = {k: v for k, v in output(place / "shares").items() if "-of-2" not in k}
    assert gathered == output(place / "jsonl")
    assert (
        json.loads((place / "shares/report.json").read_text("utf-8"))["timing"][
            "documents_this_run"
        ]
        == 0
    )


@given(
    files=st.lists(st.tuples(st.integers(1, 10**9), st.integers(0, 60)), min_size=1, max_size=8),
    parts=st.integers(1, 9),
    size=st.integers(1, 20),
)
def test_every_record_is_in_one_share(files: list[tuple[int, int]], parts: int, size: int) -> None:
    sizes, records = [bytes for bytes, _ in files], [count for _, count in files]
    sources = [
        InputSource(i, (InputFile(f"/{i}", str(i), "jsonl", bytes),))
        for i, bytes in enumerate(sizes)
    ]
    found = []
    for part in range(1, parts + 1):
        share = Share(part, parts)
        measured = [
            MeasuredSource(s, "", records[s.number]) for s in sources_of_share(sources, share)
        ]
        found += shards_of_share(sources, measured, share, size=size)
    places = sorted((s.source.number, r) for s in found for r in range(s.start, s.stop))
    assert places == [(i, r) for i in range(len(sizes)) for r in range(records[i])]
    assert len({shard.name for shard in found}) == len(found)
    assert all(shard.records <= size for shard in found)


@pytest.fixture(scope="module")
def rows(place: Path) -> Path:
    """A job with Parquet as its output."""
    job = annotate(place, place / "in/c.jsonl", out="rows")
    assert job.returncode == 0, job.stderr
    return place / "rows"


def test_parquet_has_one_row_for_each_mention_in_the_documented_columns(
    place: Path, rows: Path
) -> None:
    (first, _) = sorted((rows / "shards").iterdir())
    table = pq.read_table(first)
    assert table.schema.equals(mention_schema())
    linked = list(read_documents(place / "jsonl/shards/00003-c-0000.jsonl"))
    assert table.num_rows == sum(len(d.mentions) for d in linked)
    row, mention = table.to_pylist()[0], linked[0].mentions[0]
    best = mention.best
    assert best is not None
    assert row["document_id"] == "c0"
    assert (row["start"], row["end"]) == (mention.start, mention.end)
    assert row["text"] == linked[0].text_of(mention) == "heart attack"
    assert row["passage"] == "title"
    assert (row["entity_id"], row["vocabulary"], row["is_nil"]) == ("MESH:D002", "MESH", False)
    assert (row["label"], row["score"]) == (best.label, best.score)
    assert [c["entity_id"] for c in row["candidates"]] == [c.entity_id for c in mention.candidates]
    assert row["evidence"][0]["kind"] == best.evidence[0].kind
    page = (Path(__file__).parents[2] / "docs/batch.md").read_text("utf-8")
    for column in table.schema.names:
        assert f"`{column}`" in page


def test_duckdb_reads_a_whole_job(rows: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    found = duckdb.sql(
        "SELECT entity_id, any_value(label), count(*) AS mentions, sum(len(candidates)) "
        f"FROM '{rows}/shards/*.parquet' WHERE NOT is_nil "
        "GROUP BY entity_id ORDER BY mentions DESC, entity_id LIMIT 1"
    ).fetchall()
    report = json.loads((rows / "report.json").read_text("utf-8"))
    top = report["top_concepts"][0]
    assert found[0][:3] == (top["id"], top["label"], top["mentions"])


def test_polars_reads_a_whole_job(rows: Path) -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    table = polars.read_parquet(f"{rows}/shards/*.parquet")
    report = json.loads((rows / "report.json").read_text("utf-8"))
    assert table.height == report["mentions"]
    counts = dict(table.group_by("vocabulary").len().iter_rows())
    assert counts == report["vocabularies"]


@pytest.mark.parametrize(
    ("format", "ending", "reader"),
    [("pubtator", ".pubtator", "pubtator"), ("bioc", ".bioc.json", "bioc-json")],
)
def test_other_formats_hold_the_same_links(
    place: Path, format: str, ending: str, reader: str
) -> None:
    out = f"as-{format}"
    done = annotate(place, place / "in/c.jsonl", out=out, extra=["--format", format])
    assert done.returncode == 0, done.stderr
    shards = sorted((place / out / "shards").iterdir())
    assert all(path.name.endswith(ending) for path in shards)
    found = [d for path in shards for d in read_documents(path, format=reader)]
    expected = [
        d for path in sorted((place / "jsonl/shards").glob("00003-*")) for d in read_documents(path)
    ]
    assert [[(m.spans, m.ids) for m in d.mentions] for d in found] == [
        [(m.spans, m.ids) for m in d.mentions] for d in expected
    ]


def test_broken_documents_go_to_the_quarantine_and_the_exit_code_says_so(place: Path) -> None:
    half = Document("half", "A heart attack \ud800.")
    fine = documents(3, "f")
    path = write_jsonl(place / "broken.jsonl", [fine[0], "{broken", half, *fine[1:]])
    cut = place / "cut.xml.gz"
    cut.write_bytes((place / "in/pubmed.xml.gz").read_bytes()[:-30])
    done = annotate(place, path, cut, out="broken", extra=["--json"])
    assert done.returncode == 3
    report = json.loads(done.stdout)
    lines = (place / "broken/quarantine.jsonl").read_text("utf-8").splitlines()
    quarantined = [json.loads(line) for line in lines]
    assert report["quarantined"] == len(quarantined) == 3
    assert [(q["source"], q["record"]) for q in quarantined[:2]] == [
        ("broken.jsonl", 2),
        ("broken.jsonl", 3),
    ]
    assert quarantined[0]["reason"].startswith("broken.jsonl, line 2: not JSON")
    assert "U+D800" in quarantined[1]["reason"]
    assert (quarantined[1]["id"], quarantined[1]["text"]) == ("half", half.text)
    assert quarantined[2]["source"] == "cut.xml.gz"
    assert "gzip" in quarantined[2]["reason"]
    assert report["documents"] >= len(fine)


def test_strict_stops_at_what_is_broken(place: Path) -> None:
    path = write_jsonl(place / "strict.jsonl", ["{broken"])
    done = annotate(place, path, out="strict", extra=["--strict"])
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("holdfast: ")
    assert "strict.jsonl, line 1" in done.stderr
    assert done.stderr.endswith("; without --strict it goes to the quarantine\n")
    assert "--lenient" not in done.stderr


def test_the_report_counts_what_is_in_the_output(place: Path) -> None:
    report = json.loads((place / "jsonl/report.json").read_text("utf-8"))
    shards = sorted((place / "jsonl/shards").iterdir())
    found = [d for path in shards for d in read_documents(path)]
    mentions = [m for d in found for m in d.mentions]
    assert report["documents"] == len(found)
    assert report["mentions"] == len(mentions)
    assert report["nil"] == sum(m.is_nil for m in mentions)
    assert report["types"]["Disease"] == sum(m.type == "Disease" for m in mentions)
    top = report["top_concepts"][0]
    assert top["mentions"] == sum(top["id"] in m.ids for m in mentions)
    assert top["label"] == "Interleukin-2"
    assert report["timing"]["documents_per_second"] > 0
    page = (place / "jsonl/report.html").read_text("utf-8")
    assert "Interleukin-2" in page
    assert "<script" not in page
    assert "http" not in page
    assert "src=" not in page


def test_reports_are_the_only_files_with_the_time(place: Path) -> None:
    visible = {p.name for p in (place / "jsonl").iterdir() if not p.name.startswith(".")}
    assert visible == {"shards", "manifest.json", "quarantine.jsonl", *REPORTS}


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (["--format", "xml"], "no output format is called 'xml'"),
        (["--engine", "dask"], "no engine is called 'dask'"),
        (["--shard", "0/3"], "--shard 0/3"),
        (["--shard", "three"], "--shard three"),
        (["--ray-address", "auto"], "--engine ray"),
        (["--only", "weather"], "no type is called 'weather'"),
        (["--map-to", "NOWHERE"], "NOWHERE"),
        (["--min-score", "7"], "from 0 to 1"),
    ],
)
def test_wrong_use_is_one_line(place: Path, extra: list[str | Path], message: str) -> None:
    done = annotate(place, place / "in/c.jsonl", out="never", extra=extra)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (place / "never").exists()


def test_a_missing_input_and_a_folder_of_something_else_are_refused(place: Path) -> None:
    done = annotate(place, place / "absent.jsonl", out="never")
    assert (done.returncode, "absent.jsonl: there is no such" in done.stderr) == (2, True)
    done = annotate(place, place / "in/c.jsonl", out="in")
    assert (done.returncode, "holds something else" in done.stderr) == (2, True)
    done = annotate(place, place / "in/texts", out="in/texts/inner/out")
    assert (done.returncode, "lies in the input folder" in done.stderr) == (2, True)
    assert not (place / "in/texts/inner/out").exists()


def test_a_folder_is_not_used_again_without_being_asked(place: Path) -> None:
    extra: list[str | Path] = ["--format", "jsonl"]
    done = annotate(place, *inputs_of(place), out="jsonl", extra=extra)
    assert (done.returncode, "--resume" in done.stderr) == (2, True)

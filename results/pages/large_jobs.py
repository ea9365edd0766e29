"""What `benchmarks/batch/bench.py` measured of large jobs, and what all of PubMed costs by that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pages.markdown import Result, markdown_table

PREFIX: Final = "bench-batch-"
_RECORDS: Final = 38_000_000  # of PubMed, in 2025
_MACHINES: Final = (1, 100)


def render_large_jobs(results: Mapping[str, Result]) -> str:
    """A page with a section for each of the four measurements that is there."""
    parts = ["# Large jobs"]
    for name, section in _SECTIONS.items():
        if measured := results.get(PREFIX + name):
            parts.append("\n".join(section(measured)))
    return "\n\n".join(parts) + "\n"


def cost_table(measured: Result) -> list[str]:
    """What all of PubMed takes, with the figures that it was calculated from."""
    timing, documents = measured["timing"], measured["documents"]
    workers = timing["workers"]
    is_whole = timing["documents_this_run"] == documents
    seconds = timing["wall_seconds"] if is_whole else timing["worker_seconds"] / workers
    how = "" if is_whole else " (the mean of the workers, without starting: it was interrupted)"
    per_second = documents / seconds
    megabytes = measured["output_bytes"] / 1e6
    gigabytes = megabytes / documents * _RECORDS / 1e3
    told = (
        f"Measured: {documents:,} records in {seconds:,.0f} s{how} with {workers} workers "
        f"(`--kb {measured['kb']} --model {measured['model']}`): {per_second:.1f} records/s of one "
        f"machine, {per_second / workers:.1f} of one core, {megabytes:,.0f} MB of output; "
        f"{_where(measured)}."
    )
    header = (f"machines of {workers} cores", f"{_RECORDS:,} records", "core-hours", "output")
    rows = []
    for machines in _MACHINES:
        hours = _RECORDS / per_second / machines / 3600
        division = f"{_RECORDS:,} / ({per_second:.1f} × {machines}) s"
        core_hours = f"{hours * machines * workers:,.0f}"
        row = (str(machines), f"{division} = {_time(hours)}", core_hours, f"{gigabytes:,.0f} GB")
        rows.append(row)
    caution = (
        "The row of many machines assumes that their speeds add up: they share nothing but the "
        "folder of the output. It was not measured on so many."
    )
    return [told, "", *markdown_table(header, rows), "", caution]


def _scaling(measured: Result) -> list[str]:
    rows = [
        (
            str(row["workers"]),
            f"{row['documents_per_second']:.1f}",
            f"{row['pss_mb']:,.0f}",
            f"{row['anonymous_of_a_worker_mb']:,.0f}",
        )
        for row in measured["rows"]
    ]
    header = ("workers of one thread", "documents/s", "MB in all", "MB of a worker's own")
    told = (
        f"A second worker gives **{measured['gain']:.2f}** times the documents a second and takes "
        f"{measured['more_mb']:,.0f} MB more; the output is "
        f"{'the same' if measured['same_output'] else '**not the same**'}. MB in all: memory that "
        f"processes share is counted once ({_job(measured)}; {_where(measured)})."
    )
    return ["## One worker and two", "", *markdown_table(header, rows), "", told]


def _kills(measured: Result) -> list[str]:
    moments = "; ".join(
        ", ".join(f"{seconds:.1f}" for seconds in job) for job in measured["seconds_before_each"]
    )
    same = measured["same_output"] and measured["same_counts"]
    done = [shards for job in measured.get("shards_done_at_each", []) for shards in job]
    reached = ""
    if done:
        numbers = ", ".join(map(str, done))
        reached = f" Of {measured['shards']} shards, {numbers} were done then."
    return [
        "## Killed",
        "",
        f"Jobs of {measured['documents']:,} documents were killed {measured['kills']} times by "
        f"kill -9, each so many seconds after it began or went on: {moments}.{reached} The output "
        f"is {'the same, byte for byte, as' if same else '**not the same as**'} that of a job that "
        f"was not killed ({_job(measured)}; {_where(measured)}).",
    ]


def _disk(measured: Result) -> list[str]:
    same = "the same, byte for byte, as" if measured["same_output"] else "**not the same as**"
    return [
        "## A full disk",
        "",
        f"A disk of {measured['disk_kb']:,} kB was full after {measured['shards_before']} of "
        f"{measured['shards']} shards: exit code {measured['exit_code']}, “{measured['message']}”. "
        f"On a larger disk `--resume` went on, and the output is {same} that of a job that had "
        f"room ({_job(measured)}; {_where(measured)}).",
    ]


def _medline(measured: Result) -> list[str]:
    counts = [
        ("records", measured["documents"]),
        ("… in quarantine", measured["quarantined"]),
        ("mentions", measured["mentions"]),
        ("… linked", measured["linked"]),
    ]
    rows = [(name, f"{count:,}") for name, count in counts]
    table = markdown_table(("two MEDLINE files", ""), [*rows, *_top(measured)])
    memory = f"{measured['pss_mb']:,.0f} MB of memory at most for all processes."
    return ["## Two MEDLINE files", "", *table, "", memory, "", *cost_table(measured)]


def _top(measured: Result) -> Iterator[tuple[str, str]]:
    for concept in measured["top_concepts"][:10]:
        yield f"{concept['label']} (`{concept['id']}`)", f"{concept['mentions']:,}"


_SECTIONS: Final = {"scaling": _scaling, "kills": _kills, "disk": _disk, "medline": _medline}


def _job(measured: Result) -> str:
    return (
        f"`--kb {measured['kb']} --model {measured['model']} --shard-size {measured['shard_size']}`"
    )


def _where(measured: Result) -> str:
    return f"{measured['machine']}, commit {measured['commit']}"


def _time(hours: float) -> str:
    return f"{hours:,.1f} hours" if hours < 48 else f"{hours / 24:,.1f} days"

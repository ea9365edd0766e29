"""Builds, indexes and links a synthetic knowledge base with the shape of UMLS.

    python benchmarks/umls_scale.py --data DIR [--scale 0.01] [--results results] [--until index]

The rules are in `holdfast.bench.umls_scale.synthetic`; the base is the knowledge base `open`, the
queries and mentions those of diseases and chemicals in the test documents of NCBI-disease and
BC5CDR, of which nothing but the words is read. Each stage (knowledge base, vectors, index, exact
search, recall, linking) is done once: a run that was interrupted goes on, within the vectors from
the last 65,536 names. `--until` stops behind a stage, so that each can have an hour of its own.
Working files, about 12 GB at scale 1, are in --folder until they are removed by hand.

Minutes to expect at scale 1 of two idle cores, from what a million names take: knowledge base 10,
vectors 15 to 22 (3.6 to 5.4 million names, at 4,000 to 5,600 a second), index 30 to 75 (the one
stage that starts anew when it is interrupted), exact search 2, recall 5, linking 4.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from holdfast import artifacts
from holdfast.bench.umls_scale.measure import ALL_STAGES, ScalePlan, bench_umls_scale
from holdfast.corpora.named import load_corpus
from holdfast.experiments.results import circumstances, write_result
from holdfast.io.progress import progress_bar
from holdfast.kb import open_kb


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure Holdfast at the scale of UMLS.")
    parser.add_argument("--data", type=Path, default=os.environ.get("HOLDFAST_DATA"))
    parser.add_argument("--base", default="open", help="the knowledge base that names come from")
    parser.add_argument("--scale", type=float, default=1.0, help="1 is the size of UMLS")
    parser.add_argument("--folder", type=Path, default=artifacts.home() / "umls-scale")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--until", choices=ALL_STAGES, default="", help="the last stage to do")
    parser.add_argument("--results", type=Path, help="also store the figures in this folder")
    arguments = parser.parse_args()
    if arguments.data is None:
        parser.error("--data must name the folder that holds corpora/, or HOLDFAST_DATA")
    corpora = [(name, "test") for name in ("ncbi-disease", "bc5cdr")]
    found = {d.id: d for corpus in corpora for d in load_corpus(*corpus, data=arguments.data)}
    plan = ScalePlan(
        open_kb(arguments.base),
        list(found.values()),
        arguments.scale,
        arguments.folder,
        threads=arguments.threads,
        until=arguments.until,
    )
    with progress_bar("umls scale") as progress:
        measured = bench_umls_scale(plan, progress=progress) | circumstances()
    if arguments.results is not None and not arguments.until:
        name = "bench-umls-scale" if arguments.scale == 1 else f"umls-scale-{arguments.scale:g}"
        print(write_result(measured, arguments.results, name), file=sys.stderr)
    print(json.dumps(measured, indent=2))


if __name__ == "__main__":
    main()

"""Does detection flood? Mentions in 1,000 words of abstracts and of plain English prose.

    python benchmarks/flood.py --data DIR --prose /usr/share/common-licenses --results results

The knowledge base `open` must be in the home folder. `--name` tells two checkouts apart: a row of
the same name is replaced.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from pathlib import Path

import holdfast
from holdfast.experiments.results import circumstances, write_result

ABSTRACTS = "text/elife/abstracts.jsonl.gz"
SEED = 13


def read_abstracts(data: Path, count: int) -> list[str]:
    """So many abstracts, drawn at random with a fixed seed."""
    with gzip.open(data / ABSTRACTS, "rt", encoding="utf-8") as stream:
        texts = [json.loads(line)["abstract"] for line in stream]
    return random.Random(SEED).sample([text for text in texts if text], count)


def density(texts: list[str]) -> float:
    """Mentions in 1,000 words, linked or not."""
    pipeline = holdfast.load("open", top=1)
    mentions = sum(len(document.mentions) for document in pipeline.pipe(texts))
    return round(1000 * mentions / sum(len(text.split()) for text in texts), 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--prose", type=Path, required=True, help="a folder of English texts")
    parser.add_argument("--name", default="now")
    parser.add_argument("--results", type=Path)
    arguments = parser.parse_args()
    prose = [path.read_text("utf-8", "replace") for path in sorted(arguments.prose.iterdir())]
    row = {
        "name": arguments.name,
        "abstracts": density(read_abstracts(arguments.data, 400)),
        "prose": density(prose),
        **circumstances(),
    }
    if arguments.results is not None:
        path = arguments.results / "flood.json"
        rows = json.loads(path.read_text("utf-8"))["rows"] if path.exists() else []
        rows = [*(other for other in rows if other["name"] != row["name"]), row]
        write_result({"benchmark": "flood", "rows": rows}, arguments.results, "flood")
    print(json.dumps(row))


if __name__ == "__main__":
    main()

"""Small files for the readers of particular corpora."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def write_json_lines(path: Path, records: Iterable[Any]) -> Path:
    """Gzipped, one record per line."""
    lines = "".join(json.dumps(record) + "\n" for record in records)
    return write(path, gzip.compress(lines.encode()))

"""Files that the named corpora are made of: JSON lines, and one JSON object."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from holdfast.errors import FormatError, InvalidValueError
from holdfast.files import numbered_lines


def read_json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each line's JSON object with the line's number. Blank lines are skipped."""
    for number, line in numbered_lines(path):
        if line.strip():
            yield number, _json_object(line, path, line_number=number)


def read_json(path: Path) -> dict[str, Any]:
    """A file that is one JSON object."""
    return _json_object("\n".join(line for _, line in numbered_lines(path)), path)


def _json_object(text: str, path: Path, *, line_number: int | None = None) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise FormatError(f"not JSON: {error}", path=path, line=line_number) from error
    if not isinstance(value, dict):
        raise FormatError(
            f"a JSON object is expected, not a {type(value).__name__}", path=path, line=line_number
        )
    return value


def string(record: Mapping[str, Any], key: str) -> str:
    """The string at the key; KeyError without it, InvalidValueError if it is anything else."""
    value = record[key]
    if not isinstance(value, str):
        raise InvalidValueError(f"{key} must be a string, not {value!r}")
    return value

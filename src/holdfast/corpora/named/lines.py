"""Files that the named corpora are made of: numbered lines, JSON lines, one JSON object."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from holdfast.corpora.files import open_bytes
from holdfast.errors import FormatError, InputError, InvalidValueError


def read_lines(path: Path, *, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    """Each line with its number, from 1, without its line end; a `.gz` file is unpacked.

    Only a line feed ends a line: a carriage return before it is dropped, other separators of
    Unicode are text. A file without any line is an error.
    """
    number = 0
    try:
        with open_bytes(path) as stream:
            for number, raw in enumerate(stream, start=1):
                yield number, raw.decode(encoding).removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise FormatError(f"byte 0x{byte:02x} is not {encoding}", path=path, line=number) from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error


def read_json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each line's JSON object with the line's number. Blank lines are skipped."""
    for number, line in read_lines(path):
        if line.strip():
            yield number, _json_object(line, path, line_number=number)


def read_json(path: Path) -> dict[str, Any]:
    """A file that is one JSON object."""
    return _json_object("\n".join(line for _, line in read_lines(path)), path)


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

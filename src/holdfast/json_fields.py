"""Fields of the JSON form of values, checked while they are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from holdfast.errors import InvalidValueError


def string_of(data: Mapping[str, Any], key: str, default: str | None = None) -> str:
    """The key's value; without a default, the key must be there."""
    value = data[key] if default is None else data.get(key, default)
    if not isinstance(value, str):
        raise InvalidValueError(f"document: {key} must be a string, not {value!r}")
    return value


def strings_of(data: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """The list of strings at the key; empty if it is missing."""
    values = data.get(key, ())
    if not isinstance(values, list | tuple) or not all(isinstance(v, str) for v in values):
        raise InvalidValueError(f"document: {key} must be a list of strings, not {values!r}")
    return tuple(values)


def offset_of(value: Any) -> int:
    """The value, if it is a whole number."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise InvalidValueError(f"document: an offset must be a whole number, not {value!r}")
    return value


def without_empty(data: dict[str, Any]) -> dict[str, Any]:
    """The data without empty strings, empty lists and None."""
    return {key: value for key, value in data.items() if value not in ("", None, [])}

"""Large JSON objects, one member at a time."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from typing import Any, Protocol

from holdfast.errors import FormatError


class Readable(Protocol):
    def read(self, size: int = ..., /) -> bytes: ...


def iterate_members(stream: Readable, *, path: str) -> Iterator[tuple[str, Any]]:
    """The (key, value) pairs of the one object that the stream holds, in order.

    Memory is bounded by the largest member. A stream that ends early is a FormatError.
    """
    decode = codecs.getincrementaldecoder("utf-8")().decode
    scan = json.JSONDecoder().raw_decode
    text, at, ended = "", 0, False
    while True:
        while True:
            start = _skip(text, at, " \t\r\n{,")
            if start < len(text) and text[start] == "}":
                return
            try:
                key, colon = scan(text, start)
                value, end = scan(text, _skip(text, colon, " \t\r\n:"))
            except ValueError:
                break
            after = _skip(text, end, " \t\r\n")
            if after == len(text) or text[after] not in ",}":
                break  # a number may go on in the next piece
            yield key, value
            at = end
        if ended:
            raise FormatError("ends in the middle of a JSON object; is it cut off?", path=path)
        piece = stream.read(1 << 22)
        ended = not piece
        try:
            text, at = text[at:] + decode(piece, final=ended), 0
        except UnicodeDecodeError as error:
            raise FormatError(f"not UTF-8 ({error.reason})", path=path) from error


def _skip(text: str, at: int, characters: str) -> int:
    while at < len(text) and text[at] in characters:
        at += 1
    return at

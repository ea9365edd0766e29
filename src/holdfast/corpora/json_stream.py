"""The elements of a large JSON file, one at a time.

The standard library parses a JSON file as a whole. Here only one element is held: the file is an
array of elements, an object with such an array under a known key, one element, or several of
these one after the other (JSON lines are the common case).
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn

from holdfast.errors import FormatError
from holdfast.files import read_chunks

_SPACE: Final = re.compile(r"[ \t\r\n]*")
_CUT_MARGIN: Final = 16  # what ends or fails this close to the end may go on in the next chunk


@dataclass(frozen=True, slots=True)
class Element:
    value: Any
    line: int  # where it starts, from 1


def read_elements(path: Path, *, array_keys: Collection[str] = ()) -> Iterator[Element]:
    """Every element. Of an object with an array under one of `array_keys`, that array's."""
    cursor = _Cursor(path)
    if cursor.peek() == "":
        raise FormatError("the file is blank", path=path)
    while cursor.peek():
        line = cursor.line
        if cursor.peek() == "[":
            yield from _array(cursor)
        elif cursor.peek() == "{":
            yield from _object(cursor, array_keys, line)
        else:
            cursor.fail(f"expected an object or an array, not {cursor.peek()!r}")


def _array(cursor: _Cursor) -> Iterator[Element]:
    cursor.take("[")
    if cursor.peek() == "]":
        cursor.take("]")
        return
    while True:
        cursor.peek()
        line = cursor.line
        yield Element(cursor.value(), line)
        if cursor.peek() == "]":
            cursor.take("]")
            return
        cursor.take(",")


def _object(cursor: _Cursor, array_keys: Collection[str], line: int) -> Iterator[Element]:
    cursor.take("{")
    members, streamed = dict[str, Any](), False
    while cursor.peek() != "}":
        if cursor.peek() != '"':
            cursor.fail("expected a key")
        key = cursor.value()
        cursor.take(":")
        if key in array_keys and cursor.peek() == "[":
            streamed = True
            yield from _array(cursor)
        else:
            members[key] = cursor.value()
        if cursor.peek() != "}":
            cursor.take(",")
    cursor.take("}")
    if not streamed:
        yield Element(members, line)


class _Cursor:
    """A place in the text, with as much of the text as the current value needs."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._chunks = read_chunks(path)
        self._decode = json.JSONDecoder().raw_decode
        self._buffer = ""
        self._at = 0
        self._counted = 0
        self._line = 1

    @property
    def line(self) -> int:
        self._line += self._buffer.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def peek(self) -> str:
        """The next character that is not blank; "" at the end."""
        while True:
            self._at = _SPACE.match(self._buffer, self._at).end()  # type: ignore[union-attr]
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if not self._more(1):
                return ""

    def take(self, character: str) -> None:
        if self.peek() != character:
            self.fail(f"expected {character!r}, not {self.peek() or 'the end of the file'!r}")
        self._at += 1

    def value(self) -> Any:
        self.peek()
        while True:
            try:
                value, end = self._decode(self._buffer, self._at)
            except json.JSONDecodeError as error:
                cut = error.msg.startswith("Unterminated string")
                near_end = error.pos >= len(self._buffer) - _CUT_MARGIN
                # Doubling what is held keeps a value of n characters at O(n) work in all.
                if (cut or near_end) and self._more(len(self._buffer) - self._at):
                    continue
                self._at = min(error.pos, len(self._buffer))
                self.fail(f"not JSON: {error.msg}")
            except (RecursionError, ValueError) as error:
                self.fail(f"JSON beyond reading: {error}")
            length = end - self._at
            # "1.5e" reads as 1.5 where the buffer ends before the exponent's digits.
            if end < len(self._buffer) - _CUT_MARGIN or not self._more(1):
                self._at += length
                return value

    def fail(self, message: str) -> NoReturn:
        raise FormatError(message, path=self.path, line=self.line)

    def _more(self, characters: int) -> bool:
        """Whether there was more to read; drops what lies before the current place."""
        _ = self.line
        read = list[str]()
        while characters > 0:
            chunk = next(self._chunks, None)
            if chunk is None:
                break
            read.append(chunk)
            characters -= len(chunk)
        self._buffer = self._buffer[self._at :] + "".join(read)
        self._at = self._counted = 0
        return any(read)

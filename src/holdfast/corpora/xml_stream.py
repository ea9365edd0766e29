"""Elements of a large XML file, one at a time. No entity is ever fetched or expanded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, cast
from xml.etree.ElementTree import Element, ParseError, XMLPullParser

from holdfast.errors import FormatError
from holdfast.files import open_bytes

_CHUNK: Final = 1 << 16
_OVERLAP: Final = 32  # bytes in which a declaration may begin that the next chunk goes on with


def read_elements(path: Path, tag: str, *, roots: tuple[str, ...]) -> Iterator[Element]:
    """Every element `tag`, whole, freed when the next is asked for.

    A DOCTYPE may name a DTD, which is not read; one that declares entities of its own is refused.
    `roots` are the names that the outermost element may have.
    """
    parser: XMLPullParser[Element] = XMLPullParser(("start", "end"))
    root: Element | None = None
    before = b""
    with open_bytes(path) as stream:
        while True:
            chunk = stream.read(_CHUNK)
            if root is None and _declares_entities(before + chunk):
                raise FormatError("declares entities in its DOCTYPE; remove them", path=path)
            try:
                if chunk:
                    parser.feed(chunk)
                else:
                    parser.close()
                for event, element in _events(parser):
                    if root is None:
                        root = element
                        if root.tag not in roots:
                            raise FormatError(
                                f"the root is <{root.tag}>, not <{'> or <'.join(roots)}>", path=path
                            )
                    elif event == "end" and element.tag == tag:
                        yield element
                        root.clear()
            except ParseError as error:
                line = error.position[0]
                raise FormatError(f"not well-formed XML: {error}", path=path, line=line) from error
            except (LookupError, ValueError) as error:
                raise FormatError(f"XML that cannot be decoded: {error}", path=path) from error
            if not chunk:
                return
            before = chunk[-_OVERLAP:]


def _declares_entities(part: bytes) -> bool:
    """Whatever the encoding: UTF-16 puts a zero between the letters."""
    return b"<!ENTITY" in part.replace(b"\0", b"")


def _events(parser: XMLPullParser[Element]) -> Iterator[tuple[str, Element]]:
    return cast("Iterator[tuple[str, Element]]", parser.read_events())

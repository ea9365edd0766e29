"""XML that declares entities is refused in every encoding, wherever the declaration stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.corpora.xml_stream import read_elements
from holdfast.errors import FormatError

ENTITY = '<!ENTITY e "boom">'
BODY = "<set><item>one</item><other/><item><item>two</item></item></set>"


def declaring(entity: str, *, padding: str = "", encoding: str = "utf-8") -> bytes:
    head = f'<?xml version="1.0" encoding="{encoding}"?>\n'
    return f"{head}<!DOCTYPE set [<!--{padding}-->{entity}]>{BODY}".encode(encoding)


def items(tmp_path: Path, content: bytes) -> list[str]:
    path = tmp_path / "x.xml"
    path.write_bytes(content)
    return ["".join(e.itertext()) for e in read_elements(path, "item", roots=("set", "sets"))]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1"])
def test_declared_entities_are_refused_in_every_encoding(tmp_path: Path, encoding: str) -> None:
    assert items(tmp_path, declaring("", encoding=encoding)) == ["one", "two", "two"]
    with pytest.raises(FormatError, match="declares entities in its DOCTYPE"):
        items(tmp_path, declaring(ENTITY, encoding=encoding))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_declaration_across_two_reads_is_refused(tmp_path: Path, encoding: str) -> None:
    start = len(declaring("", encoding=encoding).partition("-->".encode(encoding)[-6:])[0])
    width = 1 if encoding == "utf-8" else 2
    for shift in range(12):
        padding = "x" * ((65536 - start) // width - shift)
        with pytest.raises(FormatError, match="declares entities"):
            items(tmp_path, declaring(ENTITY, padding=padding, encoding=encoding))


def test_what_looks_like_a_declaration_inside_the_content_is_content(tmp_path: Path) -> None:
    content = b"<set>" + b" " * 70_000 + b"<item><![CDATA[<!ENTITY]]></item></set>"
    assert items(tmp_path, content) == ["<!ENTITY"]


def test_the_outermost_element_is_checked_and_never_an_item(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="the root is <item>, not <set> or <sets>"):
        items(tmp_path, b"<item><item>one</item></item>")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"<set>\n<item>one</item>\n</sets>", "line 3: not well-formed XML"),
        (b"<set>\n<item>one</item>", "line 2: not well-formed XML"),
        (b"<set>\n<item>&e;</item></set>", "line 2: not well-formed XML: undefined entity"),
        (b'<?xml version="1.0" encoding="nonsense"?><set/>', "not well-formed|cannot be decoded"),
        (b"<set/>\n<set/>", "line 2: not well-formed"),
    ],
)
def test_what_is_not_xml_is_named_with_its_line(tmp_path: Path, content: bytes, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        items(tmp_path, content)


def test_an_item_is_whole_and_freed_when_the_next_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "x.xml"
    path.write_text("<set>" + "<item><a>b</a></item>" * 3 + "</set>", encoding="utf-8")
    elements = read_elements(path, "item", roots=("set",))
    first = next(elements)
    assert first.findtext("a") == "b"
    held = [first, *elements]
    assert len(held) == 3

"""The table of readers."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import pytest

from holdfast.kb import readers

PAGE = (Path(__file__).parents[3] / "docs" / "vocabularies.md").read_text(encoding="utf-8")


def test_every_reader_is_in_the_table_and_exported() -> None:
    exported = {name for name in readers.__all__ if name.startswith("read_")}
    assert {reader.__name__ for reader in readers.READERS.values()} == exported


def test_a_reader_takes_one_path_and_its_options_by_name() -> None:
    for reader in readers.READERS.values():
        _, *options = inspect.signature(reader).parameters.values()
        assert all(option.kind is option.KEYWORD_ONLY for option in options)
        assert all(option.default is not option.empty for option in options)


def sections() -> dict[str, str]:
    """The anchor that a forge gives to a heading -> what stands under it."""
    parts = re.split(r"^## (.*)\n", PAGE, flags=re.MULTILINE)[1:]
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in parts[::2])
    return dict(zip((p.replace(" ", "-") for p in plain), parts[1::2], strict=True))


LINKED = re.findall(r"^\| \[`(\w+)`\]\(#([\w-]+)\) \|", PAGE, re.MULTILINE)


def test_every_reader_is_documented_once_and_has_a_section() -> None:
    assert sorted(name for name, _ in LINKED) == sorted(readers.READERS)
    assert {anchor for _, anchor in LINKED} == set(sections()) - {"what-is-found-in-texts"}


@pytest.mark.parametrize(("name", "anchor"), LINKED)
def test_every_option_is_documented_with_its_default_in_the_section_of_its_reader(
    name: str, anchor: str
) -> None:
    options = list(inspect.signature(readers.READERS[name]).parameters.values())[1:]
    section = sections()[anchor]
    listed = re.findall(r"^- `(\w+)=(.*?)`:", section, re.MULTILINE)
    if listed or name != "table":
        written = {option: ast.literal_eval(default) for option, default in listed}
        assert written == {option.name: option.default for option in options}
    else:  # its options stand inside sentences, and all of them are empty by default
        assert {o.name for o in options} <= set(re.findall(r"`(\w+)`", section))

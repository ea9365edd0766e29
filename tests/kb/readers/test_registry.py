"""The table of readers."""

from __future__ import annotations

import inspect
from pathlib import Path

from holdfast.kb import readers


def test_every_reader_is_in_the_table_and_exported() -> None:
    exported = {name for name in readers.__all__ if name.startswith("read_")}
    assert {reader.__name__ for reader in readers.READERS.values()} == exported


def test_a_reader_takes_one_path_and_its_options_by_name() -> None:
    for reader in readers.READERS.values():
        _, *options = inspect.signature(reader).parameters.values()
        assert all(option.kind is option.KEYWORD_ONLY for option in options)
        assert all(option.default is not option.empty for option in options)


def test_every_reader_and_option_is_documented() -> None:
    page = Path(__file__).parents[3] / "docs" / "vocabularies.md"
    text = page.read_text(encoding="utf-8")
    for name, reader in readers.READERS.items():
        assert f"| [`{name}`]" in text
        for option in list(inspect.signature(reader).parameters)[1:]:
            assert f"`{option}" in text, f"{name}: {option}"

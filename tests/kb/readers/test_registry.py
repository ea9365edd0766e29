"""The table of readers."""

from __future__ import annotations

import inspect

from holdfast.kb import readers


def test_every_reader_is_in_the_table_and_exported() -> None:
    exported = {name for name in readers.__all__ if name.startswith("read_")}
    assert {reader.__name__ for reader in readers.READERS.values()} == exported


def test_a_reader_takes_one_path_and_its_options_by_name() -> None:
    for reader in readers.READERS.values():
        _, *options = inspect.signature(reader).parameters.values()
        assert all(option.kind is option.KEYWORD_ONLY for option in options)
        assert all(option.default is not option.empty for option in options)

"""What the options of `holdfast kb build` mean to the readers."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from holdfast.cli.kb_build import build
from holdfast.errors import UsageError
from holdfast.kb import open_kb
from holdfast.kb.from_files import (
    SourceFile,
    build_from_files,
    reader_options,
    source_files,
)
from holdfast.kb.readers import READERS

A, B, C = Path("a"), Path("b"), Path("c")


def test_files_come_in_the_order_of_the_options_and_each_option_may_come_twice() -> None:
    options = {"name": "x", "table": [A, B], "umls": None, "obo": [C], "out": A}
    assert source_files(options) == [
        SourceFile("table", A),
        SourceFile("table", B),
        SourceFile("obo", C),
    ]


def test_options_are_called_as_the_readers_call_them() -> None:
    options = {
        "language": ["ENG"],
        "source": None,
        "tax_id": ["9606"],
        "suppressed": False,
        "prefix": "LAB",
        "name": "x",
        "force": True,
    }
    assert reader_options(options) == {
        "languages": ["ENG"],
        "sources": None,
        "tax_ids": ["9606"],
        "suppressed": None,
        "prefix": "LAB",
    }
    assert reader_options({"suppressed": True}) == {"suppressed": True}


def test_every_reader_and_every_option_of_the_command_is_understood() -> None:
    parameters = inspect.signature(build).parameters
    everything = {name: [A] for name in parameters}
    assert {source.reader for source in source_files(everything)} == set(READERS)
    known = {
        parameter.name
        for reader in READERS.values()
        for parameter in inspect.signature(reader).parameters.values()
        if parameter.kind is parameter.KEYWORD_ONLY
    }
    asked = reader_options(everything)
    assert set(asked) <= known
    others = {"name", "every_name", "out", "force", "as_json"}
    assert len(parameters) == len(READERS) + len(asked) + len(others)


def test_the_earlier_file_gives_the_preferred_name_and_each_reader_its_own_options(
    tmp_path: Path,
) -> None:
    first, second = tmp_path / "one.tsv", tmp_path / "two.obo"
    first.write_text("id\tname\n1\tquaggle fever\n", encoding="utf-8")
    second.write_text(
        "format-version: 1.4\n\n[Term]\nid: LAB:1\nname: quaggles\n\n", encoding="utf-8"
    )
    files = [SourceFile("table", first), SourceFile("obo", second)]
    options = {"prefix": "LAB", "type": "Disease", "separator": None}
    build_from_files("mine", files, folder=tmp_path / "kb", options=options, every_name=True)
    kb = open_kb(tmp_path / "kb")
    entity = kb.entity("LAB:1")
    assert (entity.name, entity.synonyms, entity.types) == (
        "quaggle fever",
        ("quaggles",),
        ("Disease",),
    )
    assert [(s.name, s.origin, s.licence, s.is_own, s.every_name) for s in kb.sources] == [
        ("one.tsv", "table", "yours", True, True),
        ("two.obo", "obo", "yours", True, True),
    ]
    assert kb.sources[0].path == str(first)
    assert kb.sources[1].options == '{"type": "Disease"}'


def test_what_cannot_be_built_from_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    path = tmp_path / "one.tsv"
    path.write_text("id\tname\n1\tx\n", encoding="utf-8")
    with pytest.raises(UsageError, match="nothing to build from"):
        build_from_files("mine", [])
    with pytest.raises(UsageError, match="--tax-id means nothing to the reader table"):
        build_from_files("mine", [SourceFile("table", path)], options={"tax_ids": ["1"]})
    missing = SourceFile("table", tmp_path / "none.tsv")
    with pytest.raises(UsageError, match=r"none\.tsv: there is no such file or folder"):
        build_from_files("mine", [SourceFile("table", path), missing])

"""docs/cli.md names every command, option, exit code and environment variable."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from holdfast.cli import app

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")


def commands(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Every command that does something, with its whole name."""
    parts = getattr(command, "commands", {})
    if not parts or (command.invoke_without_command and name != "holdfast"):
        yield name, command
    for part, inner in parts.items():
        yield from commands(inner, f"{name} {part}")


COMMANDS = dict(commands(get_command(app), "holdfast"))


def section(name: str) -> str:
    """What stands under a command's heading, up to the next heading."""
    found = re.search(rf"^##+ {re.escape(name)}\n(.*?)(?=^##+ |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None, f"docs/cli.md has no section {name!r}"
    return found[1]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_documented_under_its_command(name: str) -> None:
    options = {
        option
        for parameter in COMMANDS[name].params
        if parameter.param_type_name == "option"
        for option in (*parameter.opts, *parameter.secondary_opts)
    } - {"--help"}
    written = set(re.findall(r"--[a-z][a-z-]*", section(name)))
    assert options - written == set()
    assert written - options == set()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_says_what_it_and_its_options_do(name: str) -> None:
    command = COMMANDS[name]
    assert command.help
    assert all(p.help for p in command.params if p.param_type_name == "option")


def test_no_command_is_documented_that_is_not_there() -> None:
    headings = re.findall(r"^##+ (holdfast .*)$", PAGE, re.MULTILINE)
    assert sorted(headings) == sorted({"holdfast kb", *COMMANDS}), "each stands there once"


def test_every_environment_variable_of_ours_is_documented() -> None:
    code = "\n".join(p.read_text(encoding="utf-8") for p in (ROOT / "src").rglob("*.py"))
    ours = set(re.findall(r"\bHOLDFAST_[A-Z]+\b", code))
    assert ours
    assert {name for name in ours if name not in PAGE} == set()


def test_every_exit_code_is_documented() -> None:
    for code in (0, 1, 2, 130):
        assert f"| {code} |" in PAGE

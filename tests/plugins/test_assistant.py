"""`holdfast mcp`, asked by the protocol's own client over standard input and output."""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import holdfast
from command import call, environment, run
from small_kb import make_kb

anyio = pytest.importorskip("anyio")
mcp = pytest.importorskip("mcp")

TEXT = "A heart attack after lithium carbonate. He was well."


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_kb(tmp_path_factory.mktemp("kb") / "small").folder


def ask(kb: Path, question: Callable[[Any], Awaitable[Any]], *options: str) -> Any:
    """Start the server, ask it, and end it."""
    arguments = ["-m", "holdfast", "mcp", "--kb", str(kb), *options]
    server = mcp.StdioServerParameters(
        command=sys.executable, args=arguments, env=environment(PYTHONWARNINGS="ignore")
    )

    async def asked() -> Any:
        async with mcp.Client(mcp.stdio_client(server)) as client:
            return await question(client)

    return anyio.run(asked)


def answers(kb: Path, *calls: tuple[str, dict[str, Any]], options: tuple[str, ...] = ()) -> Any:
    """What the tools answer, one after the other, from one server."""

    async def question(client: Any) -> Any:
        return [await client.call_tool(name, arguments) for name, arguments in calls]

    return ask(kb, question, *options)


def test_the_four_tools_answer_as_python_and_the_command_line_do(kb: Path) -> None:
    annotated, searched, entity, explained = answers(
        kb,
        ("annotate", {"text": TEXT}),
        ("search", {"query": "hart atack", "top": 3}),
        ("entity", {"id": "MESH:D002"}),
        ("explain", {"text": TEXT, "term": "was"}),
    )
    document = holdfast.load(kb)(TEXT)
    assert annotated.structured_content == document.to_json()
    assert json.loads(annotated.content[0].text) == document.to_json()
    printed = call("kb", "search", "hart atack", "--top", "3", "--kb", kb, "--json").stdout
    assert searched.structured_content == json.loads(printed)
    known = json.loads(call("kb", "info", kb, "--id", "MESH:D002", "--json").stdout)
    assert [parent["id"] for parent in entity.structured_content["parents"]] == ["MESH:D001"]
    assert known.items() <= entity.structured_content.items()
    absent = json.loads(call("link", TEXT, "--kb", kb, "--why-not", "was", "--json").stdout)
    assert explained.structured_content["why_not"] == absent["documents"][0]


def test_an_explained_mention_has_every_candidate_and_what_it_is_alone(kb: Path) -> None:
    (answer,) = answers(kb, ("explain", {"text": TEXT, "term": "Heart Attack"}))
    (explained,) = answer.structured_content["mentions"]
    (mention,) = (
        m for m in holdfast.load(kb)(TEXT).to_json()["mentions"] if m["ids"][0][-1] == "2"
    )
    assert explained["mention"] == mention
    assert explained["alone"]["ids"] == ["MESH:D002"]
    assert explained["alone"]["candidates"][0]["evidence"]
    assert "Without the text around it" in explained["summary"][-1]


def test_the_tools_describe_themselves(kb: Path) -> None:
    async def question(client: Any) -> Any:
        return await client.list_tools(), client.instructions, client.server_info

    listed, instructions, server = ask(kb, question)
    tools = {tool.name: tool for tool in listed.tools}
    assert list(tools) == ["annotate", "search", "explain", "entity"]
    assert all(tool.description for tool in tools.values())
    assert tools["annotate"].input_schema["required"] == ["text"]
    assert "CURIE" in instructions
    assert (server.name, server.version) == ("holdfast", holdfast.__version__)


def test_what_cannot_be_answered_is_one_line_and_the_server_goes_on(kb: Path) -> None:
    unknown, missing, unasked, good = answers(
        kb,
        ("entity", {"id": "MESH:NONE"}),
        ("annotate", {}),
        ("search", {"query": "TNF", "top": 0}),
        ("annotate", {"text": "TNF"}),
    )
    assert unknown.is_error
    assert "no such id in the knowledge base 'small'" in unknown.content[0].text
    assert "\n" not in unknown.content[0].text
    assert missing.is_error
    assert unasked.is_error
    assert good.structured_content["mentions"][0]["ids"] == ["HGNC:1"]


def test_options_are_those_of_link(kb: Path, tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('[pin]\n"heart attack" = "MESH:D001"\n', encoding="utf-8")
    options = ("--only", "disease", "--top", "2", "--rules", str(rules))
    (answer,) = answers(kb, ("annotate", {"text": TEXT}), options=options)
    expected = json.loads(call("link", TEXT, "--kb", kb, *options, "--json").stdout)
    assert answer.structured_content == expected
    assert expected["mentions"][0]["ids"] == ["MESH:D001"]


def test_a_knowledge_base_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    done = run("mcp", "--kb", tmp_path / "nowhere")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert "no knowledge base" in done.stderr


def test_without_the_package_the_command_says_what_to_install(tmp_path: Path) -> None:
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "sitecustomize.py").write_text(
        "import sys\n"
        "class Hide:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] == 'mcp': raise ModuleNotFoundError(name, name=name)\n"
        "sys.meta_path.insert(0, Hide())\n",
        encoding="utf-8",
    )
    done = run("mcp", PYTHONPATH=f"{hidden}:{Path(holdfast.__file__).parents[1]}")
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install 'holdfast[mcp]'" in done.stderr

"""One abstract through the command line, Python, REST, spaCy and MCP: the same answer."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import holdfast
from command import call, environment
from serving import Server, serving
from small_kb import make_kb

ABSTRACT = (
    "Heart attack (HA) after lithium carbonate: a case report 😀\n"
    "A 28-year-old woman with Wiskott-Aldrich syndrome took lithium carbonate. HA was followed by "
    "bleedings; TNF-α and interleukin-2 (IL-2) rose, and “IL-2” fell again. He was well."
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    make_kb(folder / "kb" / "small")
    return folder


@pytest.fixture(autouse=True)
def _home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_HOME", str(home))


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[Server]:
    pytest.importorskip("fastapi", reason="the service needs the extra `serve`")
    pytest.importorskip("uvicorn", reason="the service needs the extra `serve`")
    with serving("--kb", "small", "--workers", "1", home=home) as running:
        yield running


@pytest.fixture
def expected() -> dict[str, Any]:
    """What Python answers: the mentions with ids, candidates, scores and evidence."""
    answer = holdfast.load("small")(ABSTRACT).to_json()
    assert len(answer["mentions"]) > 6
    assert all(m["candidates"][0]["score"] > 0 for m in answer["mentions"] if m["ids"] != ["NIL"])
    return answer


def test_the_command_line(expected: dict[str, Any]) -> None:
    done = call("link", ABSTRACT, "--kb", "small", "--json")
    assert json.loads(done.stdout) == expected


def test_rest(expected: dict[str, Any], server: Server) -> None:
    assert server.ask("/v1/annotate", {"text": ABSTRACT}).json == expected


def test_spacy(expected: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
        pytest.importorskip("holdfast.plugins.spacy")  # the factory, however it was installed
    nlp = spacy.blank("en")
    nlp.add_pipe("holdfast", config={"kb": "small"})
    doc = nlp(ABSTRACT)
    assert doc._.holdfast == expected
    assert [span.kb_id_ for span in doc.spans["holdfast"]] == [
        mention["ids"][0] for mention in expected["mentions"]
    ]


def test_mcp(expected: dict[str, Any]) -> None:
    mcp = pytest.importorskip("mcp", reason="the package mcp is not installed")
    anyio = pytest.importorskip("anyio")
    command = mcp.StdioServerParameters(
        command=sys.executable,
        args=["-m", "holdfast", "mcp", "--kb", "small"],
        env=environment(PYTHONWARNINGS="ignore"),
    )

    async def asked() -> Any:
        async with mcp.Client(mcp.stdio_client(command)) as client:
            return await client.call_tool("annotate", {"text": ABSTRACT})

    assert anyio.run(asked).structured_content == expected

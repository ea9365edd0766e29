"""The option `types`: what kind of thing a mention is, in the words of a typing model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from chromium import chromium, wait_for
from command import call
from hand_typing import make_typing_model
from serving import Server, serving, wait_until
from small_kb import make_kb

TEXT = "A heart attack after lithium carbonate; TNF rose."
WORDS = {"heart": {"heart diseases": 3.0, "ischemia": 1.0}, "lithium": {"metals": 2.0}}
MODEL = "own-types"


@pytest.fixture(scope="module")
def typing_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("typing")
    make_kb(folder / "kb" / "small")
    make_typing_model(folder / "models" / MODEL, WORDS)
    return folder


@pytest.fixture(scope="module")
def typing_server(typing_home: Path) -> Iterator[Server]:
    arguments = ("--kb", "small", "--workers", "1", "--type-model", MODEL)
    with serving(*arguments, home=typing_home) as running:
        yield running


@pytest.fixture(autouse=True)
def _home(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    name = "typing_home" if "typing_server" in request.fixturenames else "home"
    monkeypatch.setenv("HOLDFAST_HOME", str(request.getfixturevalue(name)))


def test_types_are_those_of_the_command_line(typing_server: Server) -> None:
    answer = typing_server.ask("/v1/annotate", {"text": TEXT, "types": True})
    first, second, third = answer.json["mentions"]
    assert [t["name"] for t in first["types"]] == ["heart diseases", "ischemia"]
    assert first["types"][0]["score"] == pytest.approx(0.9526, abs=1e-3)
    assert [t["name"] for t in second["types"]] == ["metals"]
    assert "types" not in third, "no word speaks for any"
    done = call("link", TEXT, "--kb", "small", "--types", "--type-model", MODEL, "--json")
    assert answer.json == json.loads(done.stdout), done.stderr


def test_types_are_not_there_unless_they_are_asked_for(typing_server: Server) -> None:
    assert '"types"' not in typing_server.ask("/v1/annotate", {"text": TEXT}).text


def test_given_mentions_files_and_jobs_have_types_too(typing_server: Server) -> None:
    expected = typing_server.ask("/v1/annotate", {"text": TEXT, "types": True}).json["mentions"]
    start = TEXT.index("heart")
    marked = {"text": TEXT, "mentions": [{"spans": [[start, start + 12]], "type": "Disease"}]}
    linked = typing_server.ask("/v1/link", {"documents": [marked], "types": True}).json
    assert linked["documents"][0]["mentions"][0]["types"] == expected[0]["types"]
    file = typing_server.ask("/v1/annotate/file?from=text&types=true", TEXT.encode())
    assert file.json["documents"][0]["mentions"] == expected
    for created in (
        typing_server.ask("/v1/jobs", {"text": TEXT, "types": True}),
        typing_server.ask("/v1/jobs/file?from=text&types=true", TEXT.encode()),
    ):
        place = created.headers["location"]
        wait_until(lambda place=place: typing_server.ask(place).json["status"] == "done")
        result = typing_server.ask(f"{place}/result").json
        assert result["documents"][0]["mentions"] == expected


def test_an_explained_mention_has_its_types(typing_server: Server) -> None:
    start = TEXT.index("heart")
    asked = {"text": TEXT, "spans": [[start, start + 12]], "types": True}
    mention = typing_server.ask("/v1/explain", asked).json["mention"]
    assert mention["types"][0]["name"] == "heart diseases"


def test_the_typing_model_is_among_what_is_served(typing_server: Server, typing_home: Path) -> None:
    answer = typing_server.ask("/v1/models")
    assert answer.json["typing_model"]["name"] == MODEL
    assert str(typing_home) not in answer.text


def test_a_typing_model_that_is_not_here_is_refused_with_the_command_that_gets_it(
    server: Server,
) -> None:
    assert server.ask("/v1/models").json["typing_model"] is None
    for path in ("/v1/annotate", "/v1/jobs"):
        answer = server.ask(path, {"text": TEXT, "types": True})
        assert (answer.status, answer.code) == (422, "invalid_option")
        assert "`holdfast " in answer.json["error"]["message"]
    sent = server.ask("/v1/annotate/file?from=text&types=true", TEXT.encode())
    assert (sent.status, sent.code) == (422, "invalid_option")


def test_a_typing_model_that_is_named_but_not_here_is_noticed_at_the_start() -> None:
    done = call("serve", "--kb", "small", "--port", "0", "--type-model", "nowhere")
    assert done.returncode == 2
    assert "nowhere" in done.stderr


def test_the_card_of_a_mention_shows_its_types(typing_server: Server, tmp_path: Path) -> None:
    with chromium(tmp_path) as browser:
        browser.get(f"http://127.0.0.1:{typing_server.port}/")
        wait_for(lambda: browser.execute_script("return document.body.dataset.ready"))
        assert browser.find_element("css selector", "input[name=types]").is_selected()
        browser.find_element("css selector", "#draft").send_keys(TEXT)
        browser.find_element("css selector", "#annotate-button").click()
        wait_for(lambda: browser.find_elements("css selector", "#text mark"))[0].click()
        kinds = wait_for(lambda: browser.find_element("css selector", "#card .kinds").text)
        assert "heart diseases" in kinds
        assert "0.95" in kinds

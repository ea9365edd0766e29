"""Beyond the machine itself, nothing but /livez answers without a token."""

from __future__ import annotations

import asyncio
import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import Mount, Route

from command import call
from holdfast.errors import UsageError
from holdfast.server.app import create_app
from holdfast.server.security.guard import OPEN
from holdfast.server.security.tokens import AccessTokens, new_token
from holdfast.server.service import Service
from holdfast.server.settings import COMPAT, Limits, Settings
from serving import Answer, ask_app

NAME = "linker.test"


def app_with(tokens: AccessTokens, **settings: Any) -> Any:
    chosen = Settings(**{"host": "0.0.0.0", "trusted_hosts": (NAME,), "compat": COMPAT, **settings})
    return create_app(Service(chosen), tokens=tokens)


def routes() -> Iterator[tuple[str, str]]:
    """Every method and path there is, with something in place of each parameter."""
    app = app_with(AccessTokens({}))
    for route in app.routes:
        assert isinstance(route, Route), "a mount hides its routes; list them"
        assert not isinstance(route, Mount)
        path = re.sub(r"\{[^}]*\}", "x", route.path)
        for method in sorted({*(route.methods or ()), "OPTIONS", "PUT"}):
            yield method, path


@pytest.fixture
def token_file(tmp_path: Path) -> Path:
    return tmp_path / "tokens.json"


def ask(app: Any, path: str, **options: Any) -> Answer:
    return asyncio.run(ask_app(app, path, **options))


@pytest.mark.parametrize(("method", "path"), list(routes()))
def test_a_route_answers_only_with_a_token(method: str, path: str, token_file: Path) -> None:
    token = new_token("ward-7", token_file)
    app = app_with(AccessTokens.read(token_file))
    without = ask(app, path, method=method)
    wrong = ask(app, path, method=method, headers={"Authorization": "Bearer hf_wrong"})
    if path in OPEN:
        assert without.status in (200, 405)
        return
    for refused in (without, wrong):
        assert (refused.status, refused.code) == (401, "unauthorised")
        assert refused.headers["www-authenticate"].startswith("Basic")
    if (method, path) not in NEED_WORKERS:
        allowed = ask(app, path, method=method, headers={"Authorization": f"Bearer {token}"})
        assert allowed.status != 401


NEED_WORKERS = {("GET", "/readyz")}


def test_the_list_of_routes_is_not_empty() -> None:
    found = {path for _, path in routes()}
    assert {"/", "/v1/annotate", "/v1/jobs/x", "/metrics", "/openapi.json", "/livez"} <= found
    assert {"/livez"} == OPEN


def test_a_browser_gives_the_token_as_a_password(token_file: Path) -> None:
    token = new_token("ward-7", token_file)
    app = app_with(AccessTokens.read(token_file))
    login = base64.b64encode(f"anybody:{token}".encode()).decode()
    assert ask(app, "/", headers={"Authorization": f"Basic {login}"}).status == 200
    for broken in ("Basic", "Basic %%%", "Basic /w==", "Digest x", "Bearer", f"Bearer {token}x"):
        assert ask(app, "/", headers={"Authorization": broken}).status == 401


def test_on_the_machine_itself_a_token_is_needed_only_if_that_is_said(token_file: Path) -> None:
    token = new_token("ward-7", token_file)
    tokens = AccessTokens.read(token_file)
    for host in ("127.0.0.1", "localhost", "::1", "127.9.9.9"):
        assert ask(app_with(tokens, host=host), "/").status == 200
    strict = app_with(tokens, host="127.0.0.1", require_token=True)
    assert ask(strict, "/").status == 401
    assert ask(strict, "/", headers={"Authorization": f"Bearer {token}"}).status == 200


@pytest.mark.parametrize("host", ["10.0.0.5", "linker.example.org", "fe80::1"])
def test_any_other_address_needs_a_token(host: str) -> None:
    assert ask(app_with(AccessTokens({}), host=host), "/").status == 401


def test_a_token_is_shown_once_and_kept_as_a_hash(token_file: Path) -> None:
    done = call("serve", "--new-token", "ward-7", "--tokens", token_file)
    token = done.stdout.strip()
    assert len(token) > 40
    kept = token_file.read_text(encoding="utf-8")
    assert token not in kept
    assert token.removeprefix("hf_") not in kept
    assert token not in done.stderr
    assert list(json.loads(kept)) == ["ward-7"]
    assert token_file.stat().st_mode & 0o077 == 0
    assert AccessTokens.read(token_file).identify(f"Bearer {token}") == "ward-7"


def test_a_new_token_of_a_name_replaces_the_old_one_and_no_other(token_file: Path) -> None:
    old, other = new_token("a", token_file), new_token("b", token_file)
    new = new_token("a", token_file)
    app = app_with(AccessTokens.read(token_file))
    statuses = [
        ask(app, "/", headers={"Authorization": f"Bearer {token}"}).status
        for token in (old, other, new)
    ]
    assert statuses == [401, 200, 200]


def test_a_service_that_others_reach_does_not_start_without_tokens(token_file: Path) -> None:
    done = call("serve", "--host", "0.0.0.0", "--trusted-host", NAME, "--tokens", token_file)
    assert done.returncode == 2
    assert "--new-token" in done.stderr
    with pytest.raises(UsageError, match="--trusted-host"):
        Settings(host="0.0.0.0")


def test_only_trusted_names_are_answered() -> None:
    app = app_with(AccessTokens({}), host="127.0.0.1", trusted_hosts=())
    for name in ("localhost", "LOCALHOST:8000", "127.0.0.1:8000", "[::1]:8000", "127.0.0.1"):
        assert ask(app, "/", headers={"host": name}).status == 200
    for name in ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example:8000", ""):
        refused = ask(app, "/", headers={"host": name})
        assert (refused.status, refused.code) == (400, "unknown_host")
    assert ask(app, "/livez", headers={"host": "10.1.2.3:8000"}).status == 200


def test_pages_of_other_sites_can_neither_read_nor_post() -> None:
    app = app_with(AccessTokens({}), host="127.0.0.1")
    origin = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    answers = [
        ask(app, "/", headers=origin),
        ask(app, "/v1/annotate", method="OPTIONS", headers=origin),
    ]
    assert [answer.status for answer in answers] == [200, 405]
    for answer in answers:
        assert not any(name.startswith("access-control") for name in answer.headers)
    headers = {"Sec-Fetch-Site": "cross-site"}
    posted = ask(app, "/v1/annotate", method="POST", body=b"{}", headers=headers)
    assert (posted.status, posted.code) == (403, "cross_site")


def test_each_token_has_its_own_rate(token_file: Path) -> None:
    a, b = new_token("a", token_file), new_token("b", token_file)
    app = app_with(AccessTokens.read(token_file), limits=Limits(per_minute=3))
    statuses = []
    for token in (a, a, a, a, b):
        answer = ask(app, "/openapi.json", headers={"Authorization": f"Bearer {token}"})
        statuses.append(answer.status)
        if answer.status == 429:
            assert answer.code == "too_many_requests"
            assert 1 <= int(answer.headers["retry-after"]) <= 60
    assert statuses == [200, 200, 200, 429, 200]
    assert ask(app, "/livez").status == 200
    files = [ask(app, "/main.js", headers={"Authorization": f"Bearer {a}"}) for _ in range(5)]
    assert {answer.status for answer in files} == {200}, "a page is many files"

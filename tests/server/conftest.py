"""A service over a small knowledge base that the tests of a session share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the service needs the extra `serve`")
pytest.importorskip("uvicorn", reason="the service needs the extra `serve`")

from serving import Server, serving
from small_kb import make_kb


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder with the knowledge base `small`."""
    folder = tmp_path_factory.mktemp("serving")
    make_kb(folder / "kb" / "small")
    return folder


@pytest.fixture(scope="session")
def server(home: Path) -> Iterator[Server]:
    with serving("--kb", "small", "--workers", "1", home=home) as running:
        yield running

"""Fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from holdfast import artifacts
from name_encoder import name_model

__all__ = ["name_model"]  # a fixture of a module of its own


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of real corpora, from HOLDFAST_DATA; tests that need it skip without it."""
    value = os.environ.get("HOLDFAST_DATA")
    if not value:
        pytest.skip("HOLDFAST_DATA is not set: real corpora are not part of the project")
    return Path(value)


@pytest.fixture(scope="session")
def packages_dir() -> Path:
    """The wheels of the open vocabularies, as `holdfast kb get` downloaded them for the user.

    They are looked for in HOLDFAST_PACKAGES, otherwise in the user's own home folder.
    """
    value = os.environ.get("HOLDFAST_PACKAGES")
    return Path(value) if value else artifacts.home() / "downloads"


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the user's knowledge bases."""
    monkeypatch.setenv("HOLDFAST_HOME", str(tmp_path_factory.mktemp("home")))

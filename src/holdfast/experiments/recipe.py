"""Recipes: one TOML file per published table row or shipped model.

A recipe says what to measure (protocol, corpus, split), with what (linker or pipeline, knowledge
base), and whose number to print beside ours. docs/recipes.md lists the keys.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

from holdfast.errors import FormatError, UsageError


@dataclass(frozen=True, slots=True)
class KbSpec:
    """The knowledge base that a recipe links to: fetched, or read from a file of the data."""

    get: str = ""  # a name for `holdfast kb get`
    reader: str = ""  # a name of holdfast.kb.readers.READERS
    path: str = ""  # below the data folder
    types: tuple[str, ...] = ()  # keep only entities of these types
    options: Mapping[str, Any] = field(default_factory=dict)  # of the reader


TRAINED_ONLY: Final = ("encoder", "detector", "linker", "curve")
"""Protocols that make a model, and measure nothing."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A number that somebody published or measured, to stand beside ours."""

    by: str
    figures: Mapping[str, float]
    differs: str = ""  # what is not the same: encoder, data, knowledge base


@dataclass(frozen=True, slots=True)
class Recipe:
    """What to measure, and how."""

    name: str
    title: str
    protocol: str
    corpus: str = ""
    split: str = ""
    linker: str = "names"
    detector: str = ""  # end to end only
    only: tuple[str, ...] = ()  # types of gold mentions that count
    kb: KbSpec | None = None
    training_names: tuple[str, ...] = ()  # splits whose mentions become names
    fit: tuple[str, ...] = ()  # what is trained or fitted on: "bc5cdr dev"
    forgetful: float = 0.0  # share of mentions a linker is fitted on as in an unknown vocabulary
    typed: bool = False  # whether a linker is also fitted on mentions of known type
    held_out: tuple[str, ...] = ()  # what training must not see, besides the evaluated split
    without: tuple[str, ...] = ()  # parts that a ranked linker does without
    model: str = ""  # the recipe that trained what this one measures, if another
    by_type: bool = False  # `strict`: also a figure for each type of gold mention
    vocabularies: tuple[str, ...] = ()  # end to end: prefixes of the ids that count, each a figure
    removed: float = 0.0  # share of the evaluated split's entities that the knowledge base lacks
    also: tuple[str, ...] = ()  # further protocols on the same output
    settings: Mapping[str, Any] = field(default_factory=dict)  # of what is trained or measured
    references: tuple[Reference, ...] = ()

    def check_measured(self) -> None:
        """UsageError where there is nothing but a model to make."""
        if not self.is_measured:
            raise UsageError(
                f"recipe {self.name!r} measures nothing; `holdfast train {self.name}` makes it"
            )

    @property
    def is_measured(self) -> bool:
        return self.protocol not in TRAINED_ONLY


def read_recipe(name: str | Path) -> Recipe:
    """A recipe by its name among those that ship, or by the path of a TOML file."""
    path = Path(name)
    if path.suffix == ".toml":
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{path}: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise FormatError(f"not UTF-8 ({error.reason})", path=path) from error
    else:
        found = _shipped_files().get(str(name))
        if found is None:
            raise UsageError(f"no recipe is called {str(name)!r}; there is: {', '.join(shipped())}")
        text = found.read_text(encoding="utf-8")
    try:
        return _recipe(path.stem if path.suffix == ".toml" else str(name), tomllib.loads(text))
    except (tomllib.TOMLDecodeError, TypeError, KeyError) as error:
        raise FormatError(f"not a recipe: {error}", path=path) from error


def shipped() -> list[str]:
    """The names of the recipes inside the package."""
    return sorted(_shipped_files())


def _shipped_files() -> dict[str, Traversable]:
    """The recipes inside the package by name; each system has a folder of its own."""
    folders = [f for f in files("holdfast.experiments").joinpath("recipes").iterdir() if f.is_dir()]
    return {
        file.name.removesuffix(".toml"): file
        for folder in folders
        for file in folder.iterdir()
        if file.name.endswith(".toml")
    }


def _recipe(name: str, data: dict[str, Any]) -> Recipe:
    kb = data.pop("kb", None)
    references = data.pop("reference", [])
    return Recipe(
        name=name,
        kb=None if kb is None else KbSpec(**_tuples(KbSpec, kb)),
        references=tuple(
            Reference(r.pop("by"), differs=r.pop("differs", ""), figures=r) for r in references
        ),
        **_tuples(Recipe, data),
    )


def _tuples(kind: type, data: Mapping[str, Any]) -> dict[str, Any]:
    """Lists as tuples; a key that the dataclass does not have is a KeyError that names it."""
    known = {f.name for f in fields(kind)}
    for key in data:
        if key not in known:
            raise KeyError(f"unknown key {key}")
    return {k: tuple(v) if isinstance(v, list) else v for k, v in data.items()}

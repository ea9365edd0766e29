"""Recipes: one TOML file per published table row or shipped model.

A recipe says what is trained ([train]), what is run ([model]), what is measured ([evaluate]) over
which knowledge base ([kb]), and whose numbers stand beside ours ([[reference]]). docs/recipes.md
lists the keys.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final, TypeVar

from holdfast.errors import FormatError, UsageError

Section = TypeVar("Section")
Split = tuple[str, str]  # a corpus and its split

_OF_TRAIN: Final = ("kind", "on", "held_out", "select")
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "list": (list,),
    "str": (str,),
    "bool": (bool,),
    "int": (int,),
    "float": (int, float),
}


@dataclass(frozen=True, slots=True)
class KbSpec:
    """The knowledge base that a recipe links to: fetched, read from a file, or of a corpus."""

    get: str = ""  # a name for `holdfast kb get`, or of a knowledge base that was built
    reader: str = ""  # a name of holdfast.kb.readers.READERS
    path: str = ""  # below the data folder
    concepts_of: str = ""  # a corpus whose own concepts are the knowledge base
    types: tuple[str, ...] = ()  # keep only entities of these types
    training_names: tuple[str, ...] = ()  # splits whose mentions become names
    options: Mapping[str, Any] = field(default_factory=dict)  # of the reader


@dataclass(frozen=True, slots=True)
class Train:
    """How the recipe's model is trained."""

    kind: str  # as in holdfast.kinds.KINDS
    on: tuple[str, ...] = ()  # "bc5cdr train"
    held_out: tuple[str, ...] = ()  # what training must not see, besides what is evaluated
    select: str = ""  # what is looked at to choose: "bc5cdr dev"
    settings: Mapping[str, Any] = field(default_factory=dict)  # all other keys, for the kind


@dataclass(frozen=True, slots=True)
class Evaluate:
    """What is measured."""

    protocol: str
    corpus: str = ""
    split: str = ""
    only: tuple[str, ...] = ()  # types of gold mentions that count; all if there are none
    also: tuple[str, ...] = ()  # further protocols on the same output
    by_type: bool = False  # also a figure for each type of gold mention
    vocabularies: tuple[str, ...] = ()  # end to end: prefixes of the ids that count, each a figure
    removed: float = 0.0  # share of the evaluated split's entities that the knowledge base lacks
    calibration: bool = False  # also whether scores are probabilities
    documents: int | None = None  # how many are read; all if missing
    top: int = 20  # given mentions: how many candidates are ranked
    gold_added: bool = False  # `ranked`: gold entities join the candidates before the last part
    index: str = ""  # `lenient`: what ranks the names of a dictionary, instead of a model
    peer: str = ""  # end to end: another tool that links what the model finds


@dataclass(frozen=True, slots=True)
class Reference:
    """A number that somebody published or measured, to stand beside ours."""

    by: str
    figures: Mapping[str, float]
    differs: str = ""  # what is not the same: encoder, data, knowledge base


@dataclass(frozen=True, slots=True)
class Recipe:
    """What to train and measure, and how."""

    name: str
    title: str
    train: Train | None = None
    model: tuple[str, ...] = ()  # the model's parts by name; empty: what the recipe trains
    evaluate: Evaluate | None = None
    kb: KbSpec | None = None
    references: tuple[Reference, ...] = ()

    @property
    def measured(self) -> Evaluate:
        """What is measured; a UsageError where there is nothing but a model to train."""
        if self.evaluate is None:
            raise UsageError(
                f"recipe {self.name!r} measures nothing; `holdfast train {self.name}` makes it"
            )
        return self.evaluate

    @property
    def trained(self) -> Train:
        """How it is trained; a UsageError where nothing is."""
        if self.train is None:
            raise UsageError(f"recipe {self.name!r} trains nothing: it has no [train]")
        return self.train

    @property
    def evaluated(self) -> list[Split]:
        """The split that is measured, if any."""
        found = self.evaluate
        return [(found.corpus, found.split)] if found and found.corpus else []

    @property
    def training_names(self) -> tuple[str, ...]:
        """Splits whose mentions are names, of the knowledge base or of what is trained."""
        own = self.kb.training_names if self.kb else ()
        return own or tuple(self.train.settings.get("names_of", ()) if self.train else ())


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
    except KeyError as error:
        raise FormatError(f"not a recipe: {error.args[0]} is missing", path=path) from error
    except (ValueError, TypeError) as error:
        raise FormatError(f"not a recipe: {error}", path=path) from error


def shipped() -> list[str]:
    """The names of the recipes inside the package."""
    return sorted(_shipped_files())


def recipe_that_writes(model: str) -> str:
    """The recipe whose training writes the model folder of this name.

    Training may write more folders than its own, under longer names: `NAME-int8`, or `NAME-typing`
    of a model of several tasks per token. Without a recipe for it, the name itself.
    """
    names = [name for name in shipped() if model == name or model.startswith(f"{name}-")]
    trained = (name for name in sorted(names, key=len, reverse=True) if read_recipe(name).train)
    return next(trained, model.removesuffix("-int8"))


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
    known = ("title", "train", "model", "evaluate", "kb", "reference")
    if unknown := set(data) - set(known):
        raise ValueError(f"unknown key {min(unknown)}")
    model = _table(data, "model") or {}
    if unknown := set(model) - {"parts"}:
        raise ValueError(f"unknown key {min(unknown)} in [model]")
    parts = model.get("parts", [])
    if not isinstance(parts, list):
        raise TypeError(f"parts = {parts!r} in [model]; it must be a list")
    return Recipe(
        name=name,
        title=data["title"],
        train=_train(data),
        model=tuple(parts),
        evaluate=_section(Evaluate, data, "evaluate"),
        kb=_section(KbSpec, data, "kb"),
        references=tuple(
            Reference(r.pop("by"), differs=r.pop("differs", ""), figures=r)
            for r in data.get("reference", [])
        ),
    )


def _table(data: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    found = data.get(name)
    if found is not None and not isinstance(found, dict):
        raise TypeError(f"{name} = {found!r}; it must be a section, [{name}]")
    return found


def _train(data: Mapping[str, Any]) -> Train | None:
    table = _table(data, "train")
    if table is None:
        return None
    own = {key: value for key, value in table.items() if key in _OF_TRAIN}
    settings = {key: value for key, value in table.items() if key not in _OF_TRAIN}
    return Train(**_values(Train, own, "train"), settings=_tuples(settings))


def _section(kind: type[Section], data: Mapping[str, Any], name: str) -> Section | None:
    """A section as its dataclass; a ValueError names a key that this does not have."""
    table = _table(data, name)
    return None if table is None else kind(**_values(kind, table, name))


def _values(kind: type[Any], table: Mapping[str, Any], name: str) -> dict[str, Any]:
    """What the dataclass is made with; a text where it has several, or the reverse, is refused."""
    known = {field.name: field for field in fields(kind)}
    for key, value in table.items():
        if key not in known:
            raise ValueError(f"unknown key {key} in [{name}]")
        expected = "list" if str(known[key].type).startswith("tuple") else str(known[key].type)
        if expected in _TYPES and not isinstance(value, _TYPES[expected]):
            raise TypeError(f"{key} = {value!r} in [{name}]; it must be {expected}")
    if missing := [n for n, f in known.items() if n not in table and _is_needed(f)]:
        raise KeyError(f"{missing[0]} in [{name}]")
    return _tuples(table)


def _is_needed(field: Field[Any]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def _tuples(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in data.items()}

"""The settings of a recipe's [train] as the configuration of what is trained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from holdfast.errors import UsageError
from holdfast.experiments.recipe import Recipe

Config = TypeVar("Config")


def read_config(kind: type[Config], recipe: Recipe) -> Config:
    """The recipe's settings as a configuration dataclass, tables as those inside it.

    What the recipe does not say is the default. A setting that the dataclass does not have is a
    UsageError that names it.
    """
    where = f"recipe {recipe.name!r}"
    try:
        return kind(**_values(kind, recipe.trained.settings, where))
    except (TypeError, ValueError) as error:
        raise UsageError(f"{where}: {error}") from error


def read_parts(recipe: Recipe, *kinds: Any) -> list[Any]:
    """The recipe's settings as several configuration dataclasses, in the order of `kinds`.

    Every key goes to the dataclass that has it; one that none has is a UsageError that names it.
    """
    left = dict(recipe.trained.settings)
    where = f"recipe {recipe.name!r}"
    parts = []
    for kind in kinds:
        names = [field.name for field in fields(kind) if field.name in left]
        try:
            parts.append(kind(**{name: left.pop(name) for name in names}))
        except (TypeError, ValueError) as error:
            raise UsageError(f"{where}: {error}") from error
    if left:
        raise UsageError(f"{where}: no setting is called {min(left)!r}")
    return parts


def _values(kind: Any, data: Mapping[str, Any], where: str) -> dict[str, Any]:
    known = {field.name: field for field in fields(kind)}
    values = dict[str, Any]()
    for key, value in data.items():
        if key not in known:
            raise UsageError(f"{where}: no setting is called {key!r}")
        default = _default(known[key])
        if is_dataclass(default):
            if not isinstance(value, Mapping):
                raise UsageError(f"{where}: {key} = {value!r}; it must be a table, [train.{key}]")
            inner = _values(type(default), value, f"{where}, [train.{key}]")
            values[key] = replace(cast("Any", default), **inner)
        else:
            values[key] = value
    return values


def _default(field: Field[Any]) -> object:
    return field.default_factory() if field.default_factory is not MISSING else field.default

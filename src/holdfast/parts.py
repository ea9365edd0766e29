"""The parts of a model: found by name, completed by those of the default, checked for the flow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from holdfast import artifacts
from holdfast.errors import UsageError
from holdfast.kinds import roles_of
from holdfast.models import PIPELINE, VERSION, find_model, manifest_of, parts_of
from holdfast.step import LINKS, MENTIONS, TYPES, Roles

DEFAULT_MODEL: Final = "default"

Model = str | Path
Models = Model | Sequence[Model]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a model and what it needs and adds."""

    folder: Path
    roles: Roles

    @property
    def about(self) -> str:
        return f"{manifest_of(self.folder).kind} {self.folder.name!r}"


def model_parts(model: Models, *, marked: bool = False) -> list[Path]:
    """The folders of a model's parts, in the order of the flow.

    `marked`: without what only finds mentions. A UsageError if the model is nothing else.
    """
    models = [model] if isinstance(model, str | Path) else model
    named = [part for one in models for part in parts_of(find_model(one))]
    if not named:
        raise UsageError("a model has at least one part, and none is named")
    if marked and all(roles_of(part).adds == {MENTIONS} for part in named):
        raise UsageError(
            f"{named[0].name!r} only finds mentions, and what is marked is not looked for; take a "
            "linker"
        )
    found = _completed(named) if isinstance(model, str | Path) else named
    return [part for part in found if not marked or roles_of(part).adds != {MENTIONS}]


def typing_parts(model: Model | None) -> list[Path]:
    """The folder of a model that adds types and nothing else; none if none is asked for."""
    if model is None:
        return []
    folder = find_model(model)
    if roles_of(folder).adds != {TYPES}:
        raise UsageError(f"{folder.name!r} is a {manifest_of(folder).kind}; take a typing model")
    return [folder]


def _completed(parts: list[Path]) -> list[Path]:
    """A model that lacks a detector or a linker, with those of the default model."""
    if len(parts) > 1:
        return parts
    own = roles_of(parts[0])
    lacking = {MENTIONS, LINKS} - (own.adds - own.needs)
    usual = [p for p in parts_of(find_model(DEFAULT_MODEL)) if roles_of(p).adds & lacking]
    if not own.adds or not lacking:
        return parts
    before = [part for part in usual if roles_of(part).adds & own.needs or LINKS in own.needs]
    return [*before, *parts, *(part for part in usual if part not in before)]


def check_roles(parts: Sequence[Part], *, marked: bool, nested: bool) -> None:
    """A UsageError for a part that does not find what it needs, or cannot do what is asked."""
    there = {MENTIONS} if marked else set[str]()
    what = {MENTIONS: "a detector", LINKS: "a linker"}
    for part in parts:
        if not part.roles.adds:
            raise UsageError(f"{part.folder}: holds a {part.about}, which cannot link by itself")
        for need in sorted(part.roles.needs - there):
            raise UsageError(f"the {part.about} needs {need}; add {what.get(need, need)} before it")
        if marked and MENTIONS in part.roles.adds:
            raise UsageError(f"the {part.about} links only what it finds itself; take another")
        if nested and MENTIONS in part.roles.adds and not part.roles.nests:
            raise UsageError(f"the {part.about} finds no mentions inside others; take another")
        there |= part.roles.adds
    if nested and not any(part.roles.nests for part in parts):
        raise UsageError("nested mentions are found by a detector, and none is in this pipeline")


def join_models(folder: Path, models: Sequence[Model]) -> None:
    """Write a pipeline of these models, in the order of the flow, as the model folder `folder`.

    A part beside the folder, or one that is known by name, is listed by its name, any other by
    where it is.
    """
    found = model_parts(list(models))
    check_roles([Part(part, roles_of(part)) for part in found], marked=False, nested=False)
    names = [_name_from(part, folder.absolute()) for part in found]
    about = "joined from " + " and ".join(part.name for part in found)
    with artifacts.publish(folder) as scratch:
        config = {"parts": names, "about": about}
        artifacts.write_manifest(scratch, kind=PIPELINE, version=VERSION, config=config)


def _name_from(part: Path, folder: Path) -> str:
    """By what a pipeline in `folder` finds its part."""
    try:
        is_named = find_model(part.name, beside=folder).resolve() == part.resolve()
    except UsageError:
        is_named = False
    return part.name if is_named else str(part.resolve())

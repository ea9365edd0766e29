"""What the service knows without linking: names, entities, types, models.

These are quick look-ups in memory-mapped columns. They run in the process that speaks HTTP, so that
a type-ahead does not wait behind long texts.
"""

from __future__ import annotations

from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any, Final

import holdfast
from holdfast import artifacts
from holdfast.errors import KnowledgeBaseError, UnknownEntityError, UsageError
from holdfast.kb.describe import describe, entity_to_json, search
from holdfast.kb.hierarchy import children_of, parents_of
from holdfast.kb.prefixes import PrefixIndex, open_prefixes
from holdfast.kb.store import KnowledgeBase, open_kb
from holdfast.models import DEFAULT_TYPES, describe_model, find_model, manifest_of, parts_of
from holdfast.parts import typing_parts
from holdfast.server.failures import Failure
from holdfast.server.settings import Settings

_CHILDREN: Final = 500  # that an entity's answer lists


class Catalog:
    """The knowledge bases and models that are served, by the names that requests give."""

    def __init__(self, settings: Settings) -> None:
        """Knowledge bases are opened when they are first asked for, or checked."""
        self._settings = settings
        self._models = {Path(given).name: given for given in settings.models}
        self._prefixes: dict[str, PrefixIndex] = {}
        self._opening = Lock()

    @cached_property
    def _kbs(self) -> dict[str, tuple[str, KnowledgeBase]]:
        """By name: each as the settings give it, and opened."""
        opened = {given: open_kb(given) for given in self._settings.kbs}
        return {kb.name: (given, kb) for given, kb in opened.items()}

    def check(self) -> None:
        """A HoldfastError if a knowledge base or model is missing, damaged, or not unique.

        Every byte is hashed: what was checked long ago may have been changed since.
        """
        for given in self._settings.models:
            for part in parts_of(find_model(given)):
                artifacts.verify(part, manifest_of(part), afresh=True)
        if self._settings.type_model is not None or self._has_typing():
            for part in typing_parts(self._type_model):
                artifacts.verify(part, manifest_of(part), afresh=True)
        for _, kb in self._kbs.values():
            artifacts.verify(kb.folder, kb.manifest, error=KnowledgeBaseError, afresh=True)
        served = self._settings
        if len(self._kbs) < len(served.kbs) or len(self._models) < len(served.models):
            raise UsageError("two of the knowledge bases or models that are served have one name")

    def warm_up(self) -> None:
        """Make what the first type-ahead would have to wait for."""
        for _, kb in self._kbs.values():
            self._prefix_index(kb)

    def kb_given(self, name: str | None) -> str:
        """The knowledge base as the settings name it; without a name, the first."""
        return self._find(name)[0]

    def kb(self, name: str | None) -> KnowledgeBase:
        return self._find(name)[1]

    def _find(self, name: str | None) -> tuple[str, KnowledgeBase]:
        if name is None:
            return next(iter(self._kbs.values()))
        if name not in self._kbs:
            there = ", ".join(self._kbs)
            raise Failure("invalid_option", f"no such knowledge base is served; there is: {there}")
        return self._kbs[name]

    def model_given(self, name: str | None) -> str:
        """The model as the settings name it; without a name, the first."""
        if name is None:
            return self._settings.models[0]
        if name not in self._models:
            there = ", ".join(self._models)
            raise Failure("invalid_option", f"no such model is served; there is: {there}")
        return self._models[name]

    @property
    def _type_model(self) -> str:
        return self._settings.type_model or DEFAULT_TYPES

    def typing_given(self) -> str:
        """The typing model; a Failure that says how to get it, if it is not here."""
        try:
            typing_parts(self._type_model)
        except UsageError as error:
            raise Failure("invalid_option", f"types need a typing model: {error}") from None
        return self._type_model

    def _has_typing(self) -> bool:
        """Whether the typing model is here; it may be fetched while the service runs."""
        try:
            return bool(typing_parts(self._type_model))
        except UsageError:
            return False

    def search(self, query: str, *, kb: str | None, top: int, prefix: bool) -> dict[str, Any]:
        """As `holdfast kb search --json` prints it; with `prefix`, names that begin so first."""
        base = self.kb(kb)
        found = self._prefix_index(base).search(query, top=top) if prefix else []
        known = {item.entity.id for item in found}
        if len(found) < top:
            alike = search(base, query, top=top)
            found += [item for item in alike if item.entity.id not in known]
        return {"found": [item.to_json() for item in found[:top]]}

    def _prefix_index(self, kb: KnowledgeBase) -> PrefixIndex:
        with self._opening:
            if kb.name not in self._prefixes:
                self._prefixes[kb.name] = open_prefixes(kb)
            return self._prefixes[kb.name]

    def entity(self, id: str, *, kb: str | None) -> dict[str, Any]:
        """All that is known of an entity, with what is directly above and below it."""
        base = self.kb(kb)
        try:
            entity = base.entity(id)
        except UnknownEntityError:
            message = f"there is no such id in the knowledge base {base.name!r}"
            raise Failure("unknown_entity", message) from None
        children = children_of(base, entity.id)
        return {
            **entity_to_json(entity),
            "parents": [_related(base, parent) for parent in parents_of(base, entity.id)],
            "children": [
                {"id": base.id_at(row), "label": base.label_at(row)} for row in children[:_CHILDREN]
            ],
            "n_children": len(children),
        }

    def types(self, *, kb: str | None) -> dict[str, Any]:
        base = self.kb(kb)
        counted = describe(base).types
        return {"kb": base.name, "types": [{"type": t, "entities": n} for t, n in counted]}

    def models(self) -> dict[str, Any]:
        """What is served, without the folders that it lies in."""
        typing = _described(self._type_model) if self._has_typing() else None
        return {
            "version": holdfast.__version__,
            "models": [_described(given) for given in self._settings.models],
            "typing_model": typing,
            "knowledge_bases": self._described_kbs,
            "limits": asdict(self._settings.limits),
        }

    @cached_property
    def _described_kbs(self) -> list[dict[str, Any]]:
        return [describe(kb).to_json() for _, kb in self._kbs.values()]


def _described(model: str) -> dict[str, Any]:
    """What a model says of itself, without its folder."""
    return {k: v for k, v in describe_model(model).to_json().items() if k != "folder"}


def _related(kb: KnowledgeBase, id: str) -> dict[str, str]:
    """An id with its name; empty if the hierarchy refers to what is not in here."""
    row = kb.row_of(id)
    return {"id": id, "label": "" if row is None else kb.label_at(row)}

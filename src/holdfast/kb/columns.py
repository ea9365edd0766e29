"""The files of a knowledge base: its manifest, checked, and its tables, memory-mapped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from holdfast import artifacts
from holdfast.errors import KnowledgeBaseError
from holdfast.kb.build import KIND, VERSION, Source
from holdfast.kb.tables import SCHEMAS, column, read_table
from holdfast.text.tokens import KEY_RULES


class Columns:
    """Opens a folder that `build_kb` wrote; a KnowledgeBaseError says what is wrong with it."""

    def __init__(self, folder: Path) -> None:
        self.manifest = _checked_manifest(folder)
        config = self.manifest.config
        try:
            self.name: str = config["name"]
            self.sources = tuple(Source(**source) for source in config["sources"])
            self.types: tuple[str, ...] = tuple(config["types"])
            self.predicates: tuple[str, ...] = tuple(config["predicates"])
            self.origins: tuple[str, ...] = tuple(config["origins"])
        except (KeyError, TypeError) as error:
            raise KnowledgeBaseError(
                f"{folder / artifacts.MANIFEST}: damaged ({error}); build or fetch it again"
            ) from error
        self.tables = {table: _table(folder / f"{table}.arrow") for table in SCHEMAS}

    def rows_of(self, table: str, entity: int) -> Any:
        """The rows of a table that speak of an entity, in their order."""
        start, end = self._range_of(table, entity)
        return self.tables[table].slice(start, end - start)

    def count_of(self, table: str, entity: int) -> int:
        """How many rows of a table speak of an entity."""
        start, end = self._range_of(table, entity)
        return end - start

    def _range_of(self, table: str, entity: int) -> tuple[int, int]:
        owner = column(self.tables[table], "entity")
        bounds = np.array([entity, entity + 1], dtype=np.uint32)
        start, end = np.searchsorted(owner, bounds).tolist()
        return start, end


def _checked_manifest(folder: Path) -> artifacts.Manifest:
    """The manifest, if this Holdfast can read the folder and its files are as they were written."""
    manifest = artifacts.read_manifest(folder, kind=KIND, version=VERSION, error=KnowledgeBaseError)
    if manifest.version < VERSION:
        raise KnowledgeBaseError(
            f"{folder}: written by an older Holdfast (layout {manifest.version}, this one reads "
            f"{VERSION}); build or fetch it again"
        )
    artifacts.verify(folder, manifest, error=KnowledgeBaseError)
    if manifest.config.get("key_rules") != KEY_RULES:
        raise KnowledgeBaseError(
            f"{folder}: its names were indexed by the rules of another Holdfast; build or fetch "
            "it again"
        )
    return manifest


def _table(path: Path) -> Any:
    try:
        return read_table(path)
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise KnowledgeBaseError(f"{path}: damaged ({reason}); build or fetch it again") from error

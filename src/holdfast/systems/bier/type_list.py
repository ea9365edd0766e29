"""The types of a type system: their names, how often each was seen, and what was merged in each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast.errors import ArtifactError, FormatError, UsageError
from holdfast.files import numbered_lines
from holdfast.systems.bier.categories import Category

FILE: Final = "types.tsv"
_HEADER: Final = "type\tcount\tcategories"


@dataclass(frozen=True, slots=True)
class EntityType:
    """A dimension of the sparse representation."""

    name: str  # for people, unique in its list
    count: int  # triples that have it
    keys: tuple[str, ...]  # of the categories that it stands for


@dataclass(frozen=True)
class TypeList:
    """Types by number: the order is that of the rows of a typing model's head."""

    types: tuple[EntityType, ...]

    def __len__(self) -> int:
        return len(self.types)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(type.name for type in self.types)

    @cached_property
    def number_of(self) -> dict[str, int]:
        """The number of a type by its name."""
        return {type.name: number for number, type in enumerate(self.types)}

    @cached_property
    def number_of_key(self) -> dict[str, int]:
        """The number of a type by the key of a category."""
        return {key: number for number, type in enumerate(self.types) for key in type.keys}

    def numbers(self, categories: Iterable[Category]) -> npt.NDArray[np.int32]:
        """The types that these categories are, ascending; what is no type is left out."""
        known = self.number_of_key
        found = {known[category.key] for category in categories if category.key in known}
        return np.array(sorted(found), dtype=np.int32)

    def write(self, folder: Path) -> None:
        lines = (f"{t.name}\t{t.count}\t{' '.join(t.keys)}" for t in self.types)
        (folder / FILE).write_text("\n".join([_HEADER, *lines, ""]), encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> TypeList:
        """The list of a folder; an ArtifactError if it is damaged."""
        path = folder / FILE
        if not path.exists():
            raise ArtifactError(f"{path}: missing; build or fetch it again")
        found = list[EntityType]()
        for number, line in numbered_lines(path):
            name, *rest = line.split("\t")
            if number == 1 or not line:
                continue
            if len(rest) != 2 or not rest[0].isdigit() or not name:
                raise ArtifactError(f"{path}, line {number}: damaged; build or fetch it again")
            found.append(EntityType(name, int(rest[0]), tuple(rest[1].split(" "))))
        return cls(tuple(found))


def check_fits(types: TypeList, rows: int, folder: Path) -> None:
    """An ArtifactError if a head has other rows than the list has types."""
    if len(types) != rows:
        raise ArtifactError(
            f"{folder}: its list has {len(types):,} types and its head {rows:,} rows; "
            "they are not of one model, fetch or train it again"
        )


def read_weights(path: Path, types: Sequence[str]) -> npt.NDArray[np.float32]:
    """A weight for each type, from a file of lines "type, tab, weight"; 1 where it says nothing.

    A line with a type alone switches it off. A name that is no type is a UsageError.
    """
    numbers = {name: number for number, name in enumerate(types)}
    weights = np.ones(len(types), dtype=np.float32)
    for number, line in numbered_lines(path):
        if not line.strip() or line.startswith("#"):
            continue
        name, _, value = (part.strip() for part in line.partition("\t"))
        if name not in numbers:
            raise UsageError(f"{path}, line {number}: the model has no type {name!r}")
        try:
            weight = float(value) if value else 0.0
        except ValueError:
            raise FormatError(f"{value!r} is no weight", path=path, line=number) from None
        if not 0.0 <= weight < float("inf"):
            raise FormatError(f"{value!r}: a weight is 0 or more", path=path, line=number)
        weights[numbers[name]] = weight
    return weights

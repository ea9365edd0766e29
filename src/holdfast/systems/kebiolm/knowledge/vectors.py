"""Vectors of entities and relations that TransE learned: a model folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from holdfast import artifacts
from holdfast.errors import ArtifactError
from holdfast.systems.kebiolm.knowledge.triples import SplitTriples

KIND: Final = "transe"
VERSION: Final = 1
VECTORS: Final = "vectors.npz"

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class KnowledgeVectors:
    """A vector for each entity and relation of some triples."""

    split: SplitTriples
    entities: Floats  # (entities, width)
    relations: Floats  # (relations, width)
    digest: str = ""

    def write(self, folder: Path, *, config: Mapping[str, Any]) -> None:
        """Write the model folder, or replace it."""
        with artifacts.publish(folder) as scratch:
            self.split.write(scratch)
            np.savez(scratch / VECTORS, entities=self.entities, relations=self.relations)
            artifacts.write_manifest(scratch, kind=KIND, version=VERSION, config=config)

    @classmethod
    def open(cls, folder: Path) -> KnowledgeVectors:
        """An ArtifactError if the folder is damaged or holds something else."""
        manifest = artifacts.read_manifest(folder, kind=KIND, version=VERSION)
        artifacts.verify(folder, manifest)
        try:
            with np.load(folder / VECTORS) as stored:
                entities = stored["entities"].astype(np.float32)
                relations = stored["relations"].astype(np.float32)
        except (OSError, ValueError, KeyError) as error:
            raise ArtifactError(f"{folder}: damaged ({error}); train it again") from error
        return cls(SplitTriples.read(folder), entities, relations, manifest.digest)

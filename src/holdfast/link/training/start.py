"""The linker that a training begins with: its ranking, and the names that it remembers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from holdfast import artifacts
from holdfast.errors import UsageError
from holdfast.kb.store import KnowledgeBase
from holdfast.link.ranking import used_names
from holdfast.link.ranking.ranker import KIND, VERSION, Ranker
from holdfast.link.ranking.used_names import UsedNames
from holdfast.models import find_model


@dataclass(frozen=True, slots=True, eq=False)
class Start:
    """A trained linker. What is trained keeps its names, and its ranking unless it finds better."""

    name: str
    ranker: Ranker
    used: UsedNames
    recipes: tuple[str, ...]
    without: tuple[str, ...]

    @classmethod
    def open(cls, name: str) -> Start:
        folder = find_model(name)
        manifest = artifacts.read_manifest(folder, kind=KIND, version=VERSION)
        artifacts.verify(folder, manifest)
        has_names = used_names.FILE in manifest.files
        return cls(
            name=name,
            ranker=Ranker.read(folder),
            used=UsedNames.open(folder) if has_names else UsedNames((), (), ()),
            recipes=tuple(manifest.config["recipes"]),
            without=tuple(manifest.config["without"]),
        )

    def check_parts(self, without: tuple[str, ...]) -> None:
        """A UsageError unless the new linker has the same parts: features are made by them."""
        if set(self.without) != set(without):
            raise UsageError(
                f"the linker to start from does without {self.without}, the new one {without}"
            )

    def describe(self, chosen: Ranker) -> str:
        """One line that says whose ranking was taken."""
        if chosen is not self.ranker:
            return "ranking: fitted anew"
        return (
            f"ranking: that of {self.name!r} stays, since one fitted anew does worse on mentions "
            "that it has not seen; the names of this corpus are remembered"
        )

    def description(self, chosen: Ranker, recipe: str) -> dict[str, Any]:
        """What the manifest of the new linker says of it."""
        return {
            "recipes": [*self.recipes, recipe],
            "start": self.name,
            "is_ranking_new": chosen is not self.ranker,
        }

    def names_with(self, own: UsedNames, kb: KnowledgeBase) -> UsedNames:
        """`own`, and the remembered names of those entities that the knowledge base has."""
        return own.joined(self.used, kept=kb.rows_known_as(self.used.entity_ids) >= 0)

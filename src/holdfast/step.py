"""The one interface of everything that can stand in a pipeline: steps, and kinds of model folders.

A step takes a document and returns a richer copy. A kind knows one sort of model folder: what such
a model needs and adds, what it makes of a knowledge base before it can run, and how it is opened
and trained. `holdfast.kinds.KINDS` is the table of all kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from holdfast.document import Document
from holdfast.progress import Progress, ignore_progress

if TYPE_CHECKING:
    from holdfast.kb.store import KnowledgeBase

MENTIONS: Final = "mentions"
LINKS: Final = "links"
TYPES: Final = "types"
RELATIONS: Final = "relations"


class Step(Protocol):
    """A function from Document to Document that knows what it was made of."""

    @property
    def digest(self) -> str:
        """Identifies its files and configuration; empty if it has none."""

    def __call__(self, document: Document) -> Document:
        """Return the document, enriched."""

    def pipe(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Enrich many documents, in order; some steps are faster on several at once."""


@dataclass(frozen=True, slots=True)
class Each:
    """A step that applies a plain function to each document."""

    function: Callable[[Document], Document]
    digest: str = ""

    def __call__(self, document: Document) -> Document:
        return self.function(document)

    def pipe(self, documents: Iterable[Document]) -> Iterator[Document]:
        return map(self.function, documents)


@dataclass(frozen=True, slots=True)
class Roles:
    """What a model finds in a document and what it adds: mentions, links, types, relations."""

    needs: frozenset[str] = frozenset()
    adds: frozenset[str] = frozenset()
    nests: bool = False  # whether it can also find mentions inside longer ones
    types: tuple[str, ...] = ()  # of mentions that it finds, beside those of holdfast.types


def roles(
    *,
    needs: Iterable[str] = (),
    adds: Iterable[str] = (),
    nests: bool = False,
    types: Iterable[str] = (),
) -> Roles:
    """Roles from any iterables of names."""
    return Roles(frozenset(needs), frozenset(adds), nests, tuple(types))


@dataclass(frozen=True, slots=True)
class Options:
    """What a user asks of every step of a pipeline."""

    only: tuple[str, ...] | None = None  # the types of mentions that are wanted; None: the usual
    top: int = 5  # how many candidates each mention keeps
    nested: bool = False  # also find mentions inside longer ones
    threads: int | None = None  # of each network; None: as many as there are cores
    progress: Progress = field(default=ignore_progress, compare=False)


class Kind(Protocol):
    """One sort of model folder. Its manifest has the kind's name and the configuration."""

    @property
    def name(self) -> str:
        """As manifests have it, e.g. "dual encoder"."""

    @property
    def trainer(self) -> str:
        """Where its training function is, "package.module:function"; empty if nothing is trained.

        The function takes a holdfast.experiments.recipe.Recipe and, by keyword, `data`, `out`
        and `report`. It is imported only to train, since it needs torch.
        """

    def roles(self, config: Mapping[str, Any]) -> Roles:
        """What a model with this configuration needs and adds; nothing if it is no step."""

    def prepare(self, folder: Path, kb: KnowledgeBase, progress: Progress) -> None:
        """Make and keep what the model needs of a knowledge base, e.g. vectors of its names.

        An ArtifactError if it cannot be written.
        """

    def open(self, folder: Path, kb: KnowledgeBase, options: Options) -> Step:
        """Make the step. What `prepare` would make is made first where it is missing, as far as
        the model needs it and it can be written; `options.progress` reports it."""

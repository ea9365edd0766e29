"""What is asked of workers: the options of a pipeline, and documents in pieces of work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from holdfast.document import Document

_DOCUMENTS: Final = 8  # of one piece
_CHARACTERS: Final = 20_000  # of one piece, unless one document is longer

Task = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PipelineChoice:
    """The options of a request that make a pipeline another one."""

    kb: str
    model: str
    only: tuple[str, ...] | None = None
    top: int = 5
    min_score: float = 0.0
    nested: bool = False
    map_to: str | None = None
    types: str | None = None  # the typing model, as a name or folder

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PipelineChoice:
        only = data["only"]
        return cls(**{**data, "only": None if only is None else tuple(only)})


@dataclass(frozen=True, slots=True)
class TaskPiece:
    """A task and how many characters it is about."""

    task: Task
    size: int


def pieces(
    operation: str, documents: Iterable[Document], choice: PipelineChoice
) -> Iterator[TaskPiece]:
    """The documents in order, cut into pieces that take a worker a second or so."""
    block, size = list[Document](), 0
    for document in documents:
        if block and (len(block) == _DOCUMENTS or size + len(document.text) > _CHARACTERS):
            yield _piece(operation, block, choice)
            block, size = [], 0
        block.append(document)
        size += len(document.text)
    if block:
        yield _piece(operation, block, choice)


def _piece(operation: str, documents: list[Document], choice: PipelineChoice) -> TaskPiece:
    task = {
        "operation": operation,
        "choice": choice.to_json(),
        "documents": [document.to_json() for document in documents],
    }
    return TaskPiece(task, sum(len(document.text) for document in documents))

"""What a multi-task model consists of: its tasks, its set-up and its layout."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, Literal

from holdfast.errors import InvalidValueError

RECOGNITION: Final = "recognition"
TYPING: Final = "typing"
LINKING: Final = "linking"
TASKS: Final = (RECOGNITION, TYPING, LINKING)
"""From the lowest to the highest: a task of a hierarchical model reads the encoder below it."""

EMBEDDINGS: Final = "embeddings"
"""The encoder of the baseline: token embeddings alone, which a BiLSTM reads."""

MULTITASK: Final = "multi-task model"
READING: Final = "multi-task reading"
SWITCHED: Final = "multi-task model with names"
"""The kinds of model folders of this system."""

Layout = Literal["single", "multi", "hierarchical"]
Setup = Literal["token", "entity"]

_ALLOWED: Final = {
    "layout": ("single", "multi", "hierarchical"),
    "setup": ("token", "entity"),
}


@dataclass(frozen=True, slots=True)
class MultitaskShape:
    """Which networks there are, whatever they learn from.

    Per token, all tasks tag words. Per entity, recognition tags words; typing and linking classify
    spans by the mean of their words' states.
    """

    encoder: str = "minilm"  # or "embeddings", or the folder of a Hugging Face model
    layout: Layout = "hierarchical"
    setup: Setup = "entity"
    tasks: tuple[str, ...] = TASKS
    lstm_width: int = 128  # of each direction of a task's encoder
    lstm_layers: int = 2
    shortcut: bool = True  # a head also reads the token encoder's states, past the task's encoder
    crf: bool = False  # tags are scored in pairs; of a single task that is not linking
    dropout: float = 0.1  # of the states that a head reads

    def __post_init__(self) -> None:
        for name, values in _ALLOWED.items():
            if getattr(self, name) not in values:
                raise InvalidValueError(
                    f"{name} = {getattr(self, name)!r}: it is one of {', '.join(values)}"
                )
        if not self.tasks or list(self.tasks) != [task for task in TASKS if task in self.tasks]:
            raise InvalidValueError(
                f"tasks = {list(self.tasks)}: they are some of {', '.join(TASKS)}, in this order"
            )
        if self.layout == "single" and len(self.tasks) > 1:
            raise InvalidValueError(f"layout = 'single' has one task, not {len(self.tasks)}")
        if self.layout == "multi" and self.setup == "entity":
            raise InvalidValueError("layout = 'multi' is per token; per entity is hierarchical")
        if self.crf and self.tasks not in ((RECOGNITION,), (TYPING,)):
            raise InvalidValueError("crf = true is for recognition or typing as the single task")

    @property
    def has_task_encoders(self) -> bool:
        return self.layout == "hierarchical" or self.encoder == EMBEDDINGS

    @property
    def needs_mentions(self) -> bool:
        """Whether mentions must be there already: it classifies spans and recognises none."""
        return self.setup == "entity" and RECOGNITION not in self.tasks

    def head_width(self, width: int) -> int:
        """What a head reads of a word. `width` of the token encoder's states."""
        if not self.has_task_encoders:
            return width
        return 2 * self.lstm_width + (width if self.shortcut else 0)

    def is_tagging(self, task: str) -> bool:
        return self.setup == "token" or task == RECOGNITION


def shape_of(config: Mapping[str, Any]) -> MultitaskShape:
    """From a manifest's values; what is none of the shape's is left aside."""
    known = {field.name for field in fields(MultitaskShape)}
    values = {key: value for key, value in config.items() if key in known}
    if "tasks" in values:
        values["tasks"] = tuple(values["tasks"])
    return MultitaskShape(**values)

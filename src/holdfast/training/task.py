"""What a system brings to the training loop: its model, examples, losses, and how long to train."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Generic, TypeVar

from torch import Tensor, nn

from holdfast.training.precision import Precision

Example = TypeVar("Example")


@dataclass(frozen=True, slots=True)
class LoopConfig:
    """How long and how carefully. Learning rates belong to the task's parameter groups."""

    steps: int
    batch: int = 16  # examples of a step, in each process
    accumulate: int = 1  # parts that a process's share is computed in, to bound memory
    warm_up: float = 0.1  # share of the steps with a rising rate, before the linear decay to 0
    weight_decay: float = 0.01
    clip: float = 1.0  # largest norm of the gradient; 0: no clipping
    evaluate_every: int = 0  # steps between evaluations; 0: after the last step only
    evaluate_first: bool = False  # also before the first step
    report_every: int = 20
    save_every: int = 100
    seed: int = 0
    threads: int = 0  # 0: as many as torch takes by itself
    precision: Precision = "float32"  # bfloat16: that of layers, where the processor has it


def split_config(config: Any) -> tuple[LoopConfig, dict[str, Any]]:
    """Split a trainer's dataclass into the loop's fields, by their names, and the trainer's own.

    The loop compares its fields itself when a run goes on, and lets some of them change.
    """
    of_loop, own = dict[str, Any](), dict[str, Any]()
    known = {field.name for field in fields(LoopConfig)}
    for name, value in asdict(config).items():
        (of_loop if name in known else own)[name] = value
    return LoopConfig(**of_loop), own


@dataclass(frozen=True, slots=True)
class ParameterGroup:
    """Parameters that share a learning rate."""

    parameters: Sequence[nn.Parameter]
    rate: float
    weight_decay: float | None = None  # None: the loop's


@dataclass(frozen=True, slots=True)
class Loss:
    """The sum of a loss over examples, and how much they weigh: the step minimises their ratio."""

    total: Tensor  # a scalar with a gradient, or without one if nothing could be learned
    weight: float  # usually the number of examples, mentions or words


class Task(ABC, Generic[Example]):
    """What a system brings to the loop."""

    model: nn.Module
    selected_by: str = ""  # the development figure whose highest value is kept; "": the last step

    @abstractmethod
    def parameter_groups(self) -> Sequence[ParameterGroup]:
        """All parameters that are trained, each in one group."""

    @abstractmethod
    def draw(self, step: int, count: int) -> Sequence[Example]:
        """The examples of a step. They depend on the step alone, so that a run can go on."""

    @abstractmethod
    def loss(self, examples: Sequence[Example]) -> Loss:
        """Of some of a step's examples. Randomness comes from torch's seeded generator."""

    def refresh(self, done: int) -> None:
        """Called before the first step and after each, for instance to encode a cache anew.

        Not called when a run goes on: what it made must be in `state`.
        """

    def evaluate(self) -> Mapping[str, float]:
        """Figures on development data; empty if there is none."""
        return {}

    def state(self) -> dict[str, Tensor]:
        """Tensors beside the model that an exact resume needs."""
        return {}

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Put back what `state` gave."""

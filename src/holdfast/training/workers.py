"""The processes that train one model together, each on its own share of every batch.

`torchrun` and `accelerate launch` start them and tell each its place in the environment
(WORLD_SIZE, RANK, LOCAL_RANK). Without them there is one process.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import nn

from holdfast.errors import UsageError

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Workers:
    """How many processes train, which of them this is, and where its tensors live."""

    count: int = 1
    rank: int = 0
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))

    @classmethod
    def from_environment(
        cls, device: str = "cpu", *, environment: Mapping[str, str] | None = None
    ) -> Workers:
        """Join the other processes that the launcher started, if there are any.

        `device`: "cpu", or "cuda" for the graphics card with this process's local rank.
        """
        variables = os.environ if environment is None else environment
        count, rank = int(variables.get("WORLD_SIZE", 1)), int(variables.get("RANK", 0))
        if device == "cuda" and not torch.cuda.is_available():
            raise UsageError('there is no CUDA device here; train with device = "cpu"')
        place = f"cuda:{variables.get('LOCAL_RANK', 0)}" if device == "cuda" else device
        if count > 1 and not dist.is_initialized():
            dist.init_process_group("nccl" if device == "cuda" else "gloo")
        return cls(count, rank, torch.device(place))

    def made_there(self) -> AbstractContextManager[Any]:
        """Within this context, tensors that torch makes are made on the device."""
        return nullcontext() if self.device.type == "cpu" else self.device

    @property
    def is_first(self) -> bool:
        """Whether this process reports, evaluates and writes files."""
        return self.rank == 0

    def share(self, batch: Sequence[Item]) -> Sequence[Item]:
        """This process's part of a batch: every `count`-th example, beginning with its rank."""
        return batch[self.rank :: self.count]

    def sum_gradients(self, parameters: Iterable[nn.Parameter]) -> None:
        """Replace each gradient by the sum over all processes; a missing one counts as zero."""
        if self.count == 1:
            return
        for parameter in parameters:
            if parameter.requires_grad:
                if parameter.grad is None:
                    parameter.grad = torch.zeros_like(parameter)
                dist.all_reduce(parameter.grad)

    def sum(self, value: float) -> float:
        """The sum of a number over all processes."""
        if self.count == 1:
            return value
        total = torch.tensor(value, dtype=torch.float64, device=self.device)
        dist.all_reduce(total)
        return float(total)

    def copy_from_first(self, model: nn.Module) -> None:
        """Give every process the first one's weights and buffers."""
        if self.count > 1:
            for tensor in model.state_dict().values():
                dist.broadcast(tensor, src=0)

    def wait(self) -> None:
        """Until every process is here."""
        if self.count > 1:
            dist.barrier()

    def leave(self) -> None:
        """End the work with the other processes, when each of them has come this far.

        A process that exits while another still holds its connection makes that one abort.
        """
        if self.count > 1:
            dist.barrier()
            dist.destroy_process_group()

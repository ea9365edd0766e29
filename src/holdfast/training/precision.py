"""Training in bfloat16, which is more than twice as fast on processors with instructions for it.

Only what is inside transformer layers, products and attention, is rounded to 16 bits. Weights,
residual states, norms, heads, losses and the optimizer stay in 32 bits, and so does everything
outside of training: evaluation, export and run time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, Literal

import torch

from holdfast.errors import InvalidValueError

Precision = Literal["float32", "bfloat16"]
PRECISIONS: Final[tuple[Precision, ...]] = ("float32", "bfloat16")

_LOW: ContextVar[bool] = ContextVar("_LOW", default=False)


def has_bfloat16() -> bool:
    """Whether this processor multiplies numbers of 16 bits itself; to imitate it is slow."""
    supported = getattr(torch.cpu, "_is_avx512_bf16_supported", None)
    return bool(supported and supported())


def usable_precision(asked: Precision) -> Precision:
    """What is asked for, or float32 where the processor lacks bfloat16."""
    if asked not in PRECISIONS:
        raise InvalidValueError(f"precision = {asked!r}: it is one of {', '.join(PRECISIONS)}")
    return asked if has_bfloat16() else "float32"


@contextmanager
def computed_in(precision: Precision) -> Iterator[None]:
    """Within this context, `layer_products` rounds to the given precision."""
    before = _LOW.set(precision == "bfloat16")
    try:
        yield
    finally:
        _LOW.reset(before)


def layer_products() -> torch.autocast:
    """A context for the products of one layer."""
    return torch.autocast("cpu", dtype=torch.bfloat16, enabled=_LOW.get())

"""Products in bfloat16: more than twice as fast on processors with instructions for it.

Only products are rounded to 16 bits: those inside transformer layers, attention with them, and that
of a masked language model with its vocabulary. Weights, residual states, norms, other heads, losses
and the optimizer stay in 32 bits. So does everything outside of training (evaluation, export and
run time), but for the knowledge probe where it is asked for. On a graphics card the same holds; how
much faster that is was not measured.
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

_LOW: ContextVar[str] = ContextVar("_LOW", default="")
"""The type of the device whose products are rounded; "": none are."""


def has_bfloat16(device: str = "cpu") -> bool:
    """Whether this type of device multiplies numbers of 16 bits itself; to imitate it is slow."""
    if device == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    supported = getattr(torch.cpu, "_is_avx512_bf16_supported", None)
    return bool(supported and supported())


def usable_precision(asked: Precision, device: str = "cpu") -> Precision:
    """What is asked for, or float32 where the device lacks bfloat16."""
    if asked not in PRECISIONS:
        raise InvalidValueError(f"precision = {asked!r}: it is one of {', '.join(PRECISIONS)}")
    return asked if has_bfloat16(device) else "float32"


@contextmanager
def computed_in(precision: Precision, device: str = "cpu") -> Iterator[None]:
    """Within this context, `layer_products` rounds to the given precision."""
    before = _LOW.set(device if precision == "bfloat16" else "")
    try:
        yield
    finally:
        _LOW.reset(before)


def layer_products() -> torch.autocast:
    """A context for the products of one layer, or with a vocabulary."""
    device = _LOW.get()
    return torch.autocast(device or "cpu", dtype=torch.bfloat16, enabled=bool(device))

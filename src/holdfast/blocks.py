"""Blocks of a stream, for steps that are faster on several documents at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def in_blocks(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Lists of `size` items, in order; the last may be shorter.

    If the stream breaks, what came before is a block of its own, and then the error is raised.
    """
    block = list[Item]()
    try:
        for item in items:
            block.append(item)
            if len(block) == size:
                yield block
                block = []
    except GeneratorExit:
        raise
    except BaseException:
        if block:
            yield block
        raise
    if block:
        yield block

"""Streams of documents, for steps that are faster on several at once.

If a stream breaks, what came before is still answered, and then the error is raised.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from typing import Any, Final, TypeVar

Item = TypeVar("Item")
Answer = TypeVar("Answer")

_AHEAD: Final = 32  # items that are taken before they are asked for, on a few cores


def in_blocks(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Lists of `size` items, in order; the last may be shorter."""
    block = list[Item]()
    try:
        for item in items:
            block.append(item)
            if len(block) == size:
                yield block
                block = []
    except Exception:
        if block:
            yield block
        raise
    if block:
        yield block


def in_threads(
    function: Callable[[Item], Answer], items: Iterable[Item], *, threads: int
) -> Iterator[Answer]:
    """The answers in the order of the items. Threads work ahead while one of them is looked at.

    It is faster only where the function leaves the interpreter, as a network's run does.
    """
    waiting, stream, broken = deque[Future[Answer]](), iter(items), None
    ahead = max(_AHEAD, 2 * threads)
    pool = ThreadPoolExecutor(threads, thread_name_prefix="holdfast")
    try:
        while True:
            try:
                item = next(stream)
            except StopIteration:
                break
            except Exception as error:
                broken = error
                break
            waiting.append(pool.submit(function, item))
            if len(waiting) > ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
        if broken is not None:
            raise broken
    finally:
        pool.shutdown(cancel_futures=True)


def is_single(items: Iterable[Item]) -> tuple[bool, Iterator[Item]]:
    """Whether there is one item only, and all of them again; two at most are taken."""
    stream = iter(items)
    taken = list(islice(stream, 1))
    try:
        taken += islice(stream, 1)
    except Exception as error:
        return len(taken) == 1, chain(taken, _raised(error))
    return len(taken) == 1, chain(taken, stream)


def _raised(error: Exception) -> Iterator[Any]:
    raise error
    yield  # a generator raises when it is asked


def cores() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

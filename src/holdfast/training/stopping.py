"""Ctrl-C and SIGTERM as a request that a loop looks at between steps."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stop_requested() -> Iterator[Callable[[], bool]]:
    """A function that tells whether an interrupt came; a second Ctrl-C interrupts at once.

    Signals reach the main thread only: in another thread nothing is caught.
    """
    is_asked = threading.Event()

    def ask(signum: int, frame: FrameType | None) -> None:
        if is_asked.is_set():
            signal.default_int_handler(signum, frame)
        is_asked.set()

    if threading.current_thread() is not threading.main_thread():
        yield is_asked.is_set
        return
    before = {number: signal.signal(number, ask) for number in _SIGNALS}
    try:
        yield is_asked.is_set
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

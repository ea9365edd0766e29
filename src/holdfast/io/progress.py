"""The progress of commands that take a while, on standard error: a bar, or lines in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from holdfast.text.safe import one_line

_Item = TypeVar("_Item")
_STEP: Final = 0.1  # of the whole, after which a log has another line
_NEW_STAGE: Final = 1.0  # seconds after which it has another line if something else is done now
_SAME_STAGE: Final = 10.0  # seconds after which it has another line in any case
_KNOWN: Final = 0.01  # the part that must be done before the time left is told


@contextmanager
def progress_bar(title: str, *, quiet: float = 0.0) -> Iterator[Callable[[str, float], None]]:
    """A bar to call with what is being done and how much of it is done, from 0 to 1.

    Where nobody watches (a log file, a pipe), there is a line every tenth of the way or every few
    seconds instead, and none in the first `quiet` seconds.
    """
    console, title = Console(stderr=True), one_line(title)
    if not console.is_terminal:
        yield _ProgressLines(console, title, quiet)
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[part]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(title, total=1.0, part="")
        clock = _Clock()

        def show(what: str, done: float) -> None:
            part = _part(done, clock.left(done))
            bar.update(task, description=f"{title}: {what}", completed=done, part=part)

        yield show


def counted(items: Iterable[_Item], what: str, *, printed: bool) -> Iterator[_Item]:
    """The items, counted while they go by: "1,204 documents linked".

    Where nobody watches, or the items are `printed` on the same terminal, nothing is shown.
    """
    console = Console(stderr=True)
    if not console.is_terminal or (printed and sys.stdout.isatty()):
        yield from items
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.completed:,} {task.description}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=None)
        for item in items:
            bar.advance(task)
            yield item


class _Clock:
    """Tells how long the rest takes, if it goes on as it went so far."""

    def __init__(self) -> None:
        self._start, self._first, self._last = time.monotonic(), 0.0, 0.0

    def left(self, done: float) -> float | None:
        """Seconds; None while nothing is known. A part that shrinks begins another task."""
        now = time.monotonic()
        if done < self._last:
            self._start, self._first = now, done
        self._last = done
        gone = done - self._first
        if gone < _KNOWN or done >= 1:
            return None
        return (now - self._start) * (1 - done) / gone


class _ProgressLines:
    """Prints a line where enough was done, or enough time went by, since the last one."""

    def __init__(self, console: Console, title: str, quiet: float) -> None:
        self._console = console
        self._title = title
        self._clock = _Clock()
        self._first_at = time.monotonic() + quiet
        self._shown_at = 0.0
        self._shown: tuple[str, float] | None = None  # the stage, and the part done

    def __call__(self, what: str, done: float) -> None:
        left = self._clock.left(done)
        now = time.monotonic()
        if now < self._first_at or not self._is_due(what, done, now):
            return
        self._shown_at, self._shown = now, (_stage(what), done)
        part = _part(done, left)
        line = f"{self._title}: {what}{', ' if part else ''}{part}"
        self._console.print(line, highlight=False, markup=False, soft_wrap=True)

    def _is_due(self, what: str, done: float, now: float) -> bool:
        if self._shown is None:
            return True
        stage, part = self._shown
        patience = _SAME_STAGE if stage == _stage(what) else _NEW_STAGE
        is_further = abs(done - part) >= _STEP or part < 1 <= done
        return is_further or now - self._shown_at >= patience


def _stage(what: str) -> str:
    return what.partition(":")[0]


def _part(done: float, left: float | None) -> str:
    """ "40 %, about 2 min left", as far as it is known."""
    if not done:
        return ""
    return f"{100 * done:.0f} %" + ("" if left is None else f", about {_duration(left)} left")


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"

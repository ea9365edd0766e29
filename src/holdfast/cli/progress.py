"""The progress bar of commands that take a while, on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

_Item = TypeVar("_Item")


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[str, float], None]]:
    """A bar to call with what is being done and how much of it is done, from 0 to 1.

    Where nobody watches (a log file, a pipe), each new stage is one line instead.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _line_per_stage(console, title)
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(title, total=1.0)

        def show(what: str, done: float) -> None:
            bar.update(task, description=f"{title}: {what}", completed=done)

        yield show


def counted(items: Iterable[_Item], what: str, *, printed: bool) -> Iterator[_Item]:
    """The same items, counted while they go by: "1,204 documents linked".

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


def _line_per_stage(console: Console, title: str) -> Callable[[str, float], None]:
    last = ""

    def show(what: str, _done: float) -> None:
        nonlocal last
        stage = what.partition(":")[0]
        if stage != last:
            last = stage
            console.print(f"{title}: {stage}", highlight=False, markup=False, soft_wrap=True)

    return show

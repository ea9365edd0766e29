"""`holdfast doctor`: look at the installation."""

from __future__ import annotations

from typing import Annotated

import typer


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Check Python, packages, knowledge bases and models by hash, and link a sentence.

    The exit code is 1 if something is broken.
    """
    from holdfast.io.doctor import examine
    from holdfast.io.progress import progress_bar
    from holdfast.io.show.doctor import print_health

    with progress_bar("doctor", quiet=1.0) as progress:
        health = examine(progress=progress)
    print_health(health, as_json=as_json)
    raise typer.Exit(0 if health.is_sound else 1)

"""Commands with many options: the options are a dataclass, the command takes one."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any, TypeVar, get_type_hints

Options = TypeVar("Options")


def with_options(kind: type[Options]) -> Callable[[Callable[[Options], None]], Any]:
    """A decorator: the function, which takes a `kind`, as a command with an option for each field.

    Fields are annotated as typer's parameters are, and stand in the order of `--help`.
    """
    hints = get_type_hints(kind, include_extras=True)
    parameters = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(kind)  # type: ignore[arg-type]
    ]

    def decorate(function: Callable[[Options], None]) -> Any:
        def command(**options: Any) -> None:
            function(kind(**options))

        found: Any = command
        found.__name__, found.__doc__ = function.__name__, function.__doc__
        found.__signature__ = inspect.Signature(parameters)
        found.__annotations__ = {each.name: each.annotation for each in parameters}
        return found

    return decorate

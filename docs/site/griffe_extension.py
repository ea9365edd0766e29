"""Makes lists of described parameters while griffe reads the code for mkdocstrings."""

from __future__ import annotations

from typing import Any

import griffe

from parameter_lists import with_lists


class ParameterLists(griffe.Extension):
    """Changes the docstrings of functions that describe their parameters."""

    def on_function(self, *, func: griffe.Function, **_: Any) -> None:
        """Change the docstring of a function that griffe has read."""
        if func.docstring is not None:
            names = {parameter.name for parameter in func.parameters}
            func.docstring.value = with_lists(func.docstring.value, names)

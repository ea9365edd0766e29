"""Shows the parameters that a docstring describes as a list, in the reference of the code.

Docstrings of this project describe parameters in a paragraph of their own, one name a line:

    kb        a name or a folder
    top       how many candidates each mention keeps, which
              may be none

Markdown would run such lines together.
"""

from __future__ import annotations

from collections.abc import Collection


def with_lists(docstring: str, names: Collection[str]) -> str:
    """The docstring, with every paragraph whose lines begin with these names made a list.

    An indented line goes on with the item before it.
    """
    paragraphs = docstring.split("\n\n")
    return "\n\n".join(
        _listed(paragraph) if _describes(paragraph, names) else paragraph
        for paragraph in paragraphs
    )


def _describes(paragraph: str, names: Collection[str]) -> bool:
    items = [line.split() for line in paragraph.splitlines() if not line.startswith(" ")]
    return bool(items) and "  " in paragraph and all(words[0] in names for words in items)


def _listed(paragraph: str) -> str:
    lines = []
    for line in paragraph.splitlines():
        if line.startswith(" "):
            lines.append(f"  {line.strip()}")
        else:
            name, _, words = line.partition(" ")
            lines.append(f"- `{name}`: {words.strip()}")
    return "\n".join(lines)

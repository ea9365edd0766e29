"""Finds biomedical mentions in text, links them to concepts in a knowledge base, and says why.

    import holdfast

    pipeline = holdfast.load("open")
    document = pipeline("Lithium carbonate toxicity in a newborn infant.")

What needs numpy and pyarrow is imported when it is first used, so that the values alone
(`Document` and its parts) cost nothing to import.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from holdfast.document import (
    NIL,
    Argument,
    Candidate,
    Document,
    Evidence,
    Mention,
    Passage,
    Relation,
    Span,
)
from holdfast.errors import HoldfastError

if TYPE_CHECKING:
    from holdfast.kb.store import KnowledgeBase, open_kb
    from holdfast.pipeline import Pipeline, load

    __version__: str

__all__ = [
    "NIL",
    "Argument",
    "Candidate",
    "Document",
    "Evidence",
    "HoldfastError",
    "KnowledgeBase",
    "Mention",
    "Passage",
    "Pipeline",
    "Relation",
    "Span",
    "__version__",
    "load",
    "open_kb",
]

_LATER = {
    "KnowledgeBase": "holdfast.kb.store",
    "open_kb": "holdfast.kb.store",
    "Pipeline": "holdfast.pipeline",
    "load": "holdfast.pipeline",
}


def __getattr__(name: str) -> Any:
    """The public names whose modules are heavy."""
    value: Any
    if name == "__version__":
        from importlib.metadata import version

        value = version("holdfast")
    elif name in _LATER:
        from importlib import import_module

        value = getattr(import_module(_LATER[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

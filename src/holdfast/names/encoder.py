"""Names to vectors: the exported ResCNN, on onnxruntime."""

from __future__ import annotations

import re
from typing import Final

from holdfast.text.normalise import fold

_SEPARATORS: Final = re.compile(r"[\W_]+")


def plain(name: str) -> str:
    """The form that is encoded: folded words, with one space between them."""
    return _SEPARATORS.sub(" ", fold(name)).strip()

"""docs/formats.md says what the code does."""

from __future__ import annotations

import json
import re
from pathlib import Path

from holdfast.corpora import FORMATS
from holdfast.document import Document

PAGE = (Path(__file__).parents[2] / "docs/formats.md").read_text(encoding="utf-8")


def test_every_format_is_documented_with_its_extensions() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \| (`\.[^|]*) \|", PAGE, re.MULTILINE)
    documented = [(name, tuple(re.findall(r"`([^`]+)`", cell))) for name, cell in rows]
    assert sorted(documented) == sorted((name, f.extensions) for name, f in FORMATS.items())


def test_the_json_example_is_a_document_in_its_json_form() -> None:
    example = json.loads(PAGE.partition("```json\n")[2].partition("```")[0])
    assert Document.from_json(example).to_json() == example

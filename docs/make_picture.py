"""Draws docs/link.svg: what `holdfast link docs/sample_abstract.txt` prints. `make picture`."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path
from typing import Final

from rich.console import Console

from holdfast.document import Document
from holdfast.io.show.linked import print_document
from holdfast.pipeline import load

_FONTS: Final = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)


def main() -> None:
    here = Path(__file__).parent
    console = Console(record=True, width=118, file=StringIO(), force_terminal=True)
    text = (here / "sample_abstract.txt").read_text(encoding="utf-8").strip()
    print_document(load(top=1)(Document("", text)), console)
    svg = console.export_svg(title="holdfast link docs/sample_abstract.txt")
    svg = _FONTS.sub("", svg)  # they would be loaded from the network
    (here / "link.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()

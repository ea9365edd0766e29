"""Write docs/openapi.json, the description of the service's routes, from the code."""

from __future__ import annotations

from pathlib import Path

from holdfast.server.serve import openapi_text

if __name__ == "__main__":
    (Path(__file__).parent / "openapi.json").write_text(openapi_text(), encoding="utf-8")

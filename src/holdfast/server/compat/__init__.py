"""Routes in the shapes of other services, for clients that were written for those."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from fastapi import APIRouter

from holdfast.server.compat.bern2 import add_bern2
from holdfast.server.compat.gilda import add_gilda
from holdfast.server.compat.inception import add_inception
from holdfast.server.compat.medcat import add_medcat
from holdfast.server.service import Service

MOUNTS: Final[dict[str, Callable[[APIRouter, Service], None]]] = {
    "bern2": add_bern2,
    "medcat": add_medcat,
    "gilda": add_gilda,
    "inception": add_inception,
}
"""Each service whose clients can be answered, by the name that --compat takes."""

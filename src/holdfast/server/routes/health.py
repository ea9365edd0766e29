"""The routes of who watches over the service."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response

from holdfast.server.metrics import Metrics
from holdfast.server.service import Service


def add_health(router: APIRouter, service: Service, metrics: Metrics) -> None:
    """Alive, ready, and the figures of Prometheus."""

    @router.get("/livez")
    async def livez() -> dict[str, str]:
        """The process answers. This is the one route that never needs a token."""
        return {"status": "alive"}

    @router.get("/readyz")
    async def readyz() -> dict[str, Any]:
        """A worker has just linked something."""
        await service.self_test()
        return {"status": "ready", "workers": service.pool.ready, "of": service.pool.size}

    @router.get("/metrics", response_class=Response)
    async def prometheus() -> Response:
        """Requests by route and status, their times, workers and the queue."""
        return metrics.answer()

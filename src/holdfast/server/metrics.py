"""What Prometheus asks for: requests by route and status, their times, workers and the queue."""

from __future__ import annotations

from fastapi import Response
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from holdfast.server.workers.pool import Pool


class Metrics:
    """Counters of one service. Labels are the pattern of the route, the method and the status."""

    def __init__(self, pool: Pool) -> None:
        self.open = 0  # requests that are not answered yet
        self._registry = CollectorRegistry()
        names = ("method", "route", "status")
        self._requests = Counter("holdfast_requests", "Answers", names, registry=self._registry)
        self._seconds = Histogram(
            "holdfast_request_seconds", "Seconds to answer", ("route",), registry=self._registry
        )
        for name, about, value in (
            ("holdfast_requests_open", "Requests under way", lambda: self.open),
            ("holdfast_workers_ready", "Workers that can link", lambda: pool.ready),
            ("holdfast_workers", "Workers that there should be", lambda: pool.size),
            ("holdfast_queue", "Pieces of work that wait for a worker", lambda: pool.waiting),
            ("holdfast_worker_restarts", "Workers that were replaced", lambda: pool.restarts),
        ):
            Gauge(name, about, registry=self._registry).set_function(value)

    def begin(self) -> None:
        """A request has come."""
        self.open += 1

    def end(self, method: str, route: str, status: int, seconds: float) -> None:
        """It was answered."""
        self.open -= 1
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def answer(self) -> Response:
        """The figures in the text format of Prometheus."""
        return Response(generate_latest(self._registry), media_type=CONTENT_TYPE_LATEST)

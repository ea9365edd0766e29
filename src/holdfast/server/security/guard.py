"""What stands before every route: who asks, under which name, how much and how often.

It also writes the access log and the headers that tell browsers to be strict. Nothing that it
logs or counts comes from a request, but for the method and the pattern of the route.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any, Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse

from holdfast.server.failures import Failure
from holdfast.server.metrics import Metrics
from holdfast.server.security.tokens import ANYBODY, AccessTokens
from holdfast.server.settings import Settings
from holdfast.server.workers.worker import where

_ACCESS: Final = logging.getLogger("holdfast.access")
_LOG: Final = logging.getLogger("holdfast.server")

_OTHER_SITES: Final = ("cross-site", "same-site")

OPEN: Final = frozenset({"/livez"})
"""The paths that answer without a token."""

_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
_TLS_HEADERS: Final = {"Strict-Transport-Security": "max-age=31536000"}

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


@dataclass(slots=True)
class _Bucket:
    """Requests that a token may still make; it fills up as time goes by."""

    left: float
    at: float


@dataclass(slots=True)
class RateLimit:
    """So many requests a minute for each token, and as many at once."""

    per_minute: int
    _buckets: dict[str, _Bucket] = field(default_factory=dict)

    def check(self, who: str) -> None:
        """Count a request; a Failure if there were too many."""
        now = time.monotonic()
        bucket = self._buckets.setdefault(who, _Bucket(float(self.per_minute), now))
        speed = self.per_minute / 60
        bucket.left = min(float(self.per_minute), bucket.left + (now - bucket.at) * speed)
        bucket.at = now
        if bucket.left < 1:
            wait = max(1, round((1 - bucket.left) / speed))
            raise Failure("too_many_requests", "too many requests a minute", retry_after=wait)
        bucket.left -= 1


class Guard:
    """The outermost layer of the service, as ASGI has it."""

    def __init__(
        self,
        app: App,
        *,
        settings: Settings,
        tokens: AccessTokens,
        metrics: Metrics,
        uncounted: frozenset[str] = frozenset(),
    ) -> None:
        """`uncounted`: paths without a limit of requests a minute. The page has some thirty files,
        and is broken if one of them is refused."""
        self._app = app
        self._uncounted = uncounted
        self._settings = settings
        self._tokens = tokens
        self._metrics = metrics
        self._rate = RateLimit(settings.limits.per_minute)
        self._headers = {**_HEADERS, **(_TLS_HEADERS if settings.certificate else {})}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        exchange = _Exchange(scope, send, self._headers)
        self._metrics.begin()
        try:
            self._check(scope)
            body = await _read_body(receive, self._body_limit(scope), self._settings.limits.seconds)
            await self._app(scope, _replayed(body, receive), exchange.send)
        except Failure as failure:
            await exchange.fail(failure)
        except Exception as error:
            _LOG.error("a request failed: %s", where(error))
            await exchange.fail(Failure("internal", "the service failed; see its log"))
        finally:
            self._log(scope, exchange)

    def _check(self, scope: Scope) -> None:
        headers, path = Headers(scope=scope), scope["path"]
        scope.setdefault("state", {})["who"] = ANYBODY
        if path in OPEN:
            return
        if _host_of(headers) not in self._settings.hosts:
            message = "the service is not known under this name; see --trusted-host"
            raise Failure("unknown_host", message)
        if self._settings.needs_token:
            scope["state"]["who"] = self._tokens.identify(headers.get("authorization"))
        if scope["method"] != "GET" and headers.get("sec-fetch-site") in _OTHER_SITES:
            raise Failure("cross_site", "pages of other sites may not use the service")
        if path not in self._uncounted:
            self._rate.check(scope["state"]["who"])
        if self._metrics.open > 2 * self._settings.limits.waiting:
            raise Failure("busy", "too many requests are open; try again", retry_after=2)
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length[:20]) > self._body_limit(scope):
            raise _too_large(self._body_limit(scope))

    def _body_limit(self, scope: Scope) -> int:
        limits = self._settings.limits
        return limits.job_body if scope["path"].startswith("/v1/jobs") else limits.body

    def _log(self, scope: Scope, exchange: _Exchange) -> None:
        route = getattr(scope.get("route"), "path", None) or "-"
        seconds = time.monotonic() - exchange.started
        method = scope["method"] if scope["method"] in _METHODS else "-"
        self._metrics.end(method, route, exchange.status, seconds)
        who = scope.get("state", {}).get("who", ANYBODY)
        _ACCESS.info("%s %s %d %.0f ms %s", method, route, exchange.status, 1000 * seconds, who)


_METHODS: Final = frozenset({"GET", "HEAD", "POST", "DELETE", "PUT", "PATCH", "OPTIONS"})


class _Exchange:
    """One answer on its way: its status, and the headers that every answer has."""

    def __init__(self, scope: Scope, send: Send, headers: dict[str, str]) -> None:
        self.started = time.monotonic()
        self.status = 0  # until the answer begins
        self._scope = scope
        self._send = send
        self._headers = headers

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            sent = MutableHeaders(scope=message)
            for name, value in self._headers.items():
                sent.setdefault(name, value)
        await self._send(message)

    async def fail(self, failure: Failure) -> None:
        """Answer with the failure; an answer that has begun can only be broken off."""
        if self.status:
            self.status = failure.status
            return
        response = JSONResponse(failure.to_json(), failure.status, failure.headers)
        await response(self._scope, _nothing, self.send)


async def _read_body(receive: Receive, limit: int, seconds: float) -> bytes:
    """The whole body, which may have so many bytes and take so many seconds to arrive."""
    body = bytearray()
    try:
        async with asyncio.timeout(seconds):
            while True:
                message = await receive()
                body += message.get("body", b"")
                if len(body) > limit:
                    raise _too_large(limit)
                if not message.get("more_body", False):
                    return bytes(body)
    except TimeoutError:
        raise Failure("too_slow", "the request did not arrive in time") from None


def _replayed(body: bytes, receive: Receive) -> Receive:
    """The body at once, and then whatever else comes: that the client has gone."""
    is_read = False

    async def replay() -> Message:
        nonlocal is_read
        if is_read:
            return await receive()
        is_read = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


def _too_large(limit: int) -> Failure:
    return Failure("too_large", f"the request has more than {limit:,} bytes")


def _host_of(headers: Headers) -> str:
    """The Host header without its port."""
    host = headers.get("host", "").casefold()
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdecimal() else host


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}

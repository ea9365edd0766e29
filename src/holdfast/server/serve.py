"""What `holdfast serve` does: check, say where it listens, run until it is told to stop."""

from __future__ import annotations

import json
import logging
import os
import signal
import socket
import sys
from pathlib import Path
from typing import Any, Final

import uvicorn

from holdfast.errors import UsageError
from holdfast.server.app import create_app
from holdfast.server.security.offline import refuse_connections
from holdfast.server.security.tokens import AccessTokens, new_token, token_file
from holdfast.server.service import Service
from holdfast.server.settings import Settings

_LOG: Final = logging.getLogger("holdfast.server")


def run_new_token(name: str, path: Path | None) -> None:
    """Make a token and print it: it is shown this once."""
    kept = path or token_file()
    print(new_token(name, kept))
    print(f"kept as a hash in {kept}; give it as Authorization: Bearer TOKEN", file=sys.stderr)


def openapi_text() -> str:
    """The description of the routes, as docs/openapi.json has it."""
    app = create_app(Service(Settings()), tokens=AccessTokens({}))
    return json.dumps(app.openapi(), indent=2, ensure_ascii=False) + "\n"


def run_serve(settings: Settings) -> None:
    """Serve until SIGTERM or Ctrl-C; then answer what has begun, and end."""
    tokens = AccessTokens.read(settings.tokens or token_file())
    if settings.needs_token and not tokens.hashes:
        raise UsageError(
            f"whoever reaches {settings.host} needs a token, and there is none; make one with "
            "`holdfast serve --new-token NAME`"
        )
    if settings.offline:
        refuse_connections()
    service = Service(settings)
    service.catalog.check()
    app = create_app(service, tokens=tokens)
    with _listening(settings) as listener:
        _log_to_stderr()
        scheme, port = "https" if settings.certificate else "http", listener.getsockname()[1]
        _LOG.info("listening on %s://%s:%d", scheme, settings.host, port)
        # uvicorn stops in good order and then raises the signal again; that would be a failure.
        signal.signal(signal.SIGTERM, lambda *_: None)
        uvicorn.Server(uvicorn.Config(app, **_options(settings))).run(sockets=[listener])


def _listening(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family, backlog=1024)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        place = f"{settings.host}:{settings.port}"
        raise UsageError(f"cannot listen on {place}: {reason}; see --host and --port") from error


def _options(settings: Settings) -> dict[str, Any]:
    return {
        "access_log": False,  # the guard writes one, without addresses and query strings
        "log_config": None,
        "proxy_headers": False,
        "server_header": False,
        "timeout_graceful_shutdown": int(settings.limits.drain),
        "ssl_certfile": settings.certificate,
        "ssl_keyfile": settings.key,
    }


def _log_to_stderr() -> None:
    """One line an event: time, level, what happened."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    for name in ("holdfast", "uvicorn"):
        logger = logging.getLogger(name)
        logger.setLevel(logging.INFO)
        logger.propagate = False
        logger.handlers = [handler]

"""The service put together: routes, the guard before them, the page, and one shape of errors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import Route

import holdfast
from holdfast.server.compat import MOUNTS
from holdfast.server.failures import Failure
from holdfast.server.jobs import Jobs
from holdfast.server.metrics import Metrics
from holdfast.server.routes import schemas
from holdfast.server.routes.convert import add_convert
from holdfast.server.routes.health import add_health
from holdfast.server.routes.jobs import add_jobs
from holdfast.server.routes.linking import add_linking
from holdfast.server.routes.lookups import add_catalog
from holdfast.server.security.guard import OPEN, Guard
from holdfast.server.security.tokens import AccessTokens
from holdfast.server.service import Service

PAGE: Final = Path(__file__).parent / "page"
_CODES: Final = {404: "not_found", 405: "method_not_allowed", 400: "malformed", 406: "not_accepted"}
_ERRORS: Final[dict[int | str, dict[str, Any]]] = {
    "4XX": {"model": schemas.ErrorOut, "description": "The request cannot be answered."},
    "5XX": {"model": schemas.ErrorOut, "description": "Busy, starting, stopping, or failed."},
}


class _App(FastAPI):
    """FastAPI, whose description of the routes knows of tokens and of one shape of errors."""

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            described = super().openapi()
            components = described["components"]
            for name in ("HTTPValidationError", "ValidationError"):
                components["schemas"].pop(name, None)
            for path, operations in described["paths"].items():
                for operation in operations.values():
                    operation["responses"].pop("422", None)
                    if path in OPEN:
                        operation["security"] = []
            components["securitySchemes"] = {
                "token": {"type": "http", "scheme": "bearer"},
                "browser": {"type": "http", "scheme": "basic", "description": "any:TOKEN"},
            }
            described["security"] = [{"token": []}, {"browser": []}, {}]
        return self.openapi_schema or described


def create_app(service: Service, *, tokens: AccessTokens) -> FastAPI:
    """The ASGI application. Its workers run from its start to its end."""
    jobs, metrics = Jobs(service), Metrics(service.pool)

    @asynccontextmanager
    async def running(_app: FastAPI) -> AsyncIterator[None]:
        service.start()
        sweeping = asyncio.create_task(jobs.sweep())
        yield
        sweeping.cancel()
        await asyncio.to_thread(service.stop)

    app = _App(
        title="Holdfast",
        version=holdfast.__version__,
        description="Finds biomedical mentions in text, links them to concepts, and says why.",
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        docs_url=None,
        redoc_url=None,
        lifespan=running,
        generate_unique_id_function=lambda route: route.name,
        responses=_ERRORS,
    )
    add_linking(app.router, service)
    add_catalog(app.router, service)
    add_convert(app.router, service)
    add_jobs(app.router, service, jobs)
    add_health(app.router, service, metrics)
    for name in service.settings.compat:
        MOUNTS[name](app.router, service)
    page = _add_page(app)
    app.add_exception_handler(Failure, _failed)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    settings = service.settings
    app.add_middleware(Guard, settings=settings, tokens=tokens, metrics=metrics, uncounted=page)
    return app


def _add_page(app: FastAPI) -> frozenset[str]:
    """A route for each file of the page, and no other; their paths."""
    places = set[str]()
    for path in sorted(path for path in PAGE.rglob("*") if path.is_file()):
        place = f"/{path.relative_to(PAGE).as_posix()}"
        for at in ("/", place) if place == "/index.html" else (place,):
            app.router.routes.append(Route(at, _file(path)))
            places.add(at)
    return frozenset(places)


def _file(path: Path) -> Callable[[Request], Response]:
    def answer(_request: Request) -> Response:
        return FileResponse(path)

    return answer


async def _failed(_request: Request, error: Exception) -> Response:
    assert isinstance(error, Failure)
    return JSONResponse(error.to_json(), error.status, error.headers)


async def _refused(_request: Request, error: Exception) -> Response:
    """What the framework itself refuses; its own words may quote the request."""
    assert isinstance(error, HTTPException)
    code = _CODES.get(error.status_code, "malformed")
    message = code.replace("_", " ")
    return JSONResponse(
        Failure(code, message).to_json(), error.status_code, dict(error.headers or {})
    )


async def _invalid(_request: Request, error: Exception) -> Response:
    """Where a request is not what its model says. Values and unknown keys are not repeated."""
    assert isinstance(error, RequestValidationError)
    details = [
        {"where": _place(found["loc"], found["type"]), "problem": found["msg"]}
        for found in error.errors()
    ]
    failure = Failure("invalid_request", "the request is not as it should be", details=details)
    return JSONResponse(failure.to_json(), failure.status)


def _place(location: tuple[Any, ...], kind: str) -> str:
    """ "body.documents.0.text"; a key that the request made up is not named."""
    known = location[:-1] if kind == "extra_forbidden" else location
    place = ".".join(map(str, known))
    return f"{place}: an unknown key" if kind == "extra_forbidden" else place

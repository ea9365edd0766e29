"""The routes that look up what is served: names, entities, types, models."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response
from fastapi.responses import JSONResponse

from holdfast.server.routes import schemas
from holdfast.server.service import Service

Kb = Annotated[schemas.Name | None, Query(description="A knowledge base that is served.")]


def add_catalog(router: APIRouter, service: Service) -> None:
    """What the knowledge bases hold."""
    catalog = service.catalog

    @router.get("/v1/search", response_model=schemas.SearchOut)
    def search(asked: Annotated[schemas.SearchRequest, Query()]) -> Response:
        """Find entities by name or id. With POST, the query does not stand in the address."""
        return _found(asked)

    @router.post("/v1/search", response_model=schemas.SearchOut)
    def search_privately(asked: schemas.SearchRequest) -> Response:
        """Find entities by name or id; with `prefix`, while the name is still being typed."""
        return _found(asked)

    def _found(asked: schemas.SearchRequest) -> Response:
        return JSONResponse(
            catalog.search(asked.q, kb=asked.kb, top=asked.top, prefix=asked.prefix)
        )

    @router.get("/v1/entities/{curie:path}", response_model=schemas.EntityOut)
    def entity(curie: str, kb: Kb = None) -> Response:
        """All that is known of an entity: names, definition, parents, children, xrefs."""
        return JSONResponse(catalog.entity(curie, kb=kb))

    @router.get("/v1/types", response_model=schemas.TypesOut)
    def types(kb: Kb = None) -> Response:
        """The types of entities, and how many entities have each."""
        return JSONResponse(catalog.types(kb=kb))

    @router.get("/v1/models", response_model=schemas.ModelsOut)
    def models() -> Response:
        """The models and knowledge bases that are served, with licences, and the limits."""
        return JSONResponse(catalog.models())

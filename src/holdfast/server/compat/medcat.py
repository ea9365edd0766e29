"""The routes of MedCAT's service, in the shape of MedCAT 2: process, process_bulk and info."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse

import holdfast
from holdfast.document import Document, Mention
from holdfast.server.compat.linked import ForeignRequest, linked
from holdfast.server.failures import Failure
from holdfast.server.routes.schemas import Text
from holdfast.server.service import Service

_BARE: Final = ("UMLS", "SNOMEDCT")  # vocabularies whose ids MedCAT gives without a prefix


class Content(ForeignRequest):
    text: Text
    footer: str | dict[str, Any] | None = None


class ProcessRequest(ForeignRequest):
    content: Content
    meta_anns_filters: list[Any] | None = None


class BulkRequest(ForeignRequest):
    content: list[Content]


def add_medcat(router: APIRouter, service: Service) -> None:
    @router.post("/medcat/api/process", include_in_schema=False)
    async def process(asked: ProcessRequest) -> Response:
        """The entities of one text."""
        if asked.meta_anns_filters:
            raise Failure("invalid_option", "meta_anns_filters cannot be used: nothing is meta")
        (result,) = await _results([asked.content])
        return JSONResponse({"medcat_info": _info(service), "result": result})

    @router.post("/medcat/api/process_bulk", include_in_schema=False)
    async def process_bulk(asked: BulkRequest) -> Response:
        """The entities of several texts."""
        return JSONResponse(
            {"medcat_info": _info(service), "result": await _results(asked.content)}
        )

    @router.get("/medcat/api/info", include_in_schema=False)
    async def info() -> Response:
        """What is served."""
        return JSONResponse(_info(service))

    async def _results(contents: list[Content]) -> list[dict[str, Any]]:
        started = time.monotonic()
        documents = await linked(service, [Document("", content.text) for content in contents])
        seconds = round(time.monotonic() - started, 3)
        return [
            _result(document, content, seconds)
            for document, content in zip(documents, contents, strict=True)
        ]


def _info(service: Service) -> dict[str, Any]:
    """What is served."""
    kb = service.catalog.kb(None)
    return {
        "service_app_name": "Holdfast",
        "service_language": "en",
        "service_version": holdfast.__version__,
        "service_model": Path(service.settings.models[0]).name,
        "model_card_info": {
            "ontologies": [source.name for source in kb.sources],
            "meta_cat_model_names": [],
            "model_last_modified_on": None,
        },
    }


def _result(document: Document, content: Content, seconds: float) -> dict[str, Any]:
    found = [mention for mention in document.mentions if mention.is_linked]
    entities = {str(i): _entity(document, mention, i) for i, mention in enumerate(found)}
    result: dict[str, Any] = {
        "text": document.text,
        "annotations": [entities],
        "success": True,
        "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "elapsed_time": seconds,
    }
    return result if content.footer is None else {**result, "footer": content.footer}


def _entity(document: Document, mention: Mention, number: int) -> dict[str, Any]:
    """A linked mention; of a composite, its first concept."""
    best = mention.best
    score = best.score if best else 1.0
    words = document.text[mention.start : mention.end]
    return {
        "pretty_name": (best.label or best.name) if best else words,
        "cui": _cui(mention.ids[0]),
        "type_ids": [mention.type],
        "source_value": words,
        "detected_name": "~".join((best.name if best else words).casefold().split()),
        "acc": score,
        "context_similarity": score,
        "start": mention.start,
        "end": mention.end,
        "id": number,
        "meta_anns": {},
        "context_left": [],
        "context_center": [],
        "context_right": [],
    }


def _cui(id: str) -> str:
    prefix, _, rest = id.partition(":")
    return rest if prefix in _BARE else id

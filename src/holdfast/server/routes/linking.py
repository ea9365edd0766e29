"""The routes that link: texts, files, strings, given mentions, and explanations."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Any, Final

from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse

from holdfast.document import Document
from holdfast.server.failures import Failure
from holdfast.server.routes import schemas
from holdfast.server.routes.formats import (
    JSON,
    JSONL,
    MEDIA_TYPES,
    choose_format,
    media_type,
    wrapped,
    write_documents,
)
from holdfast.server.routes.uploads import READABLE, read_upload
from holdfast.server.service import Service, document_of
from holdfast.server.workers.tasks import PipelineChoice

FORMATS: Final = ", ".join(MEDIA_TYPES)
_OTHERS: Final[dict[str, dict[str, Any]]] = {
    media: {} for media in MEDIA_TYPES.values() if media != "application/json"
}
DOCUMENTS: Final[dict[int | str, dict[str, Any]]] = {
    200: {"description": "The documents, in the format that was asked for.", "content": _OTHERS}
}

Format = Annotated[
    str | None,
    Query(alias="format", description=f"The format of the answer: {FORMATS}; before Accept."),
]
Accept = Annotated[str | None, Header(include_in_schema=False)]


def add_linking(router: APIRouter, service: Service) -> None:
    """Texts and strings in, links out."""
    _add_annotate(router, service)
    _add_annotate_file(router, service)
    _add_link(router, service)
    _add_explain(router, service)


def _add_annotate(router: APIRouter, service: Service) -> None:
    @router.post(
        "/v1/annotate",
        response_model=schemas.DocumentOut | schemas.DocumentsOut,
        responses=DOCUMENTS,
    )
    async def annotate(
        request: schemas.AnnotateRequest, format: Format = None, accept: Accept = None
    ) -> Response:
        """Find and link the concepts in one text or several documents.

        For one `text` the answer is a document, for `documents` a list of them, as
        `holdfast link --json` prints them. `jsonl` is streamed: a document a line.
        """
        chosen = choose_format(format, accept)
        choice = service.choice(request)
        if request.documents is None:
            read = [Document("", request.text or "")]
            return await _answer(service, "annotate", read, choice, chosen, one=True)
        read = [document_of(given, number=i) for i, given in enumerate(request.documents, 1)]
        return await _answer(service, "annotate", read, choice, chosen)


def _add_annotate_file(router: APIRouter, service: Service) -> None:
    @router.post(
        "/v1/annotate/file",
        response_model=schemas.DocumentsOut,
        responses=DOCUMENTS,
        openapi_extra={"requestBody": FILE_BODY},
    )
    async def annotate_file(
        request: Request,
        options: Annotated[FileOptions, Query()],
        accept: Accept = None,
    ) -> Response:
        """Find and link the concepts in a file: the body is the file, `from` its format.

        Mentions that the file marks are left out of the answer; with `marked=true` they are
        linked instead, and none is looked for.
        """
        chosen = choose_format(options.format, accept)
        body = await request.body()
        read = await asyncio.to_thread(
            read_upload, body, options.source_format, marked=options.marked
        )
        operation = "link" if options.marked else "annotate"
        choice = service.choice(options.chosen())
        return await _answer(service, operation, read, choice, chosen)


def _add_link(router: APIRouter, service: Service) -> None:
    @router.post(
        "/v1/link",
        response_model=schemas.RowsOut | schemas.DocumentsOut,
        responses=DOCUMENTS,
    )
    async def link(
        request: schemas.LinkRequest, format: Format = None, accept: Accept = None
    ) -> Response:
        """Link strings that stand in no text, or the given mentions of documents.

        Strings are answered as `json` or `jsonl`: the ids, the candidates, and where there is no
        id the nearest concept.
        """
        choice = service.choice(request)
        if request.documents is not None:
            chosen = choose_format(format, accept)
            read = [document_of(given, number=i) for i, given in enumerate(request.documents, 1)]
            return await _answer(service, "link", read, choice, chosen)
        chosen = choose_format(format, accept, among=(JSON, JSONL))
        strings = _checked_strings(service, request.strings or [])
        rows = service.strings(strings, choice)
        if chosen == JSONL:
            return await _streamed(rows)
        return Response(wrapped("rows", [r async for r in rows]), media_type=media_type(JSON))


def _add_explain(router: APIRouter, service: Service) -> None:
    @router.post("/v1/explain", response_model=schemas.ExplainOut)
    async def explain(request: schemas.ExplainRequest) -> Response:
        """Explain one mention, or why a term was not found.

        With `spans`: every candidate with its evidence, the same words linked without the text,
        and the scores that the text changed. With `term`: what became of the term in the text.
        """
        service.check_text(request.text)
        task: dict[str, Any] = {
            "choice": service.choice(request).to_json(),
            "text": request.text,
        }
        if request.term is not None:
            task |= {"operation": "why_not", "term": request.term}
        else:
            mention = schemas.MentionIn(spans=request.spans or [], type=request.type)
            marked = schemas.MarkedIn(text=request.text, mentions=[mention])
            (checked,) = document_of(marked, number=1).to_json()["mentions"]
            task |= {"operation": "explain", "mention": checked}
        answer = await service.run(task, size=len(request.text))
        return JSONResponse(answer)


class FileOptions(schemas.PipelineOptions):
    """The options of a request whose body is a file."""

    source_format: Annotated[
        str, Query(alias="from", description=f"The format of the body: {', '.join(READABLE)}.")
    ]
    format: str | None = None
    marked: bool = False

    def chosen(self) -> schemas.PipelineOptions:
        """The options; types may also be separated by commas."""
        only = None if self.only is None else [t for one in self.only for t in one.split(",")]
        return self.model_copy(update={"only": only})


FILE_BODY: Final = {
    "required": True,
    "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
}


async def _answer(
    service: Service,
    operation: str,
    documents: Sequence[Document],
    choice: PipelineChoice,
    format: str,
    *,
    one: bool = False,
) -> Response:
    service.check_documents(documents)
    linked = service.documents(operation, documents, choice)
    if format == JSONL:
        return await _streamed(linked)
    done = [document async for document in linked]
    if format == JSON:
        return Response(write_documents(done, JSON, one=one), media_type=media_type(JSON))
    text = await asyncio.to_thread(write_documents, done, format, one=one)
    return Response(text, media_type=media_type(format))


async def _streamed(lines: AsyncIterator[str]) -> StreamingResponse:
    """A line for each item. The first is waited for, so that most errors have their status; an
    error behind it is the last line."""
    first = await anext(lines, None)

    async def written() -> AsyncIterator[str]:
        if first is not None:
            yield first + "\n"
        try:
            async for line in lines:
                yield line + "\n"
        except Failure as failure:
            yield json.dumps(failure.to_json()) + "\n"

    return StreamingResponse(written(), media_type=media_type(JSONL))


def _checked_strings(service: Service, strings: Sequence[str]) -> list[str]:
    if len(strings) > service.limits.strings:
        message = f"a request may have {service.limits.strings:,} strings; send several"
        raise Failure("too_many_documents", message)
    for number, string in enumerate(strings, 1):
        service.check_text(string, what=f"string {number}")
    return [string.strip() for string in strings]

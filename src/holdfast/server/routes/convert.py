"""Documents from one format to another: how the page opens files and gives annotations."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field, model_validator

from holdfast.corpora import FORMATS, WriteReport, dumps
from holdfast.document import Document
from holdfast.errors import HoldfastError, LossError
from holdfast.server.failures import Failure
from holdfast.server.routes.schemas import Name, Text
from holdfast.server.routes.uploads import READABLE, read_upload
from holdfast.server.service import Service

WRITABLE: Final = tuple(name for name, format in FORMATS.items() if format.write is not None)


class ConvertRequest(BaseModel):
    """The content of a file, or documents as JSON; and the format that is wanted."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    content: Text | None = Field(default=None, description="What stands in the file.")
    source_format: Name | None = Field(
        default=None, alias="from", description=f"The format of `content`: {', '.join(READABLE)}."
    )
    documents: list[dict[str, Any]] | None = Field(
        default=None, description="Documents with mentions, as /v1/annotate gives them."
    )
    to: Name = Field(description=f"The format that is wanted: {', '.join(WRITABLE)}.")
    allow_loss: bool = Field(
        default=False, description="Leave out what the format cannot hold, instead of refusing."
    )

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.content is None) == (self.documents is None):
            raise ValueError("give either content or documents")
        if (self.content is None) != (self.source_format is None):
            raise ValueError("give from together with content")
        return self


class ConvertOut(BaseModel):
    """A file's content, and how often the format had no place for what."""

    content: str
    lost: dict[str, int]
    notes: dict[str, int] = Field(description="Left out or made up, which is no loss.")


@dataclass(frozen=True, slots=True)
class _Written:
    content: str
    report: WriteReport


def add_convert(router: APIRouter, service: Service) -> None:
    """One route."""

    @router.post("/v1/convert", response_model=ConvertOut)
    async def convert(request: ConvertRequest) -> ConvertOut:
        """Read a file's content, or take documents, and write them in another format.

        What the format cannot hold is refused, with the code `loss`, unless `allow_loss` is given.
        """
        if request.to not in WRITABLE:
            raise Failure("invalid_option", f"to must be one of {', '.join(WRITABLE)}")
        documents = await asyncio.to_thread(_documents, request)
        service.check_documents(documents)
        written = await asyncio.to_thread(_write, documents, request.to)
        if written.report.lost and not request.allow_loss:
            raise _lost(request.to, written.report.lost)
        lost, notes = written.report.lost, written.report.notes
        return ConvertOut(content=written.content, lost=dict(lost), notes=dict(notes))


def _documents(request: ConvertRequest) -> list[Document]:
    if request.content is not None:
        return read_upload(request.content.encode(), request.source_format or "", marked=True)
    return [_document(data, number) for number, data in enumerate(request.documents or [], 1)]


def _document(data: Mapping[str, Any], number: int) -> Document:
    try:
        json.dumps(data, ensure_ascii=False, allow_nan=False).encode()  # no lone surrogate or NaN
        return Document.from_json(data)
    except (HoldfastError, OverflowError, RecursionError, ValueError):
        raise Failure(
            "invalid_document",
            f"document {number} is not a document as docs/formats.md describes it, or its mentions "
            "contradict its text",
        ) from None


def _write(documents: Sequence[Document], format: str) -> _Written:
    report = WriteReport()
    try:
        return _Written(dumps(documents, format, allow_loss=True, report=report), report)
    except LossError:
        raise Failure("loss", f"the text cannot be written as {format}") from None


def _lost(format: str, lost: Mapping[str, int]) -> Failure:
    listed = ", ".join(f"{what} ({count})" for what, count in lost.items())
    return Failure("loss", f"{format} cannot hold {listed}")

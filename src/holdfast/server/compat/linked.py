"""Documents linked for a route of another service's shape."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from holdfast.document import Document
from holdfast.server.routes import schemas
from holdfast.server.service import Service


class ForeignRequest(BaseModel):
    """A request in another service's shape. What its clients send besides is not needed here."""

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)


async def linked(
    service: Service,
    documents: Sequence[Document],
    *,
    marked: bool = False,
    options: schemas.PipelineOptions | None = None,
) -> list[Document]:
    """The documents, found and linked by the first model and knowledge base that are served."""
    service.check_documents(documents)
    choice = service.choice(options or schemas.PipelineOptions())
    operation = "link" if marked else "annotate"
    answers = service.documents(operation, documents, choice)
    return [Document.from_json(json.loads(answer)) async for answer in answers]

"""Gilda's `/ground` and `/ground_multi`: strings in, scored matches out."""

from __future__ import annotations

from typing import Annotated, Any, Final

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse
from pydantic import Field

from holdfast.document import Candidate, Document, Mention
from holdfast.server.compat.linked import ForeignRequest, linked
from holdfast.server.failures import Failure
from holdfast.server.routes.schemas import MAX_QUERY, PipelineOptions, Text
from holdfast.server.service import Service
from holdfast.text.normalise import fold

_WHOLE: Final = ("CHEBI", "DOID", "GO", "HP")  # namespaces whose ids keep their prefix in Gilda
_HUMAN: Final = ["9606"]
_TOP: Final = 10

Term = Annotated[Text, Field(min_length=1, max_length=MAX_QUERY)]


class GroundRequest(ForeignRequest):
    text: Term
    context: Text | None = None
    organisms: list[str] | None = None
    namespaces: list[str] | None = None


def add_gilda(router: APIRouter, service: Service) -> None:
    @router.post("/gilda/ground", include_in_schema=False)
    async def ground(asked: GroundRequest) -> Response:
        """The matches of one string, best first."""
        (matches,) = await _grounded([asked])
        return JSONResponse(matches)

    @router.post("/gilda/ground_multi", include_in_schema=False)
    async def ground_multi(asked: list[GroundRequest]) -> Response:
        """The matches of each string."""
        return JSONResponse(await _grounded(asked))

    async def _grounded(asked: list[GroundRequest]) -> list[list[dict[str, Any]]]:
        if any(one.organisms not in (None, [], _HUMAN) for one in asked):
            raise Failure("invalid_option", "organisms cannot be chosen; the context decides")
        marked = [_marked(one) for one in asked]
        documents = await linked(service, marked, marked=True, options=PipelineOptions(top=_TOP))
        return [
            [_match(one.text, candidate) for candidate in _wanted(one, document)]
            for one, document in zip(asked, documents, strict=True)
        ]


def _marked(asked: GroundRequest) -> Document:
    """The string as a mention of its context, or by itself where that does not hold it."""
    context = asked.context or ""
    place = context.find(asked.text)
    if place < 0:
        return Document("", asked.text, mentions=(Mention.at(0, len(asked.text)),))
    return Document("", context, mentions=(Mention.at(place, place + len(asked.text)),))


def _wanted(asked: GroundRequest, document: Document) -> list[Candidate]:
    (mention,) = document.mentions
    chosen = asked.namespaces
    return [c for c in mention.candidates if not chosen or c.entity_id.split(":")[0] in chosen]


def _match(query: str, candidate: Candidate) -> dict[str, Any]:
    prefix, _, local = candidate.entity_id.partition(":")
    is_exact = any(evidence.kind in ("exact", "used") for evidence in candidate.evidence)
    label = candidate.label or candidate.name
    return {
        "term": {
            "norm_text": fold(candidate.name),
            "text": candidate.name,
            "db": prefix,
            "id": candidate.entity_id if prefix in _WHOLE else local,
            "entry_name": label,
            "status": "name" if candidate.name == label else "synonym",
            "source": prefix.casefold(),
        },
        "url": f"https://identifiers.org/{prefix.casefold()}:{local}",
        "score": candidate.score,
        "match": {
            "query": query,
            "ref": candidate.name,
            "exact": is_exact,
            "space_mismatch": False,
            "dash_mismatches": [],
            "cap_combos": [],
        },
    }

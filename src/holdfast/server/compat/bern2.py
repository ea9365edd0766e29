"""BERN2's `/plain`: a text in, its annotations out."""

from __future__ import annotations

import time
from typing import Any, Final

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse

from holdfast import types
from holdfast.document import Document, Mention
from holdfast.server.compat.linked import ForeignRequest, linked
from holdfast.server.routes.schemas import PipelineOptions, Text
from holdfast.server.service import Service

_KINDS: Final = {
    types.DISEASE: "disease",
    types.PHENOTYPE: "disease",
    types.CHEMICAL: "drug",
    types.GENE: "gene",
    types.SPECIES: "species",
    types.CELL_LINE: "cell_line",
    types.CELL_TYPE: "cell_type",
    types.VARIANT: "mutation",
}
_PREFIXES: Final = {"MESH": "mesh", "OMIM": "mim", "Cellosaurus": "cellosaurus"}
_UNLINKED: Final = "CUI-less"


class PlainRequest(ForeignRequest):
    text: Text


def add_bern2(router: APIRouter, service: Service) -> None:
    @router.post("/bern2/plain", include_in_schema=False)
    async def plain(asked: PlainRequest) -> Response:
        """The text's diseases, drugs, genes, species, cells and mutations."""
        (document,) = await linked(
            service, [Document("", asked.text)], options=PipelineOptions(only=list(_KINDS))
        )
        return JSONResponse(
            {
                "annotations": [
                    _annotation(document, mention)
                    for mention in document.mentions
                    if types.canonical_type(mention.type) in _KINDS  # rules may add others
                ],
                "text": document.text,
                "timestamp": time.strftime("%a %b %d %H:%M:%S +0000 %Y", time.gmtime()),
            }
        )


def _annotation(document: Document, mention: Mention) -> dict[str, Any]:
    """As BERN2 has it: a mention is one stretch from its first character to its last."""
    best = mention.best
    kind = _KINDS[types.canonical_type(mention.type)]
    is_exact = best is not None and any(e.kind in ("exact", "used") for e in best.evidence)
    annotation: dict[str, Any] = {
        "id": [_spelled(id) for id in mention.ids] if mention.is_linked else [_UNLINKED],
        "is_neural_normalized": mention.is_linked and not is_exact,
        "mention": document.text[mention.start : mention.end],
        "obj": kind,
        "prob": None if best is None else best.score,
        "span": {"begin": mention.start, "end": mention.end},
    }
    if kind == "mutation":
        annotation |= {
            "mutationType": "Mutation",
            "normalizedName": best.name if best else annotation["mention"],
        }
    return annotation


def _spelled(id: str) -> str:
    prefix, colon, rest = id.partition(":")
    return f"{_PREFIXES.get(prefix, prefix)}{colon}{rest}"

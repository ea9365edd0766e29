"""An external recommender for INCEpTION.

INCEpTION sends a document as UIMA XMI and wants it back with suggestions: annotations of its layer
that carry `inception_internal_predicted`. The address to enter there is that of `/inception/ids`,
which suggests concepts, or `/inception/types`, which suggests types.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal
from xml.etree import ElementTree

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse

from holdfast.document import Document, Mention
from holdfast.server.compat.linked import ForeignRequest, linked
from holdfast.server.failures import Failure
from holdfast.server.routes.schemas import Name, Text
from holdfast.server.service import Service

_XMI: Final = "http://www.omg.org/XMI"
_CAS: Final = "http:///uima/cas.ecore"
_VIEW: Final = "_InitialView"
_PREDICTED: Final = "inception_internal_predicted"
_TYPE: Final = re.compile(r"(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*", re.ASCII)
_FEATURE: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)


class Metadata(ForeignRequest):
    layer: Name
    feature: Name


class SentDocument(ForeignRequest):
    xmi: Text


class PredictRequest(ForeignRequest):
    metadata: Metadata
    document: SentDocument


def add_inception(router: APIRouter, service: Service) -> None:
    @router.post("/inception/{what}/predict", include_in_schema=False)
    async def predict(what: Literal["ids", "types"], asked: PredictRequest) -> Response:
        """The document with the mentions that were found as suggestions."""
        cas = Cas(asked.document.xmi)
        (document,) = await linked(service, [Document("", cas.text)])
        for mention in document.mentions:
            if label := _label(mention, what):
                best = mention.best
                cas.suggest(mention, asked.metadata, label, best.score if best else None)
        return JSONResponse({"document": cas.to_xmi()})


def _label(mention: Mention, what: str) -> str:
    if what == "types":
        return mention.type
    return mention.ids[0] if mention.is_linked else ""


class Cas:
    """A UIMA document: its text, and the annotations that are added to it.

    Offsets in XMI count UTF-16 units: a character beyond the basic plane is two of them.
    """

    def __init__(self, xmi: str) -> None:
        """A Failure if it is no XMI with a text."""
        if "<!DOCTYPE" in xmi or "<!ENTITY" in xmi:
            raise Failure("invalid_document", "the XMI must declare no document type")
        try:
            self._root = ElementTree.fromstring(xmi)
        except (ElementTree.ParseError, ValueError):
            raise Failure("invalid_document", "the XMI is no XML") from None
        sofas = self._root.findall(f"{{{_CAS}}}Sofa")
        sofa = next((s for s in sofas if s.get("sofaID") == _VIEW), None)
        sofa_id = "" if sofa is None else sofa.get(f"{{{_XMI}}}id", "")
        views = self._root.findall(f"{{{_CAS}}}View")
        view = next((view for view in views if view.get("sofa") == sofa_id), None)
        if sofa is None or view is None:
            raise Failure("invalid_document", f"the XMI has no view {_VIEW} with a text")
        self.text = sofa.get("sofaString", "")
        self._sofa_id, self._view = sofa_id, view
        self._units = list(_utf16_offsets(self.text))
        ids = (element.get(f"{{{_XMI}}}id", "") for element in self._root.iter())
        self._next_id = 1 + max(
            (int(id) for id in ids if id.isdecimal() and len(id) < 10), default=0
        )

    def suggest(
        self, mention: Mention, metadata: Metadata, label: str, score: float | None
    ) -> None:
        """Add an annotation of the layer, from the mention's first character to its last."""
        if not _TYPE.fullmatch(metadata.layer) or not _FEATURE.fullmatch(metadata.feature):
            raise Failure("invalid_document", "layer and feature must be names of UIMA")
        package, _, name = metadata.layer.rpartition(".")
        place = "/".join(package.split(".")) if package else "uima/noNamespace"
        attributes = {
            f"{{{_XMI}}}id": str(self._next_id),
            "sofa": self._sofa_id,
            "begin": str(self._units[mention.start]),
            "end": str(self._units[mention.end]),
            metadata.feature: label,
            _PREDICTED: "true",
        }
        if score is not None:
            attributes[f"{metadata.feature}_score"] = str(score)
        element = ElementTree.Element(f"{{http:///{place}.ecore}}{name}", attributes)
        self._root.insert(list(self._root).index(self._view), element)
        members = self._view.get("members", "")
        self._view.set("members", f"{members} {self._next_id}".strip())
        self._next_id += 1

    def to_xmi(self) -> str:
        return ElementTree.tostring(self._root, encoding="unicode", xml_declaration=False)


def _utf16_offsets(text: str) -> Iterator[int]:
    """The UTF-16 offset of each character, and that of the end."""
    offset = 0
    for character in text:
        yield offset
        offset += 2 if ord(character) > 0xFFFF else 1
    yield offset

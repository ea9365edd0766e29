"""The formats of answers: chosen by `?format=` or the header Accept, and written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Final

from holdfast.corpora import dumps
from holdfast.document import Document
from holdfast.errors import LossError
from holdfast.server.failures import Failure

JSON: Final = "json"
JSONL: Final = "jsonl"
MEDIA_TYPES: Final[dict[str, str]] = {
    JSON: "application/json",
    JSONL: "application/x-ndjson",
    "bioc-json": "application/vnd.bioc+json",
    "bioc-xml": "application/xml",
    "pubtator": "text/x-pubtator",
    "brat": "text/x-brat",
    "tsv": "text/tab-separated-values",
}
"""Each format, and the media type that asks for it and that its answers have."""

_ALSO: Final = {"text/xml": "bioc-xml", "application/jsonl": JSONL, "text/tsv": "tsv"}
_ASKED: Final = {**{media: name for name, media in MEDIA_TYPES.items()}, **_ALSO}
_WRITERS: Final = {"tsv": "mentions"}  # by what holdfast.corpora calls it, where that differs


def media_type(format: str) -> str:
    """For the header Content-Type."""
    media = MEDIA_TYPES[format]
    return media if media.endswith("json") else f"{media}; charset=utf-8"


def choose_format(
    asked: str | None,
    accept: str | None,
    *,
    among: Sequence[str] = tuple(MEDIA_TYPES),
    default: str = JSON,
) -> str:
    """The format of an answer: what `?format=` says, or else the header Accept.

    The default is for those who accept anything.
    """
    if asked is not None:
        if asked not in among:
            raise Failure("not_accepted", f"there is no such format; there is: {', '.join(among)}")
        return asked
    for media in _by_preference(accept or "*/*"):
        if media in ("*/*", "application/*"):
            return default
        if _ASKED.get(media) in among:
            return _ASKED[media]
    known = ", ".join(MEDIA_TYPES[name] for name in among)
    raise Failure("not_accepted", f"nothing that Accept names can be written; there is: {known}")


def _by_preference(accept: str) -> list[str]:
    """The media types of an Accept header, those with a higher q first; q=0 is left out."""
    weighted = list[tuple[float, str]]()
    for item in accept.split(","):
        media, *parameters = (part.strip().casefold() for part in item.split(";"))
        weight = next((_weight(p[2:]) for p in parameters if p.startswith("q=")), 1.0)
        if weight > 0:
            weighted.append((weight, media))
    return [media for _, media in sorted(weighted, key=lambda pair: -pair[0])]


def _weight(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def write_documents(documents: Sequence[str], format: str, *, one: bool) -> str:
    """Documents, given as their JSON, in a format. With `one`, JSON is that document, no list."""
    if format == JSON:
        return documents[0] if one else wrapped("documents", documents)
    if format == JSONL:
        return "".join(f"{document}\n" for document in documents)
    values = (Document.from_json(json.loads(document)) for document in documents)
    try:
        # Candidates have no place in these formats, and nobody expects them there.
        return dumps(values, _WRITERS.get(format, format), allow_loss=True)
    except LossError:
        raise Failure("not_accepted", f"the text cannot be written as {format}") from None


def wrapped(key: str, items: Iterable[str]) -> str:
    """A JSON object with one list, from the JSON of its items."""
    return f'{{"{key}": [\n' + ",\n".join(items) + "\n]}"

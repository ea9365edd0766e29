"""What the service refuses, and the one shape in which it says so.

    {"error": {"code": "too_long", "message": "…", "details": []}}

No message quotes what a request holds: a document's text, an id or a key may name a patient, and
messages end up in logs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

STATUS: Final[dict[str, int]] = {
    "invalid_request": 422,
    "invalid_document": 422,
    "invalid_format": 422,
    "invalid_option": 422,
    "loss": 422,
    "malformed": 400,
    "not_accepted": 406,
    "unknown_entity": 404,
    "unknown_job": 404,
    "not_found": 404,
    "method_not_allowed": 405,
    "unauthorised": 401,
    "cross_site": 403,
    "unknown_host": 400,
    "conflict": 409,
    "too_large": 413,
    "too_long": 413,
    "too_many_documents": 413,
    "unsupported_type": 415,
    "too_many_requests": 429,
    "too_many_jobs": 429,
    "internal": 500,
    "busy": 503,
    "starting": 503,
    "stopping": 503,
    "worker_lost": 503,
    "too_slow": 504,
}
"""Every code that an answer may have, with its HTTP status."""

_RETRY: Final = frozenset({429, 503})


class Failure(Exception):  # noqa: N818  # what a client did is no error of ours
    """An answer that is an error. `retry_after` is in whole seconds."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        details: Sequence[Mapping[str, Any]] = (),
        retry_after: int = 1,
    ) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.details = details
        self.retry_after = retry_after

    @property
    def status(self) -> int:
        return STATUS[self.code]

    @property
    def headers(self) -> dict[str, str]:
        if self.status in _RETRY:
            return {"Retry-After": str(self.retry_after)}
        if self.status == 401:
            return {"WWW-Authenticate": 'Basic realm="holdfast", charset="UTF-8"'}
        return {}

    def to_json(self) -> dict[str, Any]:
        body = {"code": self.code, "message": self.message, "details": list(self.details)}
        return {"error": body}


def without_values(message: str, values: Collection[object]) -> str:
    """The message of a Holdfast error without the values of the request that it names."""
    for value in sorted(map(str, values), key=len, reverse=True):
        for spelled in (repr(value), f"“{value}”", value):
            message = message.replace(spelled, "(the value given)") if value else message
    return message

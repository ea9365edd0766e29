"""What the routes share: requests become documents and tasks, answers come back in order."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Any, Final

from holdfast.document import Document, Mention, Passage, Span
from holdfast.errors import InvalidValueError
from holdfast.server.catalog import Catalog
from holdfast.server.failures import Failure
from holdfast.server.routes.schemas import MarkedIn, PipelineOptions, TextIn
from holdfast.server.settings import Settings
from holdfast.server.workers.pool import Pool
from holdfast.server.workers.tasks import PipelineChoice, TaskPiece, pieces

_STRINGS: Final = 100  # that one piece of work links
_TESTED: Final = 10.0  # seconds for which a self-test counts


class Service:
    """The catalog, the workers and the limits of one running service."""

    def __init__(self, settings: Settings) -> None:
        """HoldfastError if a knowledge base or model is missing or damaged."""
        self.settings = settings
        self.limits = settings.limits
        self.catalog = Catalog(settings)
        self.pool = Pool(settings)
        self._tested = -_TESTED

    def start(self) -> None:
        self.pool.start()
        threading.Thread(target=self.catalog.warm_up, name="holdfast-names", daemon=True).start()

    def stop(self) -> None:
        self.pool.close(seconds=self.limits.drain)

    def choice(self, options: PipelineOptions) -> PipelineChoice:
        """The options with the served knowledge base and model that they name."""
        return PipelineChoice(
            kb=self.catalog.kb_given(options.kb),
            model=self.catalog.model_given(options.model),
            only=None if options.only is None else tuple(options.only),
            top=options.top,
            min_score=options.min_score,
            nested=options.nested,
            map_to=options.map_to,
            types=self.catalog.typing_given() if options.types else None,
        )

    def check_documents(self, documents: Sequence[Document]) -> None:
        """A Failure if there are too many documents, or one is too long."""
        if len(documents) > self.limits.documents:
            raise Failure(
                "too_many_documents",
                f"a request may have {self.limits.documents:,} documents; send several, or a job "
                "to /v1/jobs",
            )
        for number, document in enumerate(documents, 1):
            self.check_text(document.text, what=f"document {number}")

    def check_text(self, text: str, *, what: str = "the text") -> None:
        if len(text) > self.limits.text:
            raise Failure("too_long", f"{what} has more than {self.limits.text:,} characters")

    async def documents(
        self, operation: str, documents: Sequence[Document], choice: PipelineChoice
    ) -> AsyncIterator[str]:
        """The JSON of the documents, in order, as soon as each is done."""
        async for answer in self.run_all(pieces(operation, documents, choice)):
            for document in answer["documents"]:
                yield document

    async def strings(self, strings: Sequence[str], choice: PipelineChoice) -> AsyncIterator[str]:
        """The JSON of the linked strings, in order."""
        parts = (strings[i : i + _STRINGS] for i in range(0, len(strings), _STRINGS))
        work = (
            TaskPiece(
                {"operation": "strings", "choice": choice.to_json(), "strings": list(part)},
                sum(map(len, part)),
            )
            for part in parts
        )
        async for answer in self.run_all(work):
            for row in answer["rows"]:
                yield row

    async def run(self, task: dict[str, Any], *, size: int = 0) -> dict[str, Any]:
        """The answer to one task."""
        (answer,) = [answer async for answer in self.run_all([TaskPiece(task, size)])]
        return answer

    async def run_all(
        self, work: Iterable[TaskPiece], *, seconds: float | None = None
    ) -> AsyncIterator[dict[str, Any]]:
        """The answers in order. A few pieces are under way at a time, so that a large request
        leaves room in the queue for others."""
        deadline = time.monotonic() + (seconds or self.limits.seconds)
        running: deque[asyncio.Future[dict[str, Any]]] = deque()
        try:
            for piece in work:
                left = max(0.0, deadline - time.monotonic())
                future = self.pool.submit(piece.task, size=piece.size, seconds=left)
                running.append(asyncio.wrap_future(future))
                if len(running) > self.pool.size:
                    yield _succeeded(await running.popleft())
            while running:
                yield _succeeded(await running.popleft())
        finally:
            for waiting in running:
                waiting.cancel()

    async def self_test(self) -> None:
        """Let a worker link something; a Failure if none can. It counts for a few seconds."""
        if not self.pool.ready:
            problem = self.pool.problem
            raise Failure("starting", problem or "no worker is ready yet", retry_after=2)
        if time.monotonic() - self._tested > _TESTED:
            await self.run({"operation": "self_test"})
            self._tested = time.monotonic()


def _succeeded(answer: dict[str, Any]) -> dict[str, Any]:
    if failure := answer.get("failure"):
        raise Failure(failure["code"], failure["message"])
    return answer


def document_of(given: TextIn, *, number: int) -> Document:
    """The document that a request gives, counted from 1; a Failure if it contradicts itself."""
    try:
        return Document(
            given.id,
            given.text,
            passages=tuple(Passage(p.kind, p.start, p.end) for p in given.passages),
            mentions=tuple(map(_mention, given.mentions)) if isinstance(given, MarkedIn) else (),
        )
    except InvalidValueError:
        raise Failure(
            "invalid_document",
            f"document {number}: its spans and passages must be in order, not overlap, end behind "
            "their start and stay in the text, and the ids of mentions must not repeat",
        ) from None


def _mention(given: Any) -> Mention:
    return Mention(tuple(Span(*span) for span in given.spans), type=given.type, id=given.id)

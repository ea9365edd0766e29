"""The routes of jobs."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse

from holdfast.document import Document
from holdfast.server.failures import Failure
from holdfast.server.jobs import DONE, FAILED, Job, Jobs
from holdfast.server.routes import schemas
from holdfast.server.routes.formats import JSONL, choose_format, media_type, write_documents
from holdfast.server.routes.linking import DOCUMENTS, FILE_BODY, Accept, FileOptions, Format
from holdfast.server.routes.uploads import read_upload
from holdfast.server.service import Service, document_of


def add_jobs(router: APIRouter, service: Service, jobs: Jobs) -> None:
    """Large inputs: brought once, asked for later, forgotten an hour after they are done."""
    _add_creation(router, service, jobs)
    _add_looking(router, jobs)


def _add_creation(router: APIRouter, service: Service, jobs: Jobs) -> None:
    @router.post("/v1/jobs", status_code=202, response_model=schemas.JobOut)
    async def create_job(
        request: Request, asked: schemas.AnnotateRequest, format: Format = None
    ) -> Response:
        """Bring documents to be annotated, as many as the body holds."""
        if asked.documents is None:
            read = [Document("", asked.text or "")]
        else:
            read = [document_of(given, number=i) for i, given in enumerate(asked.documents, 1)]
        chosen = choose_format(format, None)
        job = Job(_who(request), "annotate", read, service.choice(asked), chosen)
        return _created(request, service, jobs, job)

    @router.post(
        "/v1/jobs/file",
        status_code=202,
        response_model=schemas.JobOut,
        openapi_extra={"requestBody": FILE_BODY},
    )
    async def create_job_of_file(
        request: Request, options: Annotated[FileOptions, Query()]
    ) -> Response:
        """Bring a file to be annotated; the options are those of `/v1/annotate/file`."""
        chosen = choose_format(options.format, None)
        body = await request.body()
        read = await asyncio.to_thread(
            read_upload, body, options.source_format, marked=options.marked
        )
        operation = "link" if options.marked else "annotate"
        choice = service.choice(options.chosen())
        job = Job(_who(request), operation, read, choice, chosen)
        return _created(request, service, jobs, job)


def _created(request: Request, service: Service, jobs: Jobs, job: Job) -> Response:
    for number, document in enumerate(job.documents, 1):
        service.check_text(document.text, what=f"document {number}")
    jobs.add(job)
    place = str(request.app.url_path_for("job", id=job.id))
    return JSONResponse(job.to_json(), 202, {"Location": place})


def _add_looking(router: APIRouter, jobs: Jobs) -> None:
    @router.get("/v1/jobs", response_model=schemas.JobsOut)
    async def list_jobs(request: Request) -> Response:
        """The jobs of the token that asks."""
        return JSONResponse({"jobs": [job.to_json() for job in jobs.of(_who(request))]})

    @router.get("/v1/jobs/{id}", response_model=schemas.JobOut)
    async def job(request: Request, id: str) -> Response:
        """How far a job is."""
        return JSONResponse(jobs.get(id, _who(request)).to_json())

    @router.get("/v1/jobs/{id}/result", response_model=schemas.DocumentsOut, responses=DOCUMENTS)
    async def job_result(
        request: Request, id: str, format: Format = None, accept: Accept = None
    ) -> Response:
        """The documents of a job that is done; without a format, in that of its creation.

        Of a job that failed, the documents that were done until then.
        """
        found = jobs.get(id, _who(request))
        if found.status not in (DONE, FAILED):
            raise Failure("conflict", "the job is not done yet")
        chosen = choose_format(format, accept, default=found.format)
        if chosen == JSONL:
            lines = (f"{document}\n" for document in found.linked())
            return StreamingResponse(lines, media_type=media_type(JSONL))
        text = await asyncio.to_thread(write_documents, [*found.linked()], chosen, one=False)
        return Response(text, media_type=media_type(chosen))

    @router.delete("/v1/jobs/{id}", status_code=204)
    async def delete_job(request: Request, id: str) -> Response:
        """Stop a job and forget it."""
        jobs.delete(id, _who(request))
        return Response(status_code=204)


def _who(request: Request) -> str:
    found: Any = request.scope["state"]["who"]
    return str(found)

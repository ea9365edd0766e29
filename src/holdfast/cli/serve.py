"""`holdfast serve`: the service."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.options import with_options

Kb = Annotated[
    list[str] | None, typer.Option("--kb", help="A knowledge base to serve; may be repeated.")
]
Model = Annotated[
    list[str] | None, typer.Option("--model", help="A model to serve; may be repeated.")
]
TypeModel = Annotated[
    str | None,
    typer.Option("--type-model", help="The typing model of requests for types."),
]
Rules = Annotated[
    Path | None, typer.Option("--rules", help="A TOML file that blocks, pins or adds names.")
]
Host = Annotated[str, typer.Option("--host", help="The address to listen on.")]
Port = Annotated[int, typer.Option("--port", min=0, max=65535, help="The port to listen on.")]
Workers = Annotated[
    int, typer.Option("--workers", min=0, help="Processes that link; 0: one for each core.")
]
NewToken = Annotated[
    str | None,
    typer.Option("--new-token", metavar="NAME", help="Make a token, print it once, and stop."),
]
TokenFile = Annotated[
    Path | None, typer.Option("--tokens", help="Where the hashes of tokens are kept.")
]
RequireToken = Annotated[
    bool, typer.Option("--require-token", help="Ask for a token on this machine too.")
]
TrustedHost = Annotated[
    list[str] | None,
    typer.Option("--trusted-host", help="A name under which the service is asked; repeatable."),
]
Certificate = Annotated[
    Path | None, typer.Option("--certificate", help="A PEM file; the service then speaks TLS.")
]
Key = Annotated[Path | None, typer.Option("--key", help="The private key of the certificate.")]
Compat = Annotated[
    str | None,
    typer.Option("--compat", help="Also answer clients of: bern2,medcat,gilda,inception."),
]
Offline = Annotated[bool, typer.Option("--offline", help="Refuse every outgoing connection.")]
MaxBody = Annotated[float, typer.Option("--max-body", min=0.001, help="Megabytes of a request.")]
MaxDocuments = Annotated[
    int, typer.Option("--max-documents", min=1, help="Documents of a request.")
]
MaxText = Annotated[int, typer.Option("--max-text", min=1, help="Characters of a document.")]
MaxSeconds = Annotated[
    float, typer.Option("--max-seconds", min=0.1, help="Seconds that a request may take.")
]
MaxWaiting = Annotated[
    int, typer.Option("--max-waiting", min=1, help="Pieces of work that wait for a worker.")
]
MaxPerMinute = Annotated[
    int, typer.Option("--max-per-minute", min=1, help="Requests of one token a minute.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """The options; docs/cli.md says what each means."""

    kb: Kb = None
    model: Model = None
    type_model: TypeModel = None
    rules: Rules = None
    host: Host = "127.0.0.1"
    port: Port = 8000
    workers: Workers = 0
    new_token: NewToken = None
    tokens: TokenFile = None
    require_token: RequireToken = False
    trusted_host: TrustedHost = None
    certificate: Certificate = None
    key: Key = None
    compat: Compat = None
    offline: Offline = False
    max_body: MaxBody = 10
    max_documents: MaxDocuments = 500
    max_text: MaxText = 300_000
    max_seconds: MaxSeconds = 60
    max_waiting: MaxWaiting = 128
    max_per_minute: MaxPerMinute = 600


@with_options(ServeOptions)
def serve(asked: ServeOptions) -> None:
    """Serve linking over HTTP, with a page for the browser."""
    from holdfast.server.serve import run_new_token, run_serve
    from holdfast.server.settings import Limits, Settings

    if asked.new_token is not None:
        run_new_token(asked.new_token, asked.tokens)
        return
    settings = Settings(
        kbs=tuple(asked.kb or ("open",)),
        models=tuple(asked.model or ("default",)),
        type_model=asked.type_model,
        rules=asked.rules,
        host=asked.host,
        port=asked.port,
        workers=asked.workers,
        tokens=asked.tokens,
        require_token=asked.require_token,
        trusted_hosts=tuple(asked.trusted_host or ()),
        certificate=asked.certificate,
        key=asked.key,
        compat=tuple(asked.compat.split(",")) if asked.compat else (),
        offline=asked.offline,
        limits=Limits(
            body=int(asked.max_body * 1_000_000),
            documents=asked.max_documents,
            text=asked.max_text,
            seconds=asked.max_seconds,
            waiting=asked.max_waiting,
            per_minute=asked.max_per_minute,
        ),
    )
    run_serve(settings)

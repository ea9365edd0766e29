"""Everything that can be set about the service, checked before anything is loaded."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from holdfast.errors import UsageError

COMPAT: Final = ("bern2", "medcat", "gilda", "inception")
_LOCAL_NAMES: Final = ("localhost", "127.0.0.1", "[::1]")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may cost. Sizes are in bytes, lengths in characters, times in seconds."""

    body: int = 10_000_000
    job_body: int = 50_000_000  # of a request to /v1/jobs
    documents: int = 500  # of one request
    strings: int = 10_000  # of one request
    text: int = 300_000  # of one document
    seconds: float = 60.0  # from the first byte to the answer, waiting included
    waiting: int = 128  # pieces of work that wait for a worker; more are refused with 503
    per_minute: int = 600  # requests of one token; more are refused with 429
    jobs: int = 20  # of one token that wait, run or are kept
    kept: float = 3600.0  # how long the result of a job is kept
    drain: float = 30.0  # how long requests may still run when the service is told to stop

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if getattr(self, name) <= 0:
                raise UsageError(f"the limit {name} must be more than 0: {getattr(self, name)}")


@dataclass(frozen=True, slots=True)
class Settings:
    """What is served, where, and to whom."""

    kbs: tuple[str, ...] = ("open",)  # names or folders; the first is the default
    models: tuple[str, ...] = ("default",)  # names or folders; the first is the default
    type_model: str | None = None  # a name or folder; None: that of `link --types`, if it is here
    rules: Path | None = None
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 0  # processes that link; 0: as many as there are cores
    tokens: Path | None = None  # the file of hashed tokens; None: the one in the home folder
    require_token: bool = False  # also on the loopback
    trusted_hosts: tuple[str, ...] = ()  # names under which the service is asked, beside its own
    certificate: Path | None = None  # PEM; with it the service speaks TLS
    key: Path | None = None
    compat: tuple[str, ...] = ()
    offline: bool = False
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if not self.kbs or not self.models:
            raise UsageError("a service needs at least one knowledge base and one model")
        for name in self.compat:
            if name not in COMPAT:
                raise UsageError(f"no --compat is called {name!r}; there is: {', '.join(COMPAT)}")
        if (self.certificate is None) != (self.key is None):
            raise UsageError("TLS needs both --certificate and --key")
        if self.workers < 0:
            raise UsageError(f"--workers must be 0 or more: {self.workers}")
        if not self.is_local and not self.trusted_hosts and self.host in ("0.0.0.0", "::"):
            raise UsageError(
                f"with --host {self.host}, name the hosts under which the service is asked: "
                "--trusted-host linker.example.org"
            )

    @property
    def is_local(self) -> bool:
        """Whether nobody but this machine can reach the service."""
        return is_loopback(self.host)

    @property
    def needs_token(self) -> bool:
        return self.require_token or not self.is_local

    @property
    def hosts(self) -> frozenset[str]:
        """The values of a Host header, without the port, that are answered."""
        own = f"[{self.host}]" if ":" in self.host else self.host
        local = _LOCAL_NAMES if self.is_local else ()
        return frozenset(name.casefold() for name in (own, *local, *self.trusted_hosts))


def is_loopback(host: str) -> bool:
    """Whether a host name or address is the machine itself."""
    if host.casefold() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False

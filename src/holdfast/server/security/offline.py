"""`--offline`: the service opens no connection, whatever a library may try."""

from __future__ import annotations

import sys
from typing import Any, Final

from holdfast.server.settings import is_loopback

_EVENTS: Final = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
_NAMES: Final = frozenset({"socket.getaddrinfo", "socket.gethostbyname"})


class OfflineError(OSError):
    """A connection was attempted although the service runs with --offline."""


def refuse_connections() -> None:
    """Refuse from now on, in this process, every connection and every look-up of a name.

    Sockets that listen, and what they accept, go on working. It cannot be undone.
    """
    sys.addaudithook(_check)


def _check(event: str, arguments: tuple[Any, ...]) -> None:
    if event in _EVENTS:
        address = arguments[1] if len(arguments) > 1 else None
        if isinstance(address, tuple):  # a pair of host and port; paths of Unix sockets are not
            raise OfflineError("--offline: a connection was refused")
    elif event in _NAMES and arguments[0] and not _is_own(arguments[0]):
        raise OfflineError("--offline: the look-up of a name was refused")


def _is_own(host: object) -> bool:
    text = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host)
    return is_loopback(text) or text in ("0.0.0.0", "::") or text.replace(".", "").isdecimal()

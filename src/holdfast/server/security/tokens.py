"""Tokens: made here, shown once, kept as hashes, compared in constant time."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from holdfast import artifacts
from holdfast.errors import InputError, UsageError
from holdfast.files import replacing_text
from holdfast.server.failures import Failure

ANYBODY: Final = "-"
"""Who asks where no token is needed."""

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_PREFIX: Final = "hf_"  # so that a token that was committed somewhere can be searched for
_BYTES: Final = 32


def token_file() -> Path:
    """Where tokens are kept if no other file is named."""
    return artifacts.home() / "serve" / "tokens.json"


@dataclass(frozen=True, slots=True)
class AccessTokens:
    """The names of the tokens, and the sha256 of each.

    A token has 256 random bits: a plain hash can be neither guessed nor reversed.
    """

    hashes: dict[str, str]

    @classmethod
    def read(cls, path: Path) -> AccessTokens:
        """The tokens of a file; none if there is no such file."""
        try:
            hashes = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return cls({})
        except (OSError, ValueError) as error:
            raise InputError(f"{path}: the tokens cannot be read ({error})") from error
        if not isinstance(hashes, dict) or not all(isinstance(v, str) for v in hashes.values()):
            raise InputError(f"{path}: holds no tokens; make one with `holdfast serve --new-token`")
        return cls(hashes)

    def identify(self, authorisation: str | None) -> str:
        """The name of the token that an Authorization header has; a Failure if it has none.

        The token comes as `Bearer TOKEN`, or as the password of `Basic`, which browsers ask for.
        """
        given = hashlib.sha256(_token_in(authorisation).encode()).hexdigest()
        # Every hash is compared, and in constant time: the answer's time tells nothing.
        matching = [name for name, kept in self.hashes.items() if hmac.compare_digest(kept, given)]
        if not matching:
            raise Failure("unauthorised", "a valid token is needed: Authorization: Bearer TOKEN")
        return matching[0]


def new_token(name: str, path: Path) -> str:
    """Make a token of this name, keep its hash in the file, and return it.

    An older token of the same name is not valid any more.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} cannot name a token; use letters, digits, '-', '_' and '.'")
    token = _PREFIX + secrets.token_urlsafe(_BYTES)
    hashes = {**AccessTokens.read(path).hashes, name: hashlib.sha256(token.encode()).hexdigest()}
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with replacing_text(path) as stream:
        json.dump(hashes, stream, indent=2)
        stream.write("\n")
    path.chmod(0o600)
    return token


def _token_in(authorisation: str | None) -> str:
    scheme, _, given = (authorisation or "").strip().partition(" ")
    if scheme.casefold() == "bearer":
        return given.strip()
    if scheme.casefold() == "basic":
        try:
            return base64.b64decode(given, validate=True).decode().partition(":")[2]
        except (binascii.Error, ValueError):
            return ""
    return ""

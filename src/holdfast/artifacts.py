"""Folders that Holdfast writes and trusts only after checking: knowledge bases and models.

A folder holds data files and a `manifest.json` with each file's size and sha256. It appears under
its name all at once or not at all (`publish`), so that a killed writer leaves nothing half made.

Hashing every byte on every start would cost more than the start itself, so a check that passed
is remembered in `.verified.json` with each file's size, inode and time of change; a file that
changed since is hashed again.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import logging
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TextIO

from holdfast.errors import ArtifactError, HoldfastError

MANIFEST: Final = "manifest.json"
VERIFIED: Final = ".verified.json"
_BUILDING: Final = ".building-"
_LOG: Final = logging.getLogger(__name__)


def home() -> Path:
    """Where working files live: HOLDFAST_HOME, or `holdfast` in the user's cache folder."""
    if value := os.environ.get("HOLDFAST_HOME"):
        return Path(value).expanduser()
    cache = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(cache) if cache else Path.home() / ".cache") / "holdfast"


def place_in_home(folder: Path) -> str:
    """A folder's path below the home folder, or its whole path if it lies elsewhere.

    What is kept by this place is found again when the home folder is copied or mounted elsewhere.
    """
    place, own = folder.resolve(), home().resolve()
    return (place.relative_to(own) if place.is_relative_to(own) else place).as_posix()


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a folder says of itself."""

    kind: str  # "knowledge base", "name encoder", …
    version: int  # of the kind's layout; a reader refuses versions it does not know
    config: Mapping[str, Any]
    files: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # name -> size, sha256

    @property
    def digest(self) -> str:
        """Identifies the content: equal digests mean equal files and equal configuration."""
        hashes = {name: entry["sha256"] for name, entry in self.files.items()}
        return _sha256_of_json({**self._head, "files": hashes})

    @property
    def _head(self) -> dict[str, Any]:
        return {"kind": self.kind, "version": self.version, "config": dict(self.config)}


def sha256_of(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write_manifest(folder: Path, *, kind: str, version: int, config: Mapping[str, Any]) -> Manifest:
    """Hash every file in the folder and write its manifest."""
    files = {
        path.name: {"size": path.stat().st_size, "sha256": sha256_of(path)}
        for path in sorted(folder.iterdir())
        if path.is_file() and path.name not in (MANIFEST, VERIFIED)
    }
    content = {"kind": kind, "version": version, "config": config, "files": files}
    text = json.dumps({**content, "sha256": _sha256_of_json(content)}, indent=2)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")
    return Manifest(kind, version, config, files)


def read_manifest(
    folder: Path, *, kind: str, version: int, error: type[HoldfastError] = ArtifactError
) -> Manifest:
    """The folder's manifest, refused if it is another kind or from a newer Holdfast."""
    path = folder / MANIFEST
    try:
        manifest = _manifest(json.loads(path.read_text(encoding="utf-8")))
    except (FileNotFoundError, NotADirectoryError):
        raise error(f"{folder}: not a Holdfast folder (no {MANIFEST})") from None
    except OSError as cause:
        raise error(f"{path}: cannot be read ({cause.strerror})") from cause
    except (ValueError, KeyError, TypeError, AttributeError) as cause:
        raise error(f"{path}: damaged ({cause}); build or fetch it again") from cause
    if manifest.kind != kind:
        raise error(f"{folder}: holds a {manifest.kind}, not a {kind}")
    if manifest.version > version:
        raise error(
            f"{folder}: written by a newer Holdfast (layout {manifest.version}, this one reads "
            f"up to {version}); update Holdfast or build it again"
        )
    return manifest


def _manifest(data: dict[str, Any]) -> Manifest:
    """Parsed, with the types checked that later code relies on."""
    seal = data.pop("sha256", None)  # may be left out where a person writes a manifest
    if seal is not None and seal != _sha256_of_json(data):
        raise ValueError("its content is not what its sha256 says")
    manifest = Manifest(**data)
    entries = manifest.files.values()
    sound = (
        isinstance(manifest.kind, str)
        and isinstance(manifest.version, int)
        and isinstance(manifest.config, dict)
        and all(isinstance(entry["size"], int) for entry in entries)
        and all(isinstance(entry["sha256"], str) for entry in entries)
    )
    if not sound:
        raise ValueError("a value of the wrong type")
    return manifest


def _sha256_of_json(data: Mapping[str, Any]) -> str:
    """Of the values, however they are spaced and ordered."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def verify(
    folder: Path,
    manifest: Manifest,
    *,
    error: type[HoldfastError] = ArtifactError,
    afresh: bool = False,
) -> None:
    """Raise unless every file of the manifest is there, unchanged.

    `afresh`: hash every file, whatever an earlier check said.
    """
    known = {} if afresh else _read_stamps(folder)
    stamps = {}
    for name, entry in manifest.files.items():
        path = folder / name
        try:
            stat = path.stat()
        except FileNotFoundError:
            raise error(f"{path}: missing; build or fetch it again") from None
        stamps[name] = [stat.st_size, stat.st_mtime_ns, stat.st_ino, entry["sha256"]]
        if stat.st_size != entry["size"]:
            raise error(
                f"{path}: damaged ({stat.st_size} bytes, the manifest says {entry['size']}); "
                "build or fetch it again"
            )
        try:
            is_sound = known.get(name) == stamps[name] or sha256_of(path) == entry["sha256"]
        except OSError as cause:
            raise error(f"{path}: cannot be read ({cause.strerror})") from cause
        if not is_sound:
            raise error(
                f"{path}: damaged (its sha256 is not the manifest's); build or fetch it again"
            )
    if known != stamps and not afresh:
        # A read-only folder is verified each time instead of once.
        with contextlib.suppress(OSError):
            (folder / VERIFIED).write_text(json.dumps(stamps), encoding="utf-8")


def _read_stamps(folder: Path) -> dict[str, Any]:
    try:
        stamps = json.loads((folder / VERIFIED).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamps if isinstance(stamps, dict) else {}


@contextlib.contextmanager
def publish(folder: Path) -> Iterator[Path]:
    """A scratch folder that becomes `folder` when the block ends well, and vanishes otherwise.

    An older `folder` is replaced only then. Scratch folders of writers that were killed are
    swept away here, since nobody else will.
    """
    folder = folder.absolute()
    folder.parent.mkdir(parents=True, exist_ok=True)
    _sweep(folder)
    scratch = Path(
        tempfile.mkdtemp(prefix=f"{_BUILDING}{folder.name}-{os.getpid()}-", dir=folder.parent)
    )
    try:
        yield scratch
        scratch.chmod(0o755)
        while not _has_replaced(folder, scratch):
            pass
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _has_replaced(folder: Path, scratch: Path) -> bool:
    """Put `scratch` at the place of `folder`; False if another writer was there in between."""
    old = scratch.with_name(scratch.name + "-old")
    with contextlib.suppress(FileNotFoundError):
        folder.rename(old)
    try:
        scratch.rename(folder)
    except BaseException as error:
        if isinstance(error, OSError) and error.errno in (errno.ENOTEMPTY, errno.EEXIST):
            shutil.rmtree(old, ignore_errors=True)
            return False
        if old.exists():
            old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)
    return True


def why_not_written(error: OSError) -> str:
    """The reason in words: numpy and pyarrow report a full disk without its number."""
    text = error.strerror or str(error)
    is_full = error.errno == errno.ENOSPC or "errno 28" in text or "requested and" in text
    return "the disk is full" if is_full else text


def _sweep(folder: Path) -> None:
    # The whole name must fit: what is building "mesh-2" is none of the business of "mesh".
    leftover = re.compile(rf"{_BUILDING}{re.escape(folder.name)}-(\d+)-[^-]+(-old)?")
    for path in folder.parent.iterdir():
        match = leftover.fullmatch(path.name)
        if match and not _is_alive(int(match[1])):
            shutil.rmtree(path, ignore_errors=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


@contextlib.contextmanager
def one_writer(folder: Path) -> Iterator[None]:
    """Within the block no other process is in such a block for the same folder; others wait.

    The lock ends with its process, however that ends. Nothing is locked on systems that have no
    locks of this kind (Windows, some network drives). OSError if the parent cannot be written.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    path = folder.with_name(f".{folder.name}.lock")
    stream = _locked(path)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            path.unlink()
        stream.close()


def _locked(path: Path) -> TextIO:
    """The lock file, open and locked. Its last owner may have deleted it: then it is made anew."""
    while True:
        stream = path.open("w", encoding="utf-8")
        try:
            _lock(stream, path)
            if _is_at(stream, path):
                return stream
        except BaseException:
            stream.close()
            raise
        stream.close()


def _lock(stream: TextIO, path: Path) -> None:
    if sys.platform == "win32":
        return
    import fcntl

    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        _LOG.warning("another process is making %s: waiting for it", path.name[1:-5])
        fcntl.flock(stream, fcntl.LOCK_EX)
    except OSError:
        pass  # a file system without locks


def _is_at(stream: TextIO, path: Path) -> bool:
    """Whether the open file is the one under this name."""
    try:
        return os.path.samestat(os.fstat(stream.fileno()), path.stat())
    except FileNotFoundError:
        return False

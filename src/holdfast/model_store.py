"""Models beside the package: which there are, and how one is put into the home folder.

Weights that the default does not need are not in the package. A checkout has them in its folder
`models/`; elsewhere they are fetched over https. `weights/offered.json` pins the sha256 of each
manifest, which in turn has the sha256 of every file.
"""

from __future__ import annotations

import json
import shutil
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote

from holdfast import artifacts
from holdfast.errors import ArtifactError, FetchError, UsageError
from holdfast.progress import Progress

OFFERED: Final = Path(__file__).parent / "weights" / "offered.json"
CHECKOUT: Final = Path(__file__).parents[2] / "models"
_SECONDS: Final = 60  # without a byte, after which a server is given up
_PIECE: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Offered:
    """A model that can be had, and what it must be."""

    name: str
    sha256: str  # of its manifest.json
    megabytes: float
    about: str
    needs: tuple[str, ...] = ()  # other models that it has as parts


def offered() -> dict[str, Offered]:
    """All models beside the package, by name."""
    if not OFFERED.exists():
        return {}
    try:
        data = json.loads(OFFERED.read_text(encoding="utf-8"))
        return {
            name: Offered(name, e["sha256"], e["megabytes"], e["about"], tuple(e["needs"]))
            for name, e in data.items()
        }
    except (ValueError, KeyError, TypeError) as error:
        raise ArtifactError(f"{OFFERED}: damaged ({error}); install holdfast again") from error


def is_offered(name: str) -> bool:
    """Whether `holdfast models get NAME` can fetch it."""
    return name in offered()


def get_model(name: str, *, source: str = "", progress: Progress) -> list[Path]:
    """Put a model and those it needs into the home folder; return their folders.

    `source` is a folder or an https address that holds model folders by their names; by default
    the checkout's `models/`. What is there already, whole, is left as it is.
    """
    known = offered()
    if name not in known:
        raise UsageError(f"no model {name!r} is offered; there is: {', '.join(known) or 'none'}")
    place = source or str(CHECKOUT)
    if not source and not CHECKOUT.is_dir():
        raise UsageError(f"{name}: no checkout of Holdfast is here; say where with --from DIR|URL")
    wanted = [*known[name].needs, name]
    return [_get(known[part], place, progress) for part in wanted]


def _get(model: Offered, source: str, progress: Progress) -> Path:
    folder = artifacts.home() / "models" / model.name
    if _is_there(folder, model):
        return folder
    if (folder / artifacts.MANIFEST).exists() and not _is_damaged(folder):
        raise UsageError(f"{folder}: holds another model of this name; move it away first")
    read = _reader(source)
    with artifacts.publish(folder) as scratch:
        path = scratch / artifacts.MANIFEST
        read(f"{model.name}/{artifacts.MANIFEST}", path, lambda _size: None)
        if artifacts.sha256_of(path) != model.sha256:
            raise ArtifactError(f"{model.name}: what {source} has is not the model that is pinned")
        files = json.loads(path.read_text(encoding="utf-8"))["files"]
        total, done = sum(entry["size"] for entry in files.values()) or 1, 0
        for file, entry in files.items():
            begun = done

            def advance(size: int, begun: int = begun) -> None:
                progress(f"fetching {model.name}", min(1.0, (begun + size) / total))

            read(f"{model.name}/{file}", scratch / file, advance)
            done += entry["size"]
            if artifacts.sha256_of(scratch / file) != entry["sha256"]:
                raise ArtifactError(f"{model.name}/{file}: damaged on its way; try again")
    return folder


def _is_there(folder: Path, model: Offered) -> bool:
    path = folder / artifacts.MANIFEST
    if not path.is_file() or artifacts.sha256_of(path) != model.sha256:
        return False
    files = json.loads(path.read_text(encoding="utf-8"))["files"]
    return all(
        (folder / name).is_file() and artifacts.sha256_of(folder / name) == entry["sha256"]
        for name, entry in files.items()
    )


def _is_damaged(folder: Path) -> bool:
    """Whether it is no whole model folder, such as one whose file was changed or removed."""
    try:
        kind = json.loads((folder / artifacts.MANIFEST).read_text(encoding="utf-8"))["kind"]
        artifacts.verify(folder, artifacts.read_manifest(folder, kind=kind, version=1 << 30))
    except (ArtifactError, OSError, ValueError, KeyError, TypeError):
        return True
    return False


_Read = Callable[[str, Path, Callable[[int], None]], None]


def _reader(source: str) -> _Read:
    """Copies a file of the source, by its path below it, and reports how many bytes it has."""
    if source.startswith("https://"):
        base = source.rstrip("/")
        return lambda name, target, report: _download(f"{base}/{quote(name)}", target, report)
    if "://" in source:
        raise UsageError(f"{source}: models are fetched over https or from a folder only")
    return lambda name, target, report: _copy(Path(source) / name, target, report)


def _copy(path: Path, target: Path, report: Callable[[int], None]) -> None:
    try:
        shutil.copyfile(path, target)
    except OSError as error:
        raise FetchError(f"{path}: cannot be copied ({error.strerror or error})") from error
    report(target.stat().st_size)


def _download(address: str, target: Path, report: Callable[[int], None]) -> None:
    try:
        with (
            urllib.request.urlopen(address, timeout=_SECONDS) as answer,
            target.open("wb") as stream,
        ):
            if not answer.geturl().startswith("https://"):
                raise FetchError(f"{address}: leads away from https")
            size = 0
            while piece := answer.read(_PIECE):
                stream.write(piece)
                size += len(piece)
                report(size)
    except (urllib.error.URLError, TimeoutError, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise FetchError(f"{address}: cannot be fetched ({reason})") from error

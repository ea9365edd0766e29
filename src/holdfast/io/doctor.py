"""`holdfast doctor`: is everything here that linking needs, whole, and does it work?"""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from holdfast import artifacts
from holdfast.errors import HoldfastError
from holdfast.io.selftest import link_small_kb, link_with
from holdfast.kb.places import all_kbs
from holdfast.models import ModelFolder, list_models, manifest_of
from holdfast.progress import Progress

GOOD: Final = "good"
NOTED: Final = "noted"  # nothing is broken, but something is worth knowing
BROKEN: Final = "broken"

_CORE: Final = ("numpy", "onnxruntime", "pyarrow", "faiss-cpu", "tokenizers", "rich", "typer")
_EXTRAS: Final = ("fastapi", "uvicorn", "spacy", "pandas", "mcp", "ray", "torch", "transformers")
_OLDEST: Final = (3, 11)
_ROOM: Final = 3e9  # bytes that building the open knowledge base takes
_NAMED: Final = 15  # models of a line
_MADE: Final = ("dense", "entities")  # folders of what models make of knowledge bases


@dataclass(frozen=True, slots=True)
class DoctorCheck:
    """One thing that was looked at."""

    what: str
    state: str  # GOOD, NOTED or BROKEN
    found: str  # one line; where it is broken, with what to do

    def to_json(self) -> dict[str, str]:
        return {"what": self.what, "state": self.state, "found": self.found}


@dataclass(frozen=True, slots=True)
class Health:
    """All that was looked at."""

    checks: tuple[DoctorCheck, ...]

    @property
    def is_sound(self) -> bool:
        return all(check.state != BROKEN for check in self.checks)

    def to_json(self) -> dict[str, Any]:
        return {"sound": self.is_sound, "checks": [check.to_json() for check in self.checks]}


def examine(*, progress: Progress) -> Health:
    """Look at everything, whatever is broken on the way."""
    steps: tuple[Callable[[], Iterator[DoctorCheck]], ...] = (
        _python,
        _versions,
        _home,
        lambda: _knowledge_bases(progress),
        lambda: _models(progress),
        _made_of_knowledge_bases,
        _self_tests,
    )
    checks = list[DoctorCheck]()
    for number, step in enumerate(steps):
        progress("looking", number / len(steps))
        checks += step()
    progress("looking", 1.0)
    return Health(tuple(checks))


def _python() -> Iterator[DoctorCheck]:
    machine = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    good = sys.version_info >= _OLDEST
    cores = os.cpu_count() or 1
    advice = "" if good else "; Holdfast needs 3.11 or newer"
    plural = "s" if cores > 1 else ""
    yield DoctorCheck(
        "Python", GOOD if good else BROKEN, f"{machine}, {cores} core{plural}{advice}"
    )


def _versions() -> Iterator[DoctorCheck]:
    yield DoctorCheck("Holdfast", GOOD, version("holdfast"))
    found = {name: _version(name) for name in _CORE}
    missing = [name for name, number in found.items() if number is None]
    there = ", ".join(f"{name} {number}" for name, number in found.items() if number)
    if missing:
        there += f"; missing: {', '.join(missing)}; pip install holdfast"
    yield DoctorCheck("packages", BROKEN if missing else GOOD, there)
    extras = {name: _version(name) for name in _EXTRAS}
    optional = ", ".join(f"{name} {number}" for name, number in extras.items() if number)
    yield DoctorCheck("optional packages", GOOD, optional or "none")


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _home() -> Iterator[DoctorCheck]:
    folder = artifacts.home()
    place = next(path for path in (folder, *folder.parents) if path.exists())
    if place.is_dir() and os.access(place, os.W_OK):
        said = "" if folder.is_dir() else " (made when it is first needed)"
        yield DoctorCheck("home folder", GOOD, f"{folder}{said}")
    else:
        yield DoctorCheck("home folder", BROKEN, f"{folder}: cannot be written; set HOLDFAST_HOME")
    free = shutil.disk_usage(place).free
    advice = "" if free > _ROOM else f"; building the open knowledge base takes {_ROOM / 1e9:.0f}"
    state = GOOD if free > _ROOM else NOTED
    yield DoctorCheck("free disk", state, f"{free / 1e9:.1f} GB{advice}")


def _knowledge_bases(progress: Progress) -> Iterator[DoctorCheck]:
    sound, damaged = all_kbs()
    for kb in sound:
        progress(f"hashing {kb.name}", 0.0)
        size = f"{len(kb):,} concepts, {kb.names:,} names"
        yield _hashed(f"knowledge base {kb.name}", kb.folder, kb.manifest, size)
    for broken in damaged:
        yield DoctorCheck(f"knowledge base {broken.name}", BROKEN, broken.problem)
    if not sound and not damaged:
        yield DoctorCheck("knowledge bases", NOTED, "none yet; `holdfast kb get open`")


def _models(progress: Progress) -> Iterator[DoctorCheck]:
    """A line for each that is broken, and one each for the others that ship and of the home."""
    whole: dict[bool, list[ModelFolder]] = {True: [], False: []}  # by whether they ship
    for model in list_models():
        progress(f"hashing {model.name}", 0.0)
        check = _model(model)
        if check.state == GOOD:
            whole[model.is_shipped].append(model)
        else:
            yield check
    yield DoctorCheck("models that ship", GOOD if whole[True] else BROKEN, _listed(whole[True]))
    if whole[False]:
        yield DoctorCheck("models of the home folder", GOOD, _listed(whole[False]))


def _listed(models: Sequence[ModelFolder]) -> str:
    names = [model.name for model in models]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    size = sum(model.megabytes for model in models)
    return f"{', '.join(names[:_NAMED])}{more} ({size:.0f} MB, hashes fit)"


def _model(model: ModelFolder) -> DoctorCheck:
    what = f"model {model.name}"
    try:
        manifest = manifest_of(model.folder)
    except HoldfastError as error:
        return DoctorCheck(what, BROKEN, str(error))
    return _hashed(what, model.folder, manifest, model.kind)


def _made_of_knowledge_bases() -> Iterator[DoctorCheck]:
    """Vectors and indexes that models keep for knowledge bases; they are made again if broken."""
    whole = 0
    for parent in _MADE:
        for path in sorted((artifacts.home() / parent).glob(f"*/{artifacts.MANIFEST}")):
            folder = path.parent
            if folder.name.startswith("."):
                continue
            try:
                check = _hashed(f"vectors {folder.name}", folder, manifest_of(folder), "")
            except HoldfastError as error:
                check = DoctorCheck(f"vectors {folder.name}", BROKEN, str(error))
            whole += check.state == GOOD
            if check.state != GOOD:
                yield check
    yield DoctorCheck(
        "vectors of names", GOOD, f"{whole} sets, hashes fit" if whole else "none yet"
    )


def _hashed(what: str, folder: Path, manifest: artifacts.Manifest, good: str) -> DoctorCheck:
    """Every file of a folder hashed anew, whatever an earlier check remembered."""
    try:
        artifacts.verify(folder, manifest, afresh=True)
    except (HoldfastError, OSError) as error:
        return DoctorCheck(what, BROKEN, str(error))
    return DoctorCheck(what, GOOD, f"{good}, hashes fit" if good else "hashes fit")


def _self_tests() -> Iterator[DoctorCheck]:
    """Link with a knowledge base made on the spot, and with the default one if it is there."""
    with tempfile.TemporaryDirectory() as folder, _home_in(folder):
        check = _timed("self-test", lambda: link_small_kb(Path(folder) / "kb"))
    yield check
    sound, _ = all_kbs()
    for kb in sound:
        if kb.name == "open":
            yield _timed("self-test with open", lambda kb=kb: link_with(kb))  # type: ignore[misc]


@contextmanager
def _home_in(folder: str) -> Iterator[None]:
    """Within the block, what models make of knowledge bases is kept in another folder."""
    before = os.environ.get("HOLDFAST_HOME")
    os.environ["HOLDFAST_HOME"] = folder
    try:
        yield
    finally:
        if before is None:
            del os.environ["HOLDFAST_HOME"]
        else:
            os.environ["HOLDFAST_HOME"] = before


def _timed(what: str, test: Callable[[], str]) -> DoctorCheck:
    """`test` returns what it found, and raises where that is wrong."""
    begun = time.perf_counter()
    try:
        found = test()
    except Exception as error:  # whatever keeps linking from working is the finding
        reason = " ".join(str(error).split()) or type(error).__name__
        return DoctorCheck(what, BROKEN, f"{reason}; `holdfast link TEXT --debug` shows where")
    return DoctorCheck(what, GOOD, f"{found}, {time.perf_counter() - begun:.1f} s with loading")

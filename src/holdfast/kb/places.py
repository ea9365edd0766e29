"""The knowledge bases in the home folder: which there are, which may be replaced, and removal."""

from __future__ import annotations

import re
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from holdfast import artifacts
from holdfast.errors import KnowledgeBaseError, UsageError
from holdfast.kb.store import KnowledgeBase, kb_folder

_VECTORS: Final = ("dense", "entities", "prefixes")  # folders of what is made of knowledge bases


@dataclass(frozen=True, slots=True)
class Damaged:
    """A knowledge base that cannot be opened."""

    name: str
    problem: str  # one line: the file, what is wrong, what to do

    def to_json(self) -> dict[str, str]:
        return {"name": self.name, "problem": self.problem}


def all_kbs() -> tuple[list[KnowledgeBase], list[Damaged]]:
    """The knowledge bases of the home folder that can be opened, and those that cannot."""
    sound, damaged = list[KnowledgeBase](), list[Damaged]()
    for folder in _folders(artifacts.home() / "kb"):
        try:
            sound.append(KnowledgeBase(folder))
        except (KnowledgeBaseError, OSError) as error:
            damaged.append(Damaged(folder.name, str(error)))
    return sound, damaged


def check_replaceable(folder: Path, *, force: bool) -> None:
    """Raise a UsageError if a build may not put a knowledge base at this place.

    An existing knowledge base is replaced only with `force`, and anything else never.
    """
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not (folder / artifacts.MANIFEST).exists():
        raise UsageError(f"{folder} holds something else than a knowledge base; name another")
    if not force:
        raise UsageError(
            f"there is already a knowledge base at {folder}; give --force to replace it, or "
            "another name"
        )


def remove_kb(name: str) -> float:
    """Delete a knowledge base of the home folder, sound or not, and all vectors made of it.

    Returns the megabytes that are free again.
    """
    folder = kb_folder(name)
    if not folder.is_dir():
        names = ", ".join(path.name for path in _folders(artifacts.home() / "kb"))
        raise KnowledgeBaseError(f"no knowledge base {name!r}; there is: {names or 'none'}")
    of_kb = re.compile(rf"{re.escape(name)}-[0-9a-f]{{16}}")
    doomed = [folder]
    for parent in _VECTORS:
        vectors = _folders(artifacts.home() / parent)
        doomed += [path for path in vectors if of_kb.fullmatch(path.name)]
    return sum(map(_delete, doomed))


def _delete(folder: Path) -> float:
    """Remove a folder, all at once for whoever looks; return its size in megabytes."""
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    hidden = folder.with_name(f".removing-{folder.name}-{secrets.token_hex(4)}")
    folder.rename(hidden)
    shutil.rmtree(hidden)
    return size / 1e6


def _folders(parent: Path) -> list[Path]:
    """By name; what is still being written or removed is hidden."""
    if not parent.is_dir():
        return []
    return sorted(p for p in parent.iterdir() if p.is_dir() and not p.name.startswith("."))

"""`holdfast` with a step of one's own, which fails or dies at certain documents.

    python tests/deadly_steps.py annotate … --model FOLDER

The workers of a job import the script that started it, and so have the step, too.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from holdfast import artifacts
from holdfast.cli import main
from holdfast.document import Document
from holdfast.kb import KnowledgeBase
from holdfast.kinds import KINDS
from holdfast.progress import Progress
from holdfast.step import LINKS, Each, Options, Roles, Step, roles

KIND = "deadly"


class DeadlyKind:
    """A step that adds nothing, but obeys the words of a document."""

    name = KIND
    trainer = ""

    def roles(self, config: Mapping[str, Any]) -> Roles:  # noqa: ARG002
        return roles(needs=[LINKS], adds=[LINKS])

    def prepare(self, folder: Path, kb: KnowledgeBase, progress: Progress) -> None:
        """Nothing is prepared."""

    def open(self, folder: Path, kb: KnowledgeBase, options: Options) -> Step:  # noqa: ARG002
        return Each(lambda document: obey(document, folder))


def obey(document: Document, folder: Path) -> Document:
    if "poison" in document.text:
        raise ValueError("poison was found")
    if "deadly" in document.text:
        _die()
    if "stumble" in document.text and not (folder / "stumbled").exists():
        (folder / "stumbled").touch()
        _die()
    if "await" in document.text and not (folder / "awaited").exists():
        (folder / "awaited").touch()
        _tell_where(folder / "where")
    return document


def _tell_where(pipe: Path) -> None:
    """Write Ray's name of this node into a named pipe, and wait for what never comes."""
    import ray

    pipe.write_text(ray.get_runtime_context().get_node_id(), encoding="utf-8")
    signal.pause()


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def make_model(folder: Path) -> Path:
    """A model of names with this step behind its linker."""
    step, whole = folder / "deadly-step", folder / "deadly-model"
    for place in (step, whole):
        place.mkdir(parents=True)
    artifacts.write_manifest(step, kind=KIND, version=1, config={})
    parts = ["dictionary-detector", "name-linker", "deadly-step"]
    artifacts.write_manifest(whole, kind="pipeline", version=1, config={"parts": parts})
    return whole


def register() -> None:
    KINDS[KIND] = DeadlyKind()


register()

if __name__ == "__main__":
    main()

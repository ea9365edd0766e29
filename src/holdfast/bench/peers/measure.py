"""One tool over one vocabulary: how long it takes, what it needs, and what it answers."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from holdfast.bench.peers.conversation import Conversation, talk_to
from holdfast.bench.peers.tools import Tool, checkout, python_of
from holdfast.bench.processes import (
    PATIENCE,
    ROUNDS,
    environment_of,
    megabytes_in,
    repeat,
)
from holdfast.experiments.results import circumstances
from holdfast.files import write_durably
from holdfast.kb.store import KnowledgeBase

_BUILT: Final = "what-building-took.json"  # written last
_WARM_UP: Final = 10  # documents

Requests = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class PeerTask:
    """What every tool gets alike."""

    rows: Path  # the vocabulary, as `write_rows` writes it
    key: str  # identifies the vocabulary
    documents: Requests
    environments: Path  # the folder of the tools' environments
    indexes: Path  # the folder that keeps what tools build
    threads: int
    limit: float  # seconds that a tool may take for one answer
    rounds: int = ROUNDS
    patience: float = PATIENCE


@dataclass(slots=True)
class Measured:
    """What is known of a tool so far; a tool that fails keeps what was measured before."""

    figures: dict[str, Any] = field(default_factory=dict)
    rankings: list[Any] | None = None  # of every mention in order: (id, score), best first
    found: list[Any] | None = None  # of every document in order: (start, end, id)


def write_rows(kb: KnowledgeBase, path: Path) -> None:
    """Every concept with its names, the preferred one first, and its types: a JSON line each."""
    with path.open("w", encoding="utf-8") as stream:
        for row in range(len(kb)):
            concept = {
                "id": kb.id_at(row),
                "names": kb.names_of(row),
                "types": list(kb.types_of(row)),
            }
            stream.write(json.dumps(concept) + "\n")


def measure_tool(tool: Tool, task: PeerTask, measured: Measured) -> None:
    """Build the tool's index if it is not kept, open it in a new process, link and detect.

    Fills `measured` as it goes, so that a ToolError leaves what was there before it.
    """
    python = python_of(tool, task.environments)
    measured.figures["install_megabytes"] = _install_megabytes(task.environments / tool.environment)
    options = [_plain(option) for option in tool.options]
    index = task.indexes / "-".join([tool.name, *options, version_key(tool), task.key])
    start = _starter(tool, python, task)
    if not (index / _BUILT).exists():
        _build(index, task, start)
    built = json.loads((index / _BUILT).read_text(encoding="utf-8"))
    measured.figures |= built | {"index_megabytes": megabytes_in(index)}
    began = time.perf_counter()
    with start(index) as conversation:
        opened = conversation.ask("open", folder=str(index))
        measured.figures["load_seconds"] = round(time.perf_counter() - began, 3)
        measured.figures["version"] = opened["version"]
        try:
            _link(conversation, task, measured)
            measured.figures["link_peak_megabytes"] = conversation.peak_megabytes()
            if tool.detects:
                _detect(conversation, task, measured)
        finally:
            measured.figures["peak_megabytes"] = conversation.peak_megabytes()


def version_key(tool: Tool) -> str:
    """Tells apart what is installed: an index is of one version, of this checkout of one commit."""
    commit = circumstances()["commit"] if "." in tool.requirements else ""
    return hashlib.sha256(
        json.dumps([tool.requirements, tool.options, commit]).encode()
    ).hexdigest()[:8]


def _plain(option: str) -> str:
    """An option as a part of a file's name."""
    return Path(option).name


def _install_megabytes(environment: Path) -> float:
    """Of all installed files, in 10^6 bytes; what Python compiled since is not counted."""
    files = (p for p in environment.rglob("*") if p.suffix != ".pyc")
    return round(
        sum(p.stat().st_size for p in files if p.is_file() and not p.is_symlink()) / 1e6, 1
    )


_Start = Callable[[Path], AbstractContextManager[Conversation]]


def _starter(tool: Tool, python: Path, task: PeerTask) -> _Start:
    """Starts the tool in a new process, with an index folder as its home."""

    @contextmanager
    def start(home: Path) -> Iterator[Conversation]:
        # Sets of strings in one order, so that ties of a tool fall alike in every run.
        extra = {"HOLDFAST_HOME": str(home.absolute()), "PYTHONHASHSEED": "0"}
        if "." in tool.requirements:  # this checkout: what is measured is the code as it is
            extra["PYTHONPATH"] = str(checkout() / "src")
        environment = environment_of(task.threads, **extra)
        if "PYTHONPATH" not in extra:
            environment.pop("PYTHONPATH", None)
        command: list[str | Path] = [python, tool.script, *tool.options]
        with talk_to(command, environment=environment, limit=task.limit) as conversation:
            yield conversation

    return start


def _build(index: Path, task: PeerTask, start: _Start) -> None:
    """In a process of its own, whose memory is another figure.

    What an earlier process left unfinished is removed first. Tools may keep the folder's path in
    their files, so that it cannot be built elsewhere and renamed.
    """
    shutil.rmtree(index, ignore_errors=True)
    index.mkdir(parents=True)
    with start(index) as conversation:
        answer = conversation.ask("build", rows=str(task.rows), folder=str(index))
        built = {
            "build_seconds": round(answer["seconds"], 1),
            "build_peak_megabytes": conversation.peak_megabytes(),
        }
    write_durably(index / _BUILT, json.dumps(built).encode())


def _link(conversation: Conversation, task: PeerTask, measured: Measured) -> None:
    """Mentions a second, and the rankings of the first round."""
    conversation.ask("link", documents=task.documents[:_WARM_UP])

    def link() -> float:
        answer = conversation.ask("link", documents=task.documents)
        if measured.rankings is None:
            measured.rankings = answer["rankings"]
        return float(answer["seconds"])

    rounds = repeat(link, rounds=task.rounds, patience=task.patience)
    mentions = sum(len(document["mentions"]) for document in task.documents)
    measured.figures["mentions_per_second"] = round(mentions / rounds.seconds, 1)
    measured.figures["link_rounds"] = rounds.rounds


def _detect(conversation: Conversation, task: PeerTask, measured: Measured) -> None:
    """Documents a second, and what the first round found. No tool sees the gold mentions."""
    bare = [{"text": document["text"]} for document in task.documents]
    conversation.ask("detect", documents=bare[:_WARM_UP])

    def detect() -> float:
        answer = conversation.ask("detect", documents=bare)
        if measured.found is None:
            measured.found = answer["found"]
        return float(answer["seconds"])

    rounds = repeat(detect, rounds=task.rounds, patience=task.patience)
    measured.figures["documents_per_second"] = round(len(bare) / rounds.seconds, 1)
    measured.figures["detect_rounds"] = rounds.rounds

"""The protocol between `holdfast bench peers` and the tools: JSON lines, one answer per request.

Each tool has a script here that runs in the tool's own environment, with nothing of Holdfast in
it. A request is one line on standard input, `{"do": …}`, and its answer one line on standard
output:

    build   rows, folder  {version, seconds}   makes the index, and keeps it in the folder
    open    folder        {version, seconds}   opens it, to the first answer
    link    documents     {seconds, rankings}  of each mention: [[id, score], …]
    detect  documents     {seconds, found}     of each document: [[start, end, id], …]

`rows` is a file of JSON lines, a concept each: {"id", "names" (the preferred one first), "types"}.
A document is {"text", "mentions"}, a mention [start, end], half-open, in code points. Rankings are
of all mentions in order, best first. A request that fails is answered with {"failed": the reason}.
Whatever libraries print goes to standard error.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

WARM_UP: Final = "heart attack"

Document = Mapping[str, Any]
Ranking = list[tuple[str, float]]
Found = list[tuple[int, int, str]]


class Tool(Protocol):
    """What a script gives to `serve`."""

    package: str  # whose version is told

    def build(self, rows: Path, folder: Path) -> None:
        """Index the concepts, and keep all that `open` needs in the folder, which is there."""
        ...

    def open(self, folder: Path) -> None: ...

    def link(self, documents: Sequence[Document]) -> list[Ranking]:
        """The ranking of every mention of every document."""
        ...

    def detect(self, documents: Sequence[Document]) -> list[Found]:
        """Mentions with their best ids. A tool that does not detect raises NotImplementedError."""
        ...

    def forget(self) -> None:
        """Drop what earlier answers left behind, unmeasured: each round starts alike."""
        ...


def concepts(rows: Path) -> Iterator[dict[str, Any]]:
    """The concepts of a file, in order."""
    with rows.open(encoding="utf-8") as stream:
        yield from map(json.loads, stream)


def strings_of(document: Document) -> list[str]:
    """The words of the mentions of one document."""
    return [document["text"][start:end] for start, end in document["mentions"]]


def best_first(scores: Mapping[str, float], *, top: int = 10) -> Ranking:
    """A ranking of ids by falling score; equal scores by id."""
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:top]


def serve(tool: Tool) -> None:
    """Answer requests until standard input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print must not stand between the answers
    for line in sys.stdin:
        try:
            answer = _answer(tool, json.loads(line))
        except Exception as error:  # a tool may raise anything, and the others must still run
            words = " ".join(str(error).split())
            answer = {"failed": f"{type(error).__name__}: {words}" if words else repr(error)}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def _answer(tool: Tool, request: Mapping[str, Any]) -> dict[str, Any]:
    what = request["do"]
    if what in ("build", "open"):
        folder = Path(request["folder"])
        began = time.perf_counter()
        if what == "build":
            tool.build(Path(request["rows"]), folder)
        else:
            tool.open(folder)
            tool.link([{"text": WARM_UP, "mentions": [[0, len(WARM_UP)]]}])
        seconds = time.perf_counter() - began
        return {"version": _version(tool.package), "seconds": seconds}
    tool.forget()
    began = time.perf_counter()
    if what == "link":
        answer: dict[str, Any] = {"rankings": tool.link(request["documents"])}
    elif what == "detect":
        answer = {"found": tool.detect(request["documents"])}
    else:
        raise ValueError(f"no request is called {what!r}")
    return {"seconds": time.perf_counter() - began, **answer}


def _version(package: str) -> str:
    from importlib.metadata import version

    return version(package)

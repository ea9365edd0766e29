"""Mentions a second: BLINK, a single-mention dual encoder and a collective one, in one run.

All three read the same documents on the same runtime with the same number of threads, one pass at
a time: a document for the collective encoder, a mention for the other two, and for BLINK that
mention's candidates in one more pass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, Final

from holdfast.document import Document
from holdfast.errors import UsageError
from holdfast.kb.store import KnowledgeBase
from holdfast.models import trained_model
from holdfast.pipeline import load
from holdfast.progress import Progress

ROUNDS: Final = 5
CANDIDATES: Final = 10  # that a cross-encoder compares
_TITLES: Final = {"blink": "BLINK", "single": "one mention", "collective": "collective"}
_WIDE: Final = "one mention, 128 tokens"

Link = Callable[[Document], object]


@dataclass(frozen=True, slots=True)
class Row:
    """One system."""

    system: str
    mentions_per_second: float  # the median of the rounds
    slowest: float  # of the rounds
    fastest: float
    rounds: int


@dataclass(frozen=True, slots=True)
class Systems:
    """Model folders, by the names of the recipes that trained them."""

    collective: str
    single: str
    cross: str

    def folders(self) -> list[Path]:
        found = [trained_model(name) for name in (self.collective, self.single, self.cross)]
        for folder in found:
            if not folder.exists():
                raise UsageError(f"{folder}: not there; first `holdfast train {folder.name}`")
        return found

    def curves(self) -> dict[str, Path]:
        """The runs that were made to compare how fast they learn; none, if there are not two.

        That of one mention with as much text around it as in the paper may be missing.
        """
        pair = {
            _TITLES["collective"]: trained_model(f"{self.collective}-curve"),
            _TITLES["single"]: trained_model(f"{self.single}-curve"),
        }
        wide = {_WIDE: trained_model(f"{self.single}-curve-wide")}
        if not all(folder.exists() for folder in pair.values()):
            return {}
        return pair | {words: folder for words, folder in wide.items() if folder.exists()}


def bench_collective(
    systems: Systems,
    kb: KnowledgeBase,
    documents: Sequence[Document],
    *,
    threads: int,
    rounds: int = ROUNDS,
    progress: Progress,
) -> dict[str, Any]:
    """Each round measures all three over all documents, after one that is thrown away."""
    collective, single, cross = systems.folders()
    progress("encoding entities", 0.0)
    whole, alone, reranked = (
        load(kb, model=parts, marked=True, top=CANDIDATES, threads=threads)
        for parts in ([collective], [single], [single, cross])
    )
    links: dict[str, Link] = {
        "blink": lambda document: [reranked(part) for part in _alone(document)],
        "single": lambda document: [alone(part) for part in _alone(document)],
        "collective": whole,
    }
    mentions = sum(len(document.mentions) for document in documents)
    rows = _rows(links, documents, mentions, rounds=rounds, progress=progress)
    per_second = {row.system: row.mentions_per_second for row in rows}
    own = per_second["collective"]
    return {
        "rows": [asdict(row) for row in rows],
        "over_single": own / per_second["one mention"],
        "over_blink": own / per_second["BLINK"],
        "documents": len(documents),
        "mentions": mentions,
        "candidates": CANDIDATES,
        "threads": threads,
        "batch": 1,
        "kb_entities": len(kb),
        "models": [folder.name for folder in (collective, single, cross)],
        "model_digests": [whole.digest, *reranked.digest.split("+")],
    }


def _rows(
    links: Mapping[str, Link],
    documents: Sequence[Document],
    mentions: int,
    *,
    rounds: int,
    progress: Progress,
) -> list[Row]:
    """Mentions a second of each, in alternating rounds; the first one only warms up."""
    measured: dict[str, list[float]] = {name: [] for name in links}
    for number in range(rounds + 1):
        progress(f"round {number} of {rounds}", number / (rounds + 1))
        for name, link in links.items():
            seconds = _seconds(link, documents)
            if number:
                measured[name].append(mentions / seconds)
    return [
        Row(_TITLES[name], median(speeds), min(speeds), max(speeds), rounds)
        for name, speeds in measured.items()
    ]


def render_collective_speed(measured: dict[str, Any]) -> str:
    """A table for people."""
    lines = [f"{'':14}{'mentions/s':>12}  slowest … fastest of {ROUNDS} rounds"]
    for row in measured["rows"]:
        lines.append(
            f"{row['system']:14}{row['mentions_per_second']:>12,.1f}  "
            f"{row['slowest']:,.1f} … {row['fastest']:,.1f}"
        )
    lines.append(
        f"collective: {measured['over_single']:.1f} times one mention, "
        f"{measured['over_blink']:.1f} times BLINK with {measured['candidates']} candidates "
        f"({measured['documents']} documents, {measured['mentions']} mentions, "
        f"{measured['threads']} threads)"
    )
    return "\n".join(lines) + "\n"


def _alone(document: Document) -> list[Document]:
    """The document once for each mention, with that one only."""
    return [document.with_mentions([mention]) for mention in document.mentions]


def _seconds(link: Link, documents: Sequence[Document]) -> float:
    started = perf_counter()
    for document in documents:
        link(document)
    return perf_counter() - started

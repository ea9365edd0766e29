"""scispaCy's candidate generator over our names and mentions, run in its own environment."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import holdfast
from holdfast import artifacts
from holdfast.bench.linking_speed import TOP
from holdfast.bench.processes import ROUNDS, run_job
from holdfast.document import NIL, Document
from holdfast.errors import HoldfastError, UsageError
from holdfast.kb.store import KnowledgeBase

BREADTH: Final = 200  # of a search, as scispaCy has nmslib do it
BREADTHS: Final = (20, BREADTH)  # and as nmslib does it by default
PYTHON: Final = "HOLDFAST_SCISPACY"  # names the Python that recipes run scispaCy with
_THRESHOLD: Final = 0.7  # the similarity above which scispaCy's linker takes a candidate
_SCRIPT: Final = Path("benchmarks/peers/scispacy_generator.py")


@dataclass(frozen=True, slots=True)
class PeerSetting:
    """The generator with one breadth of search."""

    breadth: int
    mentions_per_second: float  # the faster of a document at a time and all at once
    rounds: int
    rankings: list[list[tuple[str, float]]]  # of each mention in order: (id, score), best first


@dataclass(frozen=True, slots=True)
class Peer:
    """The generator over one list of names."""

    version: str
    names: int  # different names, but those without a frequent trigram, which it drops
    build_seconds: float  # of the index, when it was built
    load_seconds: float
    disk_megabytes: float
    resident_megabytes: float | None
    peak_megabytes: float | None
    settings: list[PeerSetting]


def measure_scispacy(
    python: Path,
    kb: KnowledgeBase,
    documents: Sequence[Document],
    *,
    threads: int,
    scratch: Path,
    breadths: Sequence[int] = BREADTHS,
    rounds: int = ROUNDS,
) -> Peer:
    """Measure scispaCy over our names and mentions; its index is built once and kept at home."""
    script = _script()
    names = scratch / "scispacy.jsonl"
    _write_names(kb, names)
    job = {
        "names": str(names),
        "cache": str(artifacts.home() / "peers" / f"scispacy-{kb.manifest.digest[:12]}"),
        "mentions": [[d.text_of(m) for m in d.mentions] for d in documents if d.mentions],
        "breadths": breadths,
        "top": TOP,
        "rounds": rounds,
    }
    answer = run_job((python, script), job, scratch=scratch, threads=threads)
    settings = [
        PeerSetting(
            breadth=setting["breadth"],
            mentions_per_second=max(setting["by_document"], setting["at_once"]),
            rounds=setting["rounds"],
            rankings=[[(id, score) for id, score in found] for found in setting["rankings"]],
        )
        for setting in answer.pop("settings")
    ]
    memory = {key: answer.pop(key, None) for key in ("resident_megabytes", "peak_megabytes")}
    return Peer(**answer, **memory, settings=settings)


def is_scispacy_named() -> bool:
    """Whether the environment says where it is."""
    return bool(os.environ.get(PYTHON))


def scispacy_python() -> Path:
    """What the environment says; UsageError if it says nothing, or nothing that is there."""
    if not is_scispacy_named():
        raise UsageError(f"{PYTHON} is not set; it names a Python that has scispaCy")
    python = Path(os.environ[PYTHON])
    if not python.exists():
        raise UsageError(f"{python}: no such Python; {PYTHON} names it")
    _script()
    return python


def linked_by_scispacy(
    documents: Sequence[Document], kb: KnowledgeBase, *, python: Path
) -> list[Document]:
    """The documents with scispaCy's best candidate for each mention; those of none are left out.

    A candidate must be as similar as scispaCy's linker wants by default. That linker also wants a
    definition of what is less than 0.95 similar, which is not asked for here: few have one.
    """
    with tempfile.TemporaryDirectory() as scratch:
        peer = measure_scispacy(
            python,
            kb,
            documents,
            threads=os.cpu_count() or 1,
            scratch=Path(scratch),
            breadths=(BREADTH,),
            rounds=1,
        )
    return with_best(documents, peer.settings[0].rankings)


def with_best(
    documents: Sequence[Document], rankings: Sequence[Sequence[tuple[str, float]]]
) -> list[Document]:
    """The documents with the best id of each mention, all in order; without mentions of none.

    Mentions have no type then: they had that of another linker's entity.
    """
    count = sum(len(document.mentions) for document in documents)
    if count != len(rankings):
        raise HoldfastError(f"{len(rankings):,} answers for {count:,} mentions")
    every = iter(rankings)
    found = list[Document]()
    for document in documents:
        best = [next(iter(next(every)), (NIL, 0.0)) for _ in document.mentions]
        found.append(
            document.with_mentions(
                replace(mention, ids=(id,), type="", candidates=())
                for mention, (id, similarity) in zip(document.mentions, best, strict=True)
                if similarity > _THRESHOLD
            )
        )
    return found


def _script() -> Path:
    path = Path(holdfast.__file__).parents[2] / _SCRIPT
    if not path.exists():
        raise UsageError(f"{_SCRIPT}: not there; measure peers from a checkout of Holdfast")
    return path


def _write_names(kb: KnowledgeBase, path: Path) -> None:
    """Every entity with all its names, in scispaCy's format."""
    with path.open("w", encoding="utf-8") as stream:
        for row in range(len(kb)):
            first, *others = kb.names_of(row)
            entity = {"concept_id": kb.id_at(row), "canonical_name": first, "aliases": others}
            stream.write(json.dumps(entity) + "\n")

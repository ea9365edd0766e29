"""Text to annotated shards: the first, long stage of building a type system.

Documents are linked, a few hundred at a time. A shard that is written whole is never made again,
so that a run that was stopped goes on where it was.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final

from holdfast.corpora import read_documents
from holdfast.corpora.named import CORPORA, load_corpus, without_shared_documents
from holdfast.corpora.named.overlap import SharedText, build_shared_text
from holdfast.corpora.named.splits import Removal
from holdfast.document import Candidate, Document
from holdfast.errors import FormatError, UsageError
from holdfast.files import replacing_text
from holdfast.pipeline import Pipeline
from holdfast.progress import Log
from holdfast.training.time_left import counted

SETTINGS: Final = "settings.json"
_SHARD: Final = "{:05}.jsonl.gz"
_GOLDEN: Final = 0.6180339887498949
_BY_SPECIES: Final = "species"  # the evidence of a gene that was chosen among orthologues


@dataclass(frozen=True, slots=True)
class FoundConcept:
    """A candidate of a mention."""

    id: str
    score: float


@dataclass(frozen=True, slots=True)
class FoundMention:
    """A mention and its candidates, best first."""

    start: int
    end: int
    concepts: tuple[FoundConcept, ...]


@dataclass(frozen=True, slots=True)
class AnnotatedDocument:
    """A text and what the linker found in it."""

    id: str
    text: str
    mentions: tuple[FoundMention, ...]

    def to_json(self) -> dict[str, Any]:
        mentions = [[m.start, m.end, [[c.id, c.score] for c in m.concepts]] for m in self.mentions]
        return {"id": self.id, "text": self.text, "mentions": mentions}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> AnnotatedDocument:
        mentions = (
            FoundMention(start, end, tuple(FoundConcept(*pair) for pair in concepts))
            for start, end, concepts in data["mentions"]
        )
        return cls(data["id"], data["text"], tuple(mentions))


def evaluated_text(data: Path, *, report: Log) -> SharedText:
    """All documents of all corpora that something is measured on, to be left out.

    A corpus whose files are not in the data folder is named.
    """
    there, missing = list[tuple[str, str]](), list[str]()
    for name, corpus in CORPORA.items():
        for split, where in corpus.splits.items():
            if (data / "corpora" / where.path).exists():
                there.append((name, split))
            else:
                missing.append(f"{name} {split}")
    if missing:
        report(f"not there, and so not left out of the text: {', '.join(missing)}")
    reading = counted(there, "splits read of the corpora that are left out", report)
    parts = (load_corpus(name, split, data=data) for name, split in reading)
    return build_shared_text(chain.from_iterable(parts))


def read_texts(paths: Sequence[Path]) -> Iterator[Document]:
    """The documents of files and folders of any format, without what they know of them."""
    for path in paths:
        for document in read_documents(path):
            yield Document(document.id, document.text, metadata=document.metadata)


def annotate(
    documents: Iterable[Document],
    pipeline: Pipeline,
    folder: Path,
    *,
    evaluated: SharedText | None,
    size: int,
    settings: Mapping[str, Any],
    report: Log,
    share: float = 1.0,
) -> None:
    """Link the documents and write them in shards of `size` documents; go on where it stopped.

    `settings` are those that make it another annotation: a folder that was begun with others is
    refused. Documents that occur in `evaluated` are left out and counted. Only a `share` of the
    shards is made, spread evenly over the text; a larger share later adds to them.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _check_settings(folder, settings)
    removed = list[Removal]()
    stream = iter(documents)
    if evaluated is not None:
        stream = without_shared_documents(stream, evaluated, removed=removed)
    number = 0
    while block := list(islice(stream, size)):
        path = folder / _SHARD.format(number)
        if is_taken(number, share) and not path.exists():
            found = map(_annotated, pipeline.pipe(block))
            with replacing_text(path) as out:
                out.writelines(
                    f"{json.dumps(one.to_json(), ensure_ascii=False)}\n" for one in found
                )
            report(f"shard {number}: annotated, {(number * size) + len(block):,} documents read")
        number += 1
    with replacing_text(folder / "removed.json") as out:
        out.write(json.dumps({"removed": len(removed), "shards": number}) + "\n")


def is_taken(number: int, share: float) -> bool:
    """Whether a shard belongs to a share of the text, from 0 to 1.

    Multiples of the golden ratio are spread evenly, wherever one stops; what belongs to a share
    belongs to every larger one.
    """
    return number * _GOLDEN % 1.0 < share


def read_annotated(folder: Path, *, share: float = 1.0) -> Iterator[AnnotatedDocument]:
    """The documents of all shards of a share in their order, one at a time."""
    found = sorted(folder.glob("*.jsonl.gz"))
    paths = [path for path in found if is_taken(int(path.name.split(".")[0]), share)]
    if not paths:
        raise UsageError(f"{folder}: no annotated text; the corpus has no document")
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            for line in stream:
                try:
                    yield AnnotatedDocument.from_json(json.loads(line))
                except (ValueError, KeyError, TypeError) as error:
                    raise FormatError(f"damaged ({error}); remove it", path=path) from error


def _check_settings(folder: Path, settings: Mapping[str, Any]) -> None:
    path = folder / SETTINGS
    told = json.loads(json.dumps(dict(settings)))
    if path.exists():
        before = json.loads(path.read_text(encoding="utf-8"))
        if changed := [key for key in told if before.get(key) != told[key]]:
            raise UsageError(
                f"{folder} was begun with another {changed[0]}; remove it, or build another type "
                "system"
            )
    else:
        with replacing_text(path) as out:
            out.write(json.dumps(told, indent=2) + "\n")


def _annotated(document: Document) -> AnnotatedDocument:
    mentions = (
        FoundMention(mention.start, mention.end, tuple(found_concepts(mention.candidates)))
        for mention in document.mentions
        if mention.candidates and len(mention.spans) == 1
    )
    return AnnotatedDocument(document.id, document.text, tuple(mentions))


def found_concepts(candidates: Sequence[Candidate]) -> Iterator[FoundConcept]:
    """The candidates, best first, with one gene of several organisms as one concept.

    Orthologues share the probability of their gene by how likely each organism is. They are of the
    same types, so the likeliest stands for all of them, with the probability of them all.
    """
    shared = [c for c in candidates if any(e.kind == _BY_SPECIES for e in c.evidence)]
    others = [FoundConcept(c.entity_id, c.score) for c in candidates if c not in shared]
    if shared:
        best = max(shared, key=lambda candidate: candidate.score)
        whole = min(1.0, round(sum(candidate.score for candidate in shared), 4))
        others.append(FoundConcept(best.entity_id, whole))
    return iter(sorted(others, key=lambda concept: -concept.score))

"""Text to annotated shards: the first, long stage of building a type system.

Documents are linked, a few hundred at a time. A shard that is written whole is never made again,
so that a run that was stopped goes on where it was.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final

from holdfast.corpora import read_documents
from holdfast.corpora.named import CORPORA, load_corpus, without_shared_documents
from holdfast.corpora.named.overlap import SharedText, build_shared_text
from holdfast.corpora.named.splits import Removal
from holdfast.document import Document
from holdfast.errors import FormatError, UsageError
from holdfast.files import replacing_text
from holdfast.pipeline import Pipeline

SETTINGS: Final = "settings.json"
Report = Callable[[str], None]


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


def evaluated_text(data: Path, *, report: Report) -> SharedText:
    """All documents of all corpora that something is measured on, to be left out.

    A corpus whose files are not in the data folder is named.
    """
    missing = list[str]()
    parts = list[Iterator[Document]]()
    for name, corpus in CORPORA.items():
        for split, where in corpus.splits.items():
            if (data / "corpora" / where.path).exists():
                parts.append(load_corpus(name, split, data=data))
            else:
                missing.append(f"{name} {split}")
    if missing:
        report(f"not there, and so not left out of the text: {', '.join(missing)}")
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
    report: Report,
) -> None:
    """Link the documents and write them in shards of `size` documents; go on where it stopped.

    `settings` are those that make it another annotation: a folder that was begun with others is
    refused. Documents that occur in `evaluated` are left out and counted.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _check_settings(folder, settings)
    removed = list[Removal]()
    stream = iter(documents)
    if evaluated is not None:
        stream = without_shared_documents(stream, evaluated, removed=removed)
    number = 0
    while block := list(islice(stream, size)):
        path = folder / f"{number:05}.jsonl.gz"
        if not path.exists():
            found = map(_annotated, pipeline.pipe(block))
            with replacing_text(path) as out:
                out.writelines(
                    f"{json.dumps(one.to_json(), ensure_ascii=False)}\n" for one in found
                )
            report(f"shard {number}: {(number * size) + len(block):,} documents annotated")
        number += 1
    (folder / "removed.json").write_text(
        json.dumps({"removed": len(removed), "shards": number}) + "\n", encoding="utf-8"
    )


def read_annotated(folder: Path) -> Iterator[AnnotatedDocument]:
    """The documents of all shards in their order, one at a time."""
    paths = sorted(folder.glob("*.jsonl.gz"))
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
    path.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


def _annotated(document: Document) -> AnnotatedDocument:
    mentions = (
        FoundMention(
            mention.start,
            mention.end,
            tuple(FoundConcept(c.entity_id, c.score) for c in mention.candidates),
        )
        for mention in document.mentions
        if mention.candidates and len(mention.spans) == 1
    )
    return AnnotatedDocument(document.id, document.text, tuple(mentions))

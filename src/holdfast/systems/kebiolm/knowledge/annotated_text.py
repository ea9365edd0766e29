"""Texts whose mentions a linker found, in shards of Arrow files: what KeBioLM learns from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from holdfast import artifacts
from holdfast.document import Document
from holdfast.errors import ArtifactError

KIND: Final = "annotated text"
VERSION: Final = 1
PATTERN: Final = "shard-*.arrow"


@dataclass(frozen=True, slots=True)
class AnnotatedText:
    """A text and its mentions, from the left, none inside another."""

    id: str
    text: str
    starts: tuple[int, ...]  # in code points
    ends: tuple[int, ...]
    entities: tuple[str, ...]  # ids

    @classmethod
    def of(cls, document: Document, *, least: float) -> AnnotatedText:
        """The links that score at least so much. Of mentions that overlap, the longest is kept."""
        found = [m for m in document.mentions if m.is_linked and len(m.spans) == 1]
        sure = [m for m in found if m.candidates and m.candidates[0].score >= least]
        kept = list[tuple[int, int, str]]()
        for mention in sorted(sure, key=lambda m: (m.start - m.end, m.start)):
            if all(mention.end <= start or end <= mention.start for start, end, _ in kept):
                kept.append((mention.start, mention.end, mention.ids[0]))
        kept.sort()
        return cls(
            document.id,
            document.text,
            tuple(start for start, _, _ in kept),
            tuple(end for _, end, _ in kept),
            tuple(id for _, _, id in kept),
        )


def shard_path(folder: Path, number: int) -> Path:
    return folder / f"shard-{number:05}.arrow"


def write_shard(texts: Iterable[AnnotatedText], path: Path) -> None:
    """Whole or not at all."""
    import pyarrow as pa

    rows = list(texts)
    table = pa.table(
        {
            "id": pa.array([row.id for row in rows], pa.large_string()),
            "text": pa.array([row.text for row in rows], pa.large_string()),
            "starts": pa.array([row.starts for row in rows], pa.list_(pa.int32())),
            "ends": pa.array([row.ends for row in rows], pa.list_(pa.int32())),
            "entities": pa.array([row.entities for row in rows], pa.list_(pa.large_string())),
        }
    )
    part = path.with_suffix(".part")
    with pa.ipc.new_file(str(part), table.schema) as writer:
        writer.write_table(table)
    part.replace(path)


def read_shards(folder: Path) -> Iterator[AnnotatedText]:
    """All texts, shard by shard; an ArtifactError names a shard that is damaged."""
    import pyarrow as pa

    for path in sorted(folder.glob(PATTERN)):
        try:
            with pa.memory_map(str(path)) as source:
                rows: list[dict[str, Any]] = pa.ipc.open_file(source).read_all().to_pylist()
        except (OSError, pa.ArrowInvalid) as error:
            raise ArtifactError(f"{path}: damaged ({error}); annotate the text again") from error
        for row in rows:
            lists = (tuple(row[name]) for name in ("starts", "ends", "entities"))
            yield AnnotatedText(row["id"], row["text"], *lists)


def open_annotated_text(folder: Path) -> Iterator[AnnotatedText]:
    """The texts of a model folder of this kind, its files checked."""
    manifest = artifacts.read_manifest(folder, kind=KIND, version=VERSION)
    artifacts.verify(folder, manifest)
    return read_shards(folder)


def count_entities(texts: Iterable[AnnotatedText]) -> Counter[str]:
    """How often each entity is mentioned."""
    return Counter(id for text in texts for id in text.entities)

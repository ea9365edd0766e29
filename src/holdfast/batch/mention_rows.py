"""Parquet with one row for each mention: the schema is documented in docs/batch.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, Final

from holdfast.blocks import in_blocks
from holdfast.document import Document, Mention

_DOCUMENTS_PER_GROUP: Final = 250  # of a row group: what is held in memory at a time
_COMPRESSION: Final = "zstd"


def write_mention_rows(documents: Iterable[Document], stream: BinaryIO) -> None:
    """Write the mentions of all documents, in order. The same documents give the same bytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = mention_schema()
    with pq.ParquetWriter(stream, schema, compression=_COMPRESSION) as writer:
        for block in in_blocks(documents, _DOCUMENTS_PER_GROUP):
            rows = [row for document in block for row in _rows(document)]
            if rows:
                writer.write_table(pa.Table.from_pylist(rows, schema=schema))


def mention_schema() -> Any:
    """The columns, as a pyarrow.Schema."""
    import pyarrow as pa

    string, whole, real = pa.string(), pa.int32(), pa.float64()
    span = pa.struct([("start", whole), ("end", whole)])
    candidate = pa.struct(
        [("entity_id", string), ("name", string), ("label", string), ("score", real)]
    )
    evidence = pa.struct([("kind", string), ("detail", string), ("score", real)])
    return pa.schema(
        [
            pa.field("document_id", string, nullable=False),
            pa.field("mention", whole, nullable=False),
            pa.field("start", whole, nullable=False),
            pa.field("end", whole, nullable=False),
            pa.field("text", string, nullable=False),
            pa.field("passage", string),
            pa.field("type", string),
            pa.field("entity_id", string),
            pa.field("vocabulary", string),
            pa.field("label", string),
            pa.field("name", string),
            pa.field("score", real),
            pa.field("is_nil", pa.bool_(), nullable=False),
            pa.field("ids", pa.list_(string), nullable=False),
            pa.field("spans", pa.list_(span), nullable=False),
            pa.field("status", string),
            pa.field("evidence", pa.list_(evidence), nullable=False),
            pa.field("candidates", pa.list_(candidate), nullable=False),
        ]
    )


def vocabulary_of(id: str) -> str:
    """The prefix of a CURIE."""
    return id.partition(":")[0]


def _rows(document: Document) -> Iterator[dict[str, Any]]:
    for number, mention in enumerate(document.mentions):
        best = mention.best
        entity_id = mention.ids[0] if mention.is_linked else None
        yield {
            "document_id": document.id,
            "mention": number,
            "start": mention.start,
            "end": mention.end,
            "text": document.text_of(mention),
            "passage": _passage(document, mention),
            "type": mention.type or None,
            "entity_id": entity_id,
            "vocabulary": None if entity_id is None else vocabulary_of(entity_id),
            "label": best.label or None if best else None,
            "name": best.name or None if best else None,
            "score": best.score if best else None,
            "is_nil": mention.is_nil,
            "ids": list(mention.ids) if mention.is_linked else [],
            "spans": [{"start": start, "end": end} for start, end in mention.spans],
            "status": mention.status,
            "evidence": [
                {"kind": e.kind, "detail": e.detail, "score": e.score}
                for e in (best.evidence if best else ())
            ],
            "candidates": [
                {"entity_id": c.entity_id, "name": c.name, "label": c.label, "score": c.score}
                for c in mention.candidates
            ],
        }


def _passage(document: Document, mention: Mention) -> str | None:
    """The kind of the passage in which the mention starts."""
    return next((p.kind for p in document.passages if p.start <= mention.start < p.end), None)

"""Parquet: one row for each document, nested columns in the shape of its JSON. Loses nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from os import PathLike
from typing import Any, BinaryIO, Final

from holdfast.corpora.jsonl import document_from_json
from holdfast.corpora.losses import Losses
from holdfast.corpora.reading import Reading
from holdfast.corpora.report import ReadReport
from holdfast.document import Document
from holdfast.errors import FormatError

_ROWS_PER_GROUP: Final = 1000
_ROWS_PER_BATCH: Final = 200


def read_parquet(
    path: str | PathLike[str], *, lenient: bool = False, report: ReadReport | None = None
) -> Iterator[Document]:
    """The documents of a file; a few hundred are held at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    reading = Reading(path, lenient=lenient, report=report)
    try:
        with reading.path.open("rb") as stream, pq.ParquetFile(stream) as file:
            if missing := {"id", "text"} - {*file.schema_arrow.names}:
                raise FormatError(f"no column {min(missing)!r}", path=path)
            row = 0
            for batch in file.iter_batches(batch_size=_ROWS_PER_BATCH):
                for data in batch.to_pylist():
                    row += 1
                    document = document_from_json(_shaped(data, path), reading, line=row)
                    if document is not None:
                        yield document
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the system's; what Arrow says of a broken page has no number
        message = str(error).partition("\n")[0]
        raise FormatError(f"not a Parquet file that can be read: {message}", path=path) from error


def write_parquet(documents: Iterable[Document], stream: BinaryIO, losses: Losses) -> None:
    """Row groups of a thousand documents."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = _schema()
    remaining = iter(documents)
    with pq.ParquetWriter(stream, schema, compression="zstd") as writer:
        while group := [*islice(remaining, _ROWS_PER_GROUP)]:
            rows = [_to_row(document) for document in group]
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))
            for document in group:
                losses.report.count(
                    mentions=len(document.mentions), relations=len(document.relations)
                )


def _schema() -> Any:
    import pyarrow as pa

    def struct(**fields: Any) -> Any:
        return pa.struct(list(fields.items()))

    string, number, real = pa.string(), pa.int64(), pa.float64()
    evidence = struct(kind=string, detail=string, score=real)
    named = {"entity_id": string, "name": string, "label": string}
    candidate = struct(**named, score=real, evidence=pa.list_(evidence))
    mention = struct(
        id=string,
        spans=pa.list_(struct(start=number, end=number)),
        text=string,
        type=string,
        ids=pa.list_(string),
        parts=pa.list_(string),
        status=string,
        candidates=pa.list_(candidate),
        types=pa.list_(struct(name=string, score=real)),
    )
    argument = struct(entity_id=string, mention_id=string, role=string)
    relation = struct(
        id=string,
        type=string,
        arguments=pa.list_(argument),
        note=string,
        score=real,
        evidence=pa.list_(struct(start=number, end=number, text=string)),
    )
    return pa.schema(
        {
            "id": string,
            "text": string,
            "passages": pa.list_(struct(kind=string, start=number, end=number)),
            "mentions": pa.list_(mention),
            "relations": pa.list_(relation),
            "metadata": pa.list_(struct(key=string, value=string)),
        }
    )


def _to_row(document: Document) -> dict[str, Any]:
    """The JSON form, with pairs as structs: Parquet has no list of mixed types."""
    data = document.to_json()
    for mention in data.get("mentions", ()):
        mention["spans"] = [{"start": start, "end": end} for start, end in mention["spans"]]
    data["metadata"] = [{"key": key, "value": value} for key, value in document.metadata]
    return data


def _shaped(data: dict[str, Any], path: str | PathLike[str]) -> dict[str, Any]:
    try:
        return _from_row(data)
    except (AttributeError, KeyError, TypeError) as error:
        message = "`mentions` or `metadata` has another shape than docs/formats.md says; drop it"
        raise FormatError(message, path=path) from error


def _from_row(data: dict[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = _without_null(data)
    for mention in row.get("mentions", ()):
        mention["spans"] = [(span["start"], span["end"]) for span in mention.get("spans", ())]
    row["metadata"] = [(pair["key"], pair["value"]) for pair in row.get("metadata", ())]
    return row


def _without_null(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_null(v) for key, v in value.items() if v is not None}
    if isinstance(value, list):
        return [_without_null(item) for item in value]
    return value

"""Texts that a format cuts into pieces with offsets, as BioC and BigBIO do.

The characters between two pieces are not in the file; they are read as line feeds. So a writer
leaves out what lies between passages only if it is line feeds, and writes anything else that no
passage covers as a piece without a kind.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from holdfast.corpora.reading import Reading
from holdfast.document import Document, Passage


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text at its offset in the document."""

    kind: str | None  # None where it is text but no passage
    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class Layout:
    text: str
    passages: tuple[Passage, ...]


def pieces_of(document: Document) -> list[Piece]:
    """Pieces in order of their start that `lay_out` makes the document's text of."""
    pieces, end = list[Piece](), 0
    for passage in document.passages:
        between = document.text[end : passage.start]
        if between.strip("\n"):
            pieces.append(Piece(None, end, between))
        pieces.append(
            Piece(passage.kind, passage.start, document.text[passage.start : passage.end])
        )
        end = passage.end
    if end < len(document.text):
        pieces.append(Piece(None, end, document.text[end:]))
    return pieces


def lay_out(
    pieces: Iterable[Piece], *, document_id: str, reading: Reading, line: int | None = None
) -> Layout:
    """The text with every piece at its offset, and a passage for each piece that has a kind."""
    chunks, passages, end = list[str](), list[Passage](), 0
    for piece in sorted(pieces, key=lambda piece: piece.start):
        if piece.start < end:
            reading.refuse(
                "passage",
                f"document {document_id}: passage {piece.kind!r} at {piece.start} overlaps the "
                f"one that ends at {end}",
                line=line,
            )
            continue
        chunks += ("\n" * (piece.start - end), piece.text)
        end = piece.end
        if piece.kind is not None:
            passages.append(Passage(piece.kind, piece.start, end))
    return Layout("".join(chunks), tuple(passages))

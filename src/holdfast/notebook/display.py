"""Linked documents and concepts as HTML, for notebooks: what `_repr_html_` returns.

No script, no style sheet and nothing from elsewhere: styles are attributes of the elements, so that
a notebook keeps them when it is stored, converted or not trusted. Colours are translucent, and
readable on light and dark pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import TYPE_CHECKING, Final

from holdfast import types
from holdfast.mention import Candidate, Mention, Span
from holdfast.notebook.marked_text import MarkedPiece, nested

if TYPE_CHECKING:
    from holdfast.document import Document
    from holdfast.kb.records import Entity

COLOURS: Final = {  # red, green, blue
    types.DISEASE: "214, 69, 65",
    types.PHENOTYPE: "230, 126, 34",
    types.CHEMICAL: "39, 154, 89",
    types.GENE: "52, 120, 220",
    types.SPECIES: "166, 132, 20",
    types.CELL_LINE: "22, 160, 133",
    types.CELL_TYPE: "0, 151, 178",
    types.ANATOMY: "155, 89, 182",
    types.PROCESS: "99, 102, 220",
    types.VARIANT: "201, 60, 138",
}
_GREY: Final = "128, 128, 128"
_TEXT: Final = "white-space: pre-wrap; line-height: 1.9; max-width: 50em; unicode-bidi: isolate"
_CELL: Final = "text-align: left; vertical-align: top; padding: 2px 12px 2px 0; white-space: normal"
_SCROLL: Final = "max-height: 24em; overflow: auto"
_SHOWN_NAMES: Final = 20


def document_html(document: Document) -> str:
    """The text with its mentions marked, and a table of what they are."""
    marks = (
        (span, (number, mention))
        for number, mention in enumerate(document.mentions)
        for span in mention.spans
    )
    text = "".join(_text_html(document.text, nested(marks), Span(0, len(document.text))))
    title = f"<div><b>{escape(document.id)}</b></div>" if document.id else ""
    body = f'<div style="{_TEXT}">{text}</div>'
    return f"<div>{title}{body}{_table_of_mentions(document)}</div>"


def _text_html(
    text: str, pieces: Iterable[MarkedPiece[tuple[int, Mention]]], span: Span
) -> Iterator[str]:
    """The text of a span, with its pieces as `mark` elements; nested ones are inside others."""
    at = span.start
    for piece in pieces:
        yield escape(text[at : piece.span.start])
        number, mention = piece.mark
        yield f'<mark style="{_mark_style(mention)}" title="{escape(_in_words(mention))}">'
        yield from _text_html(text, piece.inside, piece.span)
        if len(mention.spans) > 1:  # the parts of an interrupted mention have one number
            yield f'<sub style="opacity: .7">{number + 1}</sub>'
        yield "</mark>"
        at = piece.span.end
    yield escape(text[at : span.end])


def _mark_style(mention: Mention) -> str:
    colour = COLOURS.get(types.canonical_type(mention.type), _GREY)
    line = "solid" if mention.is_linked else "dashed"
    return (
        f"background: rgba({colour}, .18); border-bottom: 2px {line} rgb({colour}); "
        "border-radius: 3px; padding: 1px 2px; color: inherit"
    )


def _in_words(mention: Mention) -> str:
    """What a mention was linked to and why, on one line."""
    if not mention.is_linked:
        said = "none of these" if mention.is_nil else "not linked"
        return f"{mention.type}: {said}".removeprefix(": ")
    best = mention.best
    name = f" {best.label or best.name}, {best.score:.2f}" if best else ""
    return f"{mention.type}: {', '.join(mention.ids)}{name}".removeprefix(": ")


def _table_of_mentions(document: Document) -> str:
    if not document.mentions:
        return "<p><i>No mention was found.</i></p>"
    times = dict[tuple[str, str, tuple[str, ...]], int]()
    first = dict[tuple[str, str, tuple[str, ...]], Mention]()
    for mention in document.mentions:
        key = (document.text_of(mention), mention.type, mention.ids)
        times[key] = times.get(key, 0) + 1
        first.setdefault(key, mention)
    rows = (
        row
        for (words, _, _), (mention, count) in zip(
            first, zip(first.values(), times.values(), strict=True), strict=True
        )
        for row in _rows(words, mention, count)
    )
    return _table(("mention", "type", "concept", "id", "score", "why"), rows)


def _rows(words: str, mention: Mention, count: int) -> Iterator[tuple[str, ...]]:
    """A row for each id of a mention; one where it has none."""
    shown = f"{words} ×{count}" if count > 1 else words
    if not mention.is_linked:
        yield shown, mention.type, "none of these" if mention.is_nil else "not linked", "", "", ""
        return
    candidates = {candidate.entity_id: candidate for candidate in mention.candidates}
    for number, id in enumerate(mention.ids):
        first = (shown, mention.type) if number == 0 else ("", "")
        yield (*first, *_answer(id, candidates.get(id)))


def _answer(id: str, candidate: Candidate | None) -> tuple[str, str, str, str]:
    if candidate is None:
        return "", id, "", ""
    why = "; ".join(evidence.detail for evidence in candidate.evidence)
    return candidate.label or candidate.name, id, f"{candidate.score:.2f}", why


def _table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    def line(cells: Iterable[str], tag: str) -> str:
        inner = "".join(f'<{tag} style="{_CELL}">{escape(cell)}</{tag}>' for cell in cells)
        return f"<tr>{inner}</tr>"

    body = "".join(line(row, "td") for row in rows)
    head = line(header, "th")
    return f'<div style="{_SCROLL}"><table><thead>{head}</thead><tbody>{body}</tbody></table></div>'


def entity_html(entity: Entity) -> str:
    """A concept as a card: names, types, definition, cross-references, what it is part of."""
    names = [*entity.synonyms[:_SHOWN_NAMES]]
    if len(entity.synonyms) > _SHOWN_NAMES:
        names.append(f"and {len(entity.synonyms) - _SHOWN_NAMES} more")
    rows = [
        ("also called", "; ".join(names)),
        ("types", ", ".join(entity.types)),
        ("definition", entity.definition),
        ("same as", ", ".join(entity.xrefs)),
        ("links", ", ".join(f"{link.predicate} {link.object_id}" for link in entity.links)),
        ("vocabulary", entity.source),
    ]
    body = "".join(_card_row(key, value) for key, value in rows if value)
    title = f"<b>{escape(entity.name)}</b> <code>{escape(entity.id)}</code>"
    return f'<div style="max-width: 50em"><div>{title}</div><table>{body}</table></div>'


def _card_row(key: str, value: str) -> str:
    head = f'<th scope="row" style="{_CELL}">{escape(key)}</th>'
    return f'<tr>{head}<td style="{_CELL}">{escape(value)}</td></tr>'

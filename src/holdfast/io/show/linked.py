"""Linked documents for people to look at, in a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from holdfast import types
from holdfast.document import Candidate, Document, Mention
from holdfast.link.mapped import MapIds
from holdfast.text.normalise import fold
from holdfast.text.safe import one_line, printable

NONE_OF_THESE: Final = "none of these"
NO_ID: Final = "–"

COLOURS: Final = {
    types.DISEASE: "red",
    types.PHENOTYPE: "bright_red",
    types.CHEMICAL: "green",
    types.GENE: "blue",
    types.SPECIES: "yellow",
    types.CELL_LINE: "bright_cyan",
    types.CELL_TYPE: "cyan",
    types.ANATOMY: "magenta",
    types.PROCESS: "bright_blue",
    types.VARIANT: "bright_magenta",
}


def print_document(document: Document, console: Console, *, explain: bool = False) -> None:
    """Print the text with its mentions coloured, and a table of what they are.

    Where a typing model was asked, a second table says what kind of thing each mention is.
    """
    console.print(coloured_text(document), soft_wrap=False)
    console.print()
    console.print(mention_table(document, explain=explain))
    if any(mention.types for mention in document.mentions):
        console.print()
        console.print(kinds_table(document))


def coloured_text(document: Document) -> Text:
    text = Text(printable(document.text))
    for mention in document.mentions:
        for start, end in mention.spans:
            text.stylize(f"bold {_colour(mention)}", start, end)
    return text


def mention_table(document: Document, *, explain: bool = False) -> RenderableType:
    """One row per distinct mention and id, in the order of the text.

    A mention that is NIL has no concept and no id. `explain` adds a row for each candidate that
    is not the answer, which says so.
    """
    if not document.mentions:
        return Text("No mention of the chosen types was found.", style="dim")
    table = Table(box=None, pad_edge=False, header_style="bold", expand=False)
    table.add_column("mention", overflow="fold", min_width=10)
    table.add_column("concept", overflow="fold")
    table.add_column("id", no_wrap=True)
    table.add_column("score", justify="right")
    table.add_column("why", overflow="fold", style="dim")
    for mention, surface, times in _distinct(document):
        shown = Text(surface, style=_colour(mention))
        if times > 1:
            shown.append(f" ×{times}", style="dim")
        rows = [*_answers(mention), *(_rejected(mention) if explain else ())]
        for i, row in enumerate(rows):
            table.add_row(shown if i == 0 else "", *row)
    legend = Text("  ").join(
        Text(one_line(type), style=_colour_of(type))
        for type in dict.fromkeys(mention.type for mention in document.mentions)
        if type
    )
    return Group(table, Text(), legend)


def kinds_table(document: Document) -> Table:
    """The types of each distinct mention that has some, with their probabilities.

    Words that are linked differently in different places have a row each.
    """
    table = Table(box=None, pad_edge=False, header_style="bold", expand=False)
    table.add_column("mention", overflow="fold", min_width=10, ratio=1)
    table.add_column("what kind of thing it is", overflow="fold", ratio=3)
    for mention, surface, _ in _distinct(document):
        if mention.types:
            told = ", ".join(f"{type.name} {type.score:.2f}" for type in mention.types)
            table.add_row(Text(surface, style=_colour(mention)), one_line(told))
    return table


def _why_none(mention: Mention) -> str:
    is_variant = types.canonical_type(mention.type) == types.VARIANT
    is_unread = is_variant and mention.is_nil and not mention.candidates
    return "cannot be read as a variant" if is_unread else ""


def _answers(mention: Mention) -> Iterator[tuple[Text | str, ...]]:
    """Concept, id, score and why of each entity that the mention was linked to."""
    if not mention.is_linked:
        said = NONE_OF_THESE if mention.is_nil else "not linked"
        yield Text(said, style="dim"), NO_ID, "", _why_none(mention)
        return
    candidates = {candidate.entity_id: candidate for candidate in mention.candidates}
    for id in mention.ids:
        candidate = candidates.get(id)
        yield _columns(candidate) if candidate else (NO_ID, one_line(id), "", "")


def _rejected(mention: Mention) -> Iterator[tuple[Text | str, ...]]:
    """Concept, id, score and why of each candidate that is not the answer."""
    mark = "nearest, but not it: " if mention.is_nil else "not chosen: "
    for candidate in mention.candidates:
        if candidate.entity_id not in mention.ids:
            concept, *others = _columns(candidate)
            yield Text(f"{mark}{concept}", style="dim"), *others


def _columns(candidate: Candidate) -> tuple[str, ...]:
    why = "; ".join(evidence.detail for evidence in candidate.evidence)
    concept = candidate.label or candidate.name
    return one_line(concept), one_line(candidate.entity_id), f"{candidate.score:.2f}", one_line(why)


def _distinct(document: Document) -> list[tuple[Mention, str, int]]:
    """Each mention that reads and links differently, with its words and how often it occurs."""
    first: dict[tuple[str, tuple[str, ...]], Mention] = {}
    times = Counter[tuple[str, tuple[str, ...]]]()
    for mention in document.mentions:
        key = (fold(" ".join(document.text_of(mention).split())), mention.ids)
        first.setdefault(key, mention)
        times[key] += 1
    return [
        (mention, one_line(document.text_of(mention)), times[key]) for key, mention in first.items()
    ]


def _colour(mention: Mention) -> str:
    return _colour_of(mention.type)


def _colour_of(type: str) -> str:
    return COLOURS.get(types.canonical_type(type), "white")


def print_unmapped(steps: Iterable[object]) -> None:
    """Say on standard error how many links `--map-to` could not map, if it was asked for."""
    for step in steps:
        if isinstance(step, MapIds):
            _note(step.summary())


def _note(line: str) -> None:
    Console(stderr=True).print(one_line(line), highlight=False, markup=False, soft_wrap=True)

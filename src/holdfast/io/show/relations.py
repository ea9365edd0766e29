"""Relations for people to look at, in a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table
from rich.text import Text

from holdfast.document import Document, Relation
from holdfast.io.show.linked import coloured_text
from holdfast.kb.store import KnowledgeBase
from holdfast.text.safe import one_line


def print_relations(documents: Iterable[Document], kb: KnowledgeBase) -> None:
    """Print each text, its mentions coloured, and a table of its relations."""
    console = Console(highlight=False, markup=False)
    for number, document in enumerate(documents):
        if number:
            console.rule()
        if document.id:
            console.print(one_line(document.id), style="dim")
        console.print(coloured_text(document))
        console.print()
        console.print(relation_table(document, kb))


def relation_table(document: Document, kb: KnowledgeBase) -> Table | Text:
    """One row per relation, the most probable first."""
    if not document.relations:
        return Text("No related entities were found.", style="dim")
    table = Table(box=None, pad_edge=False, header_style="bold", expand=False)
    for name in ("relation", "from", "to", "score", "evidence"):
        table.add_column(name, overflow="fold", justify="right" if name == "score" else "left")
    for relation in sorted(document.relations, key=lambda r: -(r.score or 0.0)):
        first, second = (_named(relation, place, document, kb) for place in (0, 1))
        score = "" if relation.score is None else f"{relation.score:.2f}"
        said = " … ".join(document.text[start:end] for start, end in relation.evidence)
        table.add_row(one_line(relation.type), first, second, score, one_line(said))
    return table


def _named(relation: Relation, place: int, document: Document, kb: KnowledgeBase) -> str:
    """The entity's preferred name and id; the id alone if the knowledge base lacks it."""
    argument = relation.arguments[place]
    id = argument.entity_id
    if not id:
        own = (m for m in document.mentions if m.id == argument.mention_id)
        return one_line(" ".join(document.text_of(mention) for mention in own))
    row = kb.row_of(id)
    return one_line(id if row is None else f"{kb.label_at(row)} ({id})")

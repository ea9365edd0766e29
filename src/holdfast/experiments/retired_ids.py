"""Ids of a corpus that its vocabulary has since replaced, learned from annotated mentions.

A corpus keeps the ids of its year: BC5CDR calls sevoflurane C009250, today's MeSH D000077149.
Where mentions of an id that a knowledge base lacks are the names of one of its entities, the two
are taken to be the same.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from holdfast.document import Document
from holdfast.kb.store import KnowledgeBase
from holdfast.link.ranking.queries import written_out
from holdfast.text.abbreviations import long_forms
from holdfast.text.tokens import hashes_of_names


def retired_ids(
    documents: Iterable[Document], kb: KnowledgeBase, *, known: Mapping[str, str]
) -> dict[str, str]:
    """Id -> the entity that most of its mentions name; an id without such an entity is left out.

    `known`: the ids that the knowledge base has, and their entities. Mentions of several ids, and
    names that several entities share, say nothing.
    """
    uses = [
        (mention.ids[0], written_out(document.text_of(mention), long_forms(document.text)))
        for document in documents
        for mention in document.mentions
        if len(mention.ids) == 1 and mention.is_linked and mention.ids[0] not in known
    ]
    named = defaultdict[str, Counter[str]](Counter)
    starts, ends = kb.exact.ranges(hashes_of_names(name for _, name in uses))
    for (id, _), start, end in zip(uses, starts.tolist(), ends.tolist(), strict=True):
        entities = {int(kb.entity_of_name[row]) for row in kb.exact.rows[start:end].tolist()}
        if len(entities) == 1:
            named[id][kb.id_at(entities.pop())] += 1
    return {id: best for id, counts in named.items() if (best := _favourite(counts))}


def _favourite(counts: Counter[str]) -> str | None:
    """The most frequent; None if two are."""
    (first, most), *others = counts.most_common(2)
    return None if others and others[0][1] == most else first

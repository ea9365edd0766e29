"""Groups to fine-tune on: a dictionary's names by concept, and how a corpus calls each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from holdfast.corpora.named.biosyn import LenientMention, LenientName
from holdfast.document import Document
from holdfast.encoders.names import plain
from holdfast.link.ranking.queries import queries_of
from holdfast.systems.rescnn.training.synonyms import Group


def with_mentions(groups: Sequence[Group], documents: Iterable[Document]) -> list[Group]:
    """The groups, each with what the documents call it, short forms by their long ones.

    Mentions of several ids, or of ids that no group has, teach nothing here and are left out.
    """
    place = {id: at for at, group in enumerate(groups) for id in group.ids}
    called = defaultdict[int, dict[str, str]](dict)
    for document in documents:
        for mention, query in zip(document.mentions, queries_of(document), strict=True):
            if len(mention.ids) == 1 and mention.ids[0] in place and plain(query.text):
                called[place[mention.ids[0]]].setdefault(plain(query.text), query.text)
    return [
        replace(group, mentions=tuple(called[at].values())) if at in called else group
        for at, group in enumerate(groups)
    ]


def mention_groups(documents: Iterable[Document], *, kind: str) -> list[Group]:
    """The different strings that documents use for one id, where there are at least two."""
    called = defaultdict[str, dict[str, str]](dict)
    for document in documents:
        for mention in document.mentions:
            surface = document.text_of(mention)
            if len(mention.ids) == 1 and plain(surface):
                called[mention.ids[0]].setdefault(plain(surface), surface)
    return [
        Group(tuple(names.values()), kind, (id,)) for id, names in called.items() if len(names) > 1
    ]


def lenient_groups(
    dictionary: Iterable[LenientName],
    mentions: Iterable[LenientMention],
    *,
    more_names: Mapping[str, Sequence[str]] | None = None,  # by bare id, from elsewhere
    kind: str = "",
) -> list[Group]:
    """A group per concept of the dictionary, in its order.

    Ids that share a line are one concept. Mentions with several parts, or whose ids are several
    concepts or none of the dictionary's, teach nothing here and are left out.
    """
    concept_of: dict[str, str] = {}
    names = defaultdict[str, dict[str, str]](dict)
    for line in dictionary:
        concept = next((concept_of[id] for id in sorted(line.ids) if id in concept_of), None)
        concept = concept or min(line.ids)
        concept_of.update(dict.fromkeys(line.ids, concept))
        names[concept].setdefault(plain(line.name), line.name)
    ids = defaultdict[str, list[str]](list)
    for id, concept in concept_of.items():
        ids[concept].append(id)
        for name in (more_names or {}).get(id, ()):
            names[concept].setdefault(plain(name), name)
    called = defaultdict[str, dict[str, str]](dict)
    for mention in mentions:
        concepts = {concept_of.get(id, "") for id in mention.ids}
        if len(mention.parts) == 1 and len(concepts) == 1 and "" not in concepts:
            called[concepts.pop()].setdefault(plain(mention.parts[0]), mention.parts[0])
    return [
        Group(tuple(own.values()), kind, tuple(ids[concept]), tuple(called[concept].values()))
        for concept, own in names.items()
    ]


def seed_weights(groups: Sequence[Group], *, mentions: float) -> list[float]:
    """How often each group is a seed, so that this part of the seeds comes from mentions.

    A group counts once per mention; the other part goes to the groups with two names or more.
    """
    called = sum(len(group.mentions) for group in groups)
    several = sum(len(group.names) > 1 for group in groups)
    return [
        mentions * len(group.mentions) / max(1, called)
        + (1 - mentions) * (len(group.names) > 1) / max(1, several)
        for group in groups
    ]

"""Groups to fine-tune on: a dictionary's names by concept, and how a corpus calls each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from holdfast.corpora.named.biosyn import LenientMention, LenientName
from holdfast.document import Document
from holdfast.names.encoder import plain
from holdfast.text.abbreviations import abbreviation_map, find_abbreviations
from holdfast.training.synonyms import Group
from holdfast.types import canonical_type


def document_mentions(
    documents: Iterable[Document], *, only: Collection[str], prefix: str
) -> Iterator[LenientMention]:
    """The gold mentions of these types whose ids have this prefix, short forms by their long ones.

    Ids lose the prefix, as in a dictionary of that vocabulary alone.
    """
    for document in documents:
        long_forms = abbreviation_map(find_abbreviations(document.text))
        for mention in document.mentions:
            surface = document.text_of(mention)
            ids = frozenset(id.removeprefix(prefix) for id in mention.ids if id.startswith(prefix))
            if ids and canonical_type(mention.type) in only and plain(surface):
                yield LenientMention(document.id, (long_forms.get(surface, surface),), ids)


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

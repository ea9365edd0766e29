"""The concepts of MedMentions as a knowledge base.

Without a licence for UMLS their names are those of open vocabularies and the wordings of training
mentions; concepts that have neither cannot be linked to.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from holdfast import artifacts
from holdfast.corpora.named import load_corpus, load_training
from holdfast.corpora.named.medmentions import read_open_names
from holdfast.errors import KnowledgeBaseError
from holdfast.kb.build import Source, build_kb
from holdfast.kb.records import Entry
from holdfast.kb.store import KnowledgeBase
from holdfast.progress import Progress

MEDMENTIONS: Final = "medmentions-st21pv"
_OPEN_NAMES: Final = "corpora/medmentions/cui_names_open.json.gz"


def medmentions_kb(split: str, *, data: Path, progress: Progress | None = None) -> KnowledgeBase:
    """The concepts that the train split or this one mentions, as far as they have a name."""
    path = data / _OPEN_NAMES
    key = hashlib.sha256(f"{artifacts.sha256_of(path)} {split} 3".encode()).hexdigest()[:12]
    folder = artifacts.home() / "recipes" / f"medmentions-{split}-{key}"
    try:
        return KnowledgeBase(folder)
    except KnowledgeBaseError:
        source = Source("MedMentions concepts", origin="open names and training mentions")
        entries = _concepts(split, data=data)
        build_kb(folder, name="medmentions", parts=[(source, entries)], progress=progress)
        return KnowledgeBase(folder)


def _concepts(split: str, *, data: Path) -> Iterator[Entry]:
    """Wordings first, the most frequent at the top, then open names, the most usual at the top."""
    wordings = defaultdict[str, Counter[str]](Counter)
    training = load_training([(MEDMENTIONS, "train")], evaluated=[(MEDMENTIONS, split)], data=data)
    for document in training.documents:
        for mention in document.mentions:
            for id in mention.ids:
                wordings[id][document.text_of(mention)] += 1
    mentioned = {
        id
        for document in load_corpus(MEDMENTIONS, split, data=data)
        for mention in document.mentions
        for id in mention.ids
    }
    names = read_open_names(data / _OPEN_NAMES)
    for id in sorted(mentioned | set(wordings)):
        called = [word for word, _ in wordings[id].most_common()] if id in wordings else []
        usual = _most_usual_first(names.get(id, ()))
        own = dict[str, str]()  # few are encoded, so capitals alone do not make another name
        for name in (*called, *usual):
            if name.strip():
                own.setdefault(name.casefold(), name)
        if own:
            label, *synonyms = own.values()
            yield Entry(id, label, synonyms=tuple(synonyms))


def _most_usual_first(names: Sequence[str]) -> list[str]:
    """By how many of the others have a name's words, on average; open names come in no order.

    "hypertrophic cardiomyopathy" thus comes before "ASH".
    """
    words = [frozenset(name.casefold().split()) for name in names]
    used = Counter(word for own in words for word in own)
    shares = [sum(used[word] for word in own) / max(1, len(own)) for own in words]
    order = sorted(range(len(names)), key=lambda at: (-shares[at], len(names[at]), names[at]))
    return [names[at] for at in order]

"""Detectors of one's own corpus: the types that it annotates, and how long to train."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from holdfast.detect.training.learning import DetectorConfig
from holdfast.detect.training.lessons import MOST_TYPES, Lesson
from holdfast.detect.training.schemes import Scheme
from holdfast.document import Document
from holdfast.types import canonical_type, type_key

_TOKENS: Final = 1_800_000  # read in training: 500 abstracts twelve times
_PASSES: Final = (3.0, 40.0)  # the fewest, for large corpora, and the most, for small ones
_STEPS: Final = 200  # at least, with smaller batches where there are few tokens
_SMALLEST: Final = 256  # tokens of a batch


def annotated_types(documents: Iterable[Document], spelled: Iterable[str]) -> tuple[str, ...]:
    """The types of the documents' mentions, the most frequent first, at most MOST_TYPES.

    Each is spelled as in holdfast.types, else as in `spelled`, else as where it stands first.
    """
    spelling = {type_key(type): type for type in spelled}
    counts = Counter[str]()
    for label in (mention.type for document in documents for mention in document.mentions):
        if label:
            key = type_key(canonical_type(label))
            spelling.setdefault(key, canonical_type(label))
            counts[key] += 1
    return tuple(spelling[key] for key, _ in counts.most_common(MOST_TYPES))


def own_scheme(documents: Iterable[Document], types: Sequence[str]) -> Scheme:
    """What the documents annotate: every mention of those types that occur in them.

    A mention of another type, or of none, may be of any.
    """
    learned = {type_key(type): type for type in types}
    labels = dict[str, tuple[str, ...]]()
    for label in (mention.type for document in documents for mention in document.mentions):
        type = learned.get(type_key(canonical_type(label)))
        labels[label] = (type,) if type else ()
    complete = frozenset(type for meant in labels.values() for type in meant)
    return Scheme(complete, 1.0, labels, tuple(types))


def paced(config: DetectorConfig, lessons: Sequence[Lesson]) -> DetectorConfig:
    """The configuration with as many passes, and batches as large, as suit so many documents."""
    fewest, most = _PASSES
    passes = min(max(_TOKENS / max(1.0, _tokens_of(lessons)), fewest), most)
    return sized(replace(config, passes=round(passes, 2)), lessons)


def sized(config: DetectorConfig, lessons: Sequence[Lesson]) -> DetectorConfig:
    """The configuration with batches small enough for some hundred steps."""
    tokens = int(config.passes * _tokens_of(lessons) / _STEPS)
    return replace(config, tokens=min(max(tokens, _SMALLEST), config.tokens))


def _tokens_of(lessons: Sequence[Lesson]) -> float:
    """That are read in one pass."""
    return sum(lesson.passes * (lesson.window.end - lesson.window.start) for lesson in lessons)


def digest_of(lessons: Sequence[Lesson]) -> str:
    """Identifies what is learned, so that a run is not continued on other documents."""
    digest = hashlib.sha256()
    for document in {id(lesson.document): lesson.document for lesson in lessons}.values():
        digest.update(document.text.encode(errors="surrogatepass"))
        digest.update(document.allowed.tobytes())
    return digest.hexdigest()

"""What is chosen and measured on dev documents that a detector has not seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from holdfast.detect.agreement import agree
from holdfast.detect.dictionary import DictionaryDetector
from holdfast.detect.tagger import Tagged, Tagger
from holdfast.detect.training.schemes import Scheme
from holdfast.document import Document

_CAUTIONS: Final = tuple(step / 4 for step in range(-6, 7))


@dataclass(frozen=True, slots=True)
class DetectorChoice:
    caution: float  # of the tagger
    f1: Mapping[str, float]  # by type, and of "all" together


def choose_caution(
    tagger: Tagger,
    documents: Sequence[Document],
    scheme: Scheme,
    *,
    dictionary: DictionaryDetector | None,  # None: nothing is marked
) -> DetectorChoice:
    """The caution with the best F1 of typed mentions, of the types that the corpus annotates."""
    readings = [
        tagger.read(document.text, dictionary.names_in(document.text) if dictionary else ())
        for document in documents
    ]
    best = DetectorChoice(0.0, {"all": -1.0})
    # From the least to the most: of equals, the one nearest to none.
    for caution in sorted(_CAUTIONS, key=abs):
        decode = replace(tagger, caution=caution).decode
        found = [agree(decode(reading), reading.text) for reading in readings]
        f1 = f1_by_type(documents, found, scheme)
        if f1["all"] > best.f1["all"]:
            best = DetectorChoice(caution, f1)
    return best


def f1_by_type(
    documents: Sequence[Document], found: Sequence[Sequence[Tagged]], scheme: Scheme
) -> dict[str, float]:
    """F1 of spans with their types; 0 where nothing is right."""
    gold = {
        (place, mention.spans, scheme.type_of(mention.type))
        for place, document in enumerate(documents)
        for mention in document.mentions
    }
    predicted = {
        (place, (tagged.span,), tagged.type) for place, row in enumerate(found) for tagged in row
    }
    figures = dict[str, float]()
    for name in ("all", *sorted(scheme.complete)):
        wanted = scheme.complete if name == "all" else {name}
        one = {item for item in gold if item[2] in wanted}
        other = {item for item in predicted if item[2] in wanted}
        figures[name] = 2 * len(one & other) / max(1, len(one) + len(other))
    return figures

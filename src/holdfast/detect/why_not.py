"""What keeps a term from being detected: rules about names, and what the tagger reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from holdfast import types
from holdfast.detect.dictionary import DictionaryDetector, defines, is_ion
from holdfast.detect.trained import PART, SURE, Considered, TrainedDetector, outside
from holdfast.document import Span
from holdfast.kb.store import KnowledgeBase
from holdfast.names.credible import (
    SYMBOLS,
    fault_of,
    has_other_sign,
    is_divided,
    is_inverted,
    is_written_otherwise,
)

_DECIMALS: Final = 4


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing to say of a term at a place."""

    rule: str  # which rule spoke: "found", "nil", "unlisted", "only", "denied", "overlap", …
    detail: str  # for a person
    facts: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def to_json(self) -> dict[str, Any]:
        return {"rule": self.rule, "detail": self.detail, **self.facts}


def reasons_of_dictionary(
    surface: str, rows: Sequence[int], dictionary: DictionaryDetector, kb: KnowledgeBase
) -> Iterator[Reason]:
    """Why none of the names that the surface's words spell counts; each rule is told once.

    If one counts, that is the only reason: "listed".
    """
    against: dict[str, Reason] = {}
    for row in rows:
        entity = int(kb.entity_of_name[row])
        said = f"{kb.id_at(entity)} lists “{kb.name_at(row)}”"
        found = next(_against(surface, row, dictionary, kb), None)
        if found is None:
            kinds = ", ".join(kb.types_of(entity)) or "no type"
            yield Reason("listed", f"{said} ({kinds})", {"id": kb.id_at(entity)})
            return
        rule, why = found
        against.setdefault(rule, Reason(rule, f"{said}, but {why}", {"id": kb.id_at(entity)}))
    yield from against.values()


def _against(
    surface: str, row: int, dictionary: DictionaryDetector, kb: KnowledgeBase
) -> Iterator[tuple[str, str]]:
    entity, name = int(kb.entity_of_name[row]), kb.name_at(row)
    mask = int(kb.type_mask[entity])
    if not mask & dictionary.wanted:
        kinds = ", ".join(kb.types_of(entity)) or "no type"
        is_other = mask == types.mask_of([types.OTHER])
        hint = "; --only other finds it" if is_other else ""
        yield "only", f"its type is not wanted: {kinds}{hint}"
    fault = fault_of(surface, dictionary.trust_of(row))
    if fault is not None:
        yield fault.name.lower().replace("_", " "), fault.value
    if dictionary.is_carrier(row):
        yield "carrier", "that calls a protein by what it does, and is no name of a function"
    if is_divided(surface, name):
        yield "punctuation", "the text has a comma, bracket or the like that the name lacks"
    elif has_other_sign(surface, name):
        yield "sign", f"the name has another plus or minus sign: “{name}”"
    elif is_inverted(surface, name):
        yield "punctuation", "the text has its parts in the order of an index, without the comma"
    elif is_written_otherwise(surface, name, is_symbol=bool(mask & SYMBOLS)):
        yield "case", f"in short names case matters, and the text has “{surface}”"


def reasons_of_tagger(
    span: Span, text: str, detector: TrainedDetector, *, is_listed: bool
) -> Iterator[Reason]:
    """What the tagger says of the words, and which rule of the detector was decisive."""
    considered = detector.consider(text)
    probability = outside(span, considered.reading)
    facts = {"probability": round(probability, _DECIMALS), "threshold": SURE}
    listed = [name for name in considered.listed if name.span == span]
    if not is_listed:
        yield Reason(
            "untagged",
            f"the tagger, which also finds what is not listed, did not tag it: it takes its words "
            f"for no mention with a probability of {probability:.2f}",
            {"probability": facts["probability"]},
        )
        return
    if not listed:
        yield from _unscanned(span, considered, detector)
    for name in listed:
        if detector.denies(name, considered):
            yield Reason(
                "denied",
                f"the tagger denies it: its words are no mention with a probability of "
                f"{probability:.2f}, and more than {SURE} is enough",
                facts,
            )
        elif (longer := detector.hides(name, considered)) is not None:
            whole = considered.scan.text[longer.start : longer.end]
            likely = round(detector.likelihood(name, considered.reading), _DECIMALS)
            yield Reason(
                "part",
                f"it is a part of the longer name “{whole}”, and the tagger takes it for a "
                f"{name.meaning.type} with a probability of {likely:.2f}, less than {PART}",
                {"name": whole, "probability": likely, "threshold": PART},
            )


def _unscanned(span: Span, considered: Considered, detector: TrainedDetector) -> Iterator[Reason]:
    """Why a name that counts was not even considered at a place."""
    surface = considered.scan.text[span.start : span.end]
    defined = considered.scan.defined
    if surface in defined:
        said = f"the document defines it as “{defined[surface]}”, which is not listed"
        yield Reason("abbreviation", said)
    elif defines(surface, defined):
        yield Reason("abbreviation", "it is a long form with its short form: two mentions, not one")
    elif is_ion(span, considered.scan.text):
        yield Reason("ion", "a plus sign follows it: it is an ion")
    elif "\n" in surface:
        yield Reason("line", "a line ends inside it, and that is not taken for wrapping")
    elif (type := detector.chief_type(surface)) is not None and not (
        types.mask_of([type]) & detector.dictionary.wanted
    ):
        yield Reason("only", f"it is chiefly the name of something else, of the type {type}")

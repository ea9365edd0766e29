"""The words of clinical strings: abbreviations, remarks, doses, stages and the like.

They are data, in clinical_words.toml; this module reads it and compiles its patterns once.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from holdfast.names.credible import common_words
from holdfast.text.tokens import key_of, key_of_token, tokens_of

_SHORT: Final = 2  # letters up to which an abbreviation counts only as it is listed
_UPPER: Final = ("l", "r", "od", "os")  # laterality that counts in upper case only
_WORDS: Final = ("all", "ten", "net", "pad", "cap", "gas", "hit", "mac", "add", "lad", "sad")
_LOW: Final = "low|decreased|reduced|dropping|falling|diminished"
_HIGH: Final = "high|elevated|raised|increased|rising|elevation of"

_MONTH: Final = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.?"
_UNIT_OF_TIME: Final = r"(?:h|hrs?|hours?|d|days?|wks?|weeks?|mos?|months?|yrs?|years?|y)"
_ICD: Final = r"(?:[A-TV-Z]\d[0-9A-Z]\.[0-9A-Z]{1,4}|[VE]?\d{3}\.\d{1,2})"
_ANY_CODE: Final = r"[A-TV-Z]\d[0-9A-Z](?:\.[0-9A-Z]{1,4})?|[VE]?\d{3}(?:\.\d{1,2})?"
_ROMAN: Final = r"(?:[0-5]|IV|V|I{1,3})"
_UNIT: Final = (
    r"(?:mg|mcg|µg|μg|ug|gm?|kg|ml|cc|l|units?|u|iu|meq|mmol|mol|puffs?|tabs?|tablets?|capsules?|"
    r"caps?|drops|gtts?|sprays?)"
)

CODE: Final = re.compile(
    rf"^\W*{_ICD}\b\W*|^\W*(?:{_ANY_CODE})\s*[:–-]\s+|[\[(]\s*(?:ICD\S*\s*)?(?:{_ANY_CODE})\s*[\])]|"
    rf"\bICD-?(?:9|10|11)?(?:-?CM)?\W*(?:{_ANY_CODE})\b|\b(?:SNOMED|SCTID)\W*\d{{6,}}|\b{_ICD}\W*$",
)
TIME: Final = re.compile(
    rf"\b\d{{1,2}}[/.-]\d{{1,2}}[/.-]\d{{2,4}}\b|\b(?:19|20)\d{{2}}-\d{{2}}(?:-\d{{2}})?\b|"
    rf"\b(?:in |since |from |circa |c\. ?)?(?:{_MONTH}\s+(?:\d{{1,2}},?\s+)?)?(?:19|20)\d{{2}}\b|"
    rf"(?:\bx|×|\bfor|@|\bat)\s*\d+(?:\s*-\s*\d+)?\+?\s*{_UNIT_OF_TIME}(?:\s+gestation)?\b|"
    rf"\b\d+(?:\s*-\s*\d+)?\s*{_UNIT_OF_TIME}(?:\s+(?:ago|old|duration))\b|\b(?:at )?age \d+\b",
    re.IGNORECASE,
)
DOSE: Final = re.compile(
    rf"\b\d+(?:[.,]\d+)*(?:\s*-\s*\d+(?:\.\d+)?)?\s*(?:{_UNIT}(?:\s*/\s*(?:\d+\s*)?"
    rf"(?:{_UNIT}|m2|day|d|hr?|min|dose|actuation))*\b|%)|\bq\.?\s*\d+(?:-\d+)?\s*{_UNIT_OF_TIME}\b|"
    rf"\bx\s*\d+(?:\s*{_UNIT_OF_TIME})?\b|#\s*\d+",
    re.IGNORECASE,
)
STAGE: Final = re.compile(
    r"\b(?:AJCC |FIGO |clinical |pathologic(?:al)? )?stages? "
    rf"{_ROMAN}[a-e]?\d?(?:\s*-\s*{_ROMAN}[a-e]?)?\b|"
    rf"\b(?:WHO |ISUP |Fuhrman )?(?:grade|gr\.?) ?{_ROMAN}(?:\s*[-/]\s*{_ROMAN})?\b|"
    rf"\bFIGO {_ROMAN}[A-C]?\d?\b|\bGleason(?: score)? ?\d+(?: ?\+ ?\d+)?(?: ?= ?\d+)?\b|"
    rf"\b(?:NYHA|CCS|ASA|Killip)(?: class)? {_ROMAN}\b|\bclass {_ROMAN}\b|\bECOG(?: PS)? ?\d\b|"
    r"\bChild(?:s|-Pugh)?(?: class)? [ABC]\b|"
    r"\b[pcy]{0,2}T[0-4X](?:is)?[a-d]?\s*N[0-3X][a-c]?(?:\s*M[01X])?\b|"
    r"\b(?:LVEF|EF|BMI|HbA1c|A1c|INR|e?GFR|PSA|Hgb|CD4)\s*(?:of|is|[=:<>~≤≥])*\s*\d+(?:\.\d+)?\s*%?",
    re.IGNORECASE,
)
BRACKETS: Final = re.compile(r"\([^()]*\)?|\[[^\[\]]*\]?|\{[^{}]*\}?")


@dataclass(frozen=True, slots=True)
class Analyte:
    """What too little and too much of something that laboratories measure is called."""

    low: str
    high: str


@dataclass(frozen=True, slots=True)
class ClinicalWords:
    """The lists of clinical_words.toml, as sets of keys and as patterns."""

    placeholders: frozenset[str]
    modifiers: frozenset[str]  # keys of single words that describe a finding
    generic: frozenset[str]  # keys of words such as "disease"
    negated: re.Pattern[str]
    remarks: re.Pattern[str]
    forms: re.Pattern[str]
    severity: re.Pattern[str]
    laterality: re.Pattern[str]
    course: re.Pattern[str]
    acuity: re.Pattern[str]
    breaks: re.Pattern[str]
    abbreviations: re.Pattern[str]
    full_names: Mapping[str, tuple[str, ...]]  # of abbreviations, by their folded form
    level: re.Pattern[str]  # "low sodium": groups "low", "high" and "analyte"
    analytes: Mapping[str, Analyte]
    adjectives: Mapping[str, str]  # of organs, by their keys

    def says_nothing(self, text: str) -> bool:
        """Whether a row of this text says that there is nothing to say."""
        stripped = text.strip().casefold()
        return not tokens_of(text) or stripped.rstrip(".!") in self.placeholders

    def is_content(self, key: str) -> bool:
        """Whether a token of this key could name something by itself."""
        ordinary = key in self.modifiers or key in self.generic or key in common_words()
        return not ordinary and not key.isdigit()


@cache
def clinical_words() -> ClinicalWords:
    """The lists, read once."""
    text = files("holdfast.link").joinpath("clinical_words.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    groups = ("remarks", "severity", "laterality", "course", "acuity", "forms", "breaks")
    short = {**data["abbreviations"], **data["shorthand"]}
    analytes = {key_of(name): Analyte(low, high) for name, (low, high) in data["analytes"].items()}
    return ClinicalWords(
        placeholders=frozenset(data["placeholders"]),
        modifiers=frozenset(_keys(phrase for group in groups for phrase in data[group])),
        generic=frozenset(_keys(data["generic"])),
        negated=re.compile(rf"\W*(?:{_any_of(data['negations'])})(?![\w/])", re.IGNORECASE),
        **{group: _phrases(data[group]) for group in groups if group != "laterality"},
        laterality=_laterality(data["laterality"]),
        abbreviations=_abbreviations(short),
        full_names={_folded(key): tuple(full.split("|")) for key, full in short.items()},
        level=_levels(data["analytes"]),
        analytes=analytes,
        adjectives={key_of(organ): adjective for organ, adjective in data["organs"].items()},
    )


def _keys(phrases: Iterable[str]) -> set[str]:
    return {key_of_token(token) for phrase in phrases for token in tokens_of(phrase)}


def _any_of(phrases: Iterable[str]) -> str:
    ordered = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    return "|".join(re.escape(phrase).replace(r"\ ", r"\s+") for phrase in ordered)


def _phrases(phrases: Iterable[str], *, flags: re.RegexFlag = re.IGNORECASE) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w/&'-])(?:{_any_of(phrases)})(?![\w/&'])(?!-\w)(?! situ\b)", flags)


def _laterality(phrases: Iterable[str]) -> re.Pattern[str]:
    upper = [phrase.upper() for phrase in _UPPER]
    other = [phrase for phrase in phrases if phrase not in _UPPER]
    pattern = rf"(?<![\w/&'-])(?:(?i:{_any_of(other)})|{_any_of(upper)})(?![\w/&'>-])"
    return re.compile(pattern)


def _abbreviations(short: Mapping[str, Any]) -> re.Pattern[str]:
    """Those that could be words, or are very short, count only as they are listed."""
    ordered = sorted(short, key=lambda key: (-len(key), key))
    patterns = [_any_of([key]) if _is_strict(key) else f"(?i:{_any_of([key])})" for key in ordered]
    return re.compile(rf"(?<![\w&'-])(?<!\d\s)(?:{'|'.join(patterns)})\.?(?![\w&'])(?!-[a-z])")


def _is_strict(key: str) -> bool:
    letters = sum(character.isalnum() for character in key)
    is_word = key_of_token(key) in common_words() or key.casefold() in _WORDS
    return key != key.casefold() and (is_word or letters <= _SHORT)


def _folded(key: str) -> str:
    return " ".join(key.casefold().rstrip(".").split())


def _levels(names: Iterable[str]) -> re.Pattern[str]:
    return re.compile(
        rf"\b(?:(?P<low>{_LOW})|(?P<high>{_HIGH}))\s+(?:serum\s+|plasma\s+|blood\s+)?"
        rf"(?P<analyte>{_any_of(names)})s?(?:\s+(?:levels?|counts?|concentration))?(?!\w)",
        re.IGNORECASE,
    )

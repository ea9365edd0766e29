"""SNOMED CT release files (RF2), the snapshot: what is active on the day of the release."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from holdfast.errors import InputError
from holdfast.files import StrPath
from holdfast.kb.readers.source import tab_rows
from holdfast.kb.records import Addition, Entry, Link, Record

US_ENGLISH: Final = "900000000000509007"
GB_ENGLISH: Final = "900000000000508004"

_FSN: Final = "900000000000003001"
_SYNONYM: Final = "900000000000013009"
_PREFERRED: Final = "900000000000548007"
_IS_A: Final = "116680003"
_CONCEPT_COLUMNS: Final = 5
_DESCRIPTION_COLUMNS: Final = 9
_RELATIONSHIP_COLUMNS: Final = 10
_LANGUAGE_COLUMNS: Final = 7
_TAG: Final = re.compile(r"^(?P<name>.*\S)\s+\((?P<tag>[^()]+)\)$")


@dataclass(frozen=True, slots=True)
class _Description:
    id: str
    concept: str
    kind: str  # the typeId: fully specified name, synonym or definition
    term: str


def read_snomed(
    folder: StrPath, *, language: str = "en", refset: str = US_ENGLISH
) -> Iterator[Record]:
    """Concepts as `SNOMEDCT:22298006`, from a release folder or its Snapshot folder.

    language  the languageCode of the descriptions to take
    refset    the language reference set that says which term is preferred; where the release
              has none, or it prefers no term, the fully specified name is the preferred name

    Only active rows. The tag of the fully specified name, as in "(disorder)", becomes the type
    and leaves the name. Relations of type 116680003 are is_a; the others are called by the
    name of their type, e.g. "finding_site", or its id if that has no name here. Several
    modules in one folder (an edition and its extension) are read together.
    """
    root = Path(folder)
    if not root.is_dir():
        raise InputError(f"{root}: not a folder; give the folder of a release")
    descriptions = _need(root, rf"sct2_Description_Snapshot.*-{re.escape(language)}.*")
    active = _active_concepts(_need(root, r"sct2_Concept_Snapshot.*"))
    full = {d.concept: d.term for d in _descriptions(descriptions, active, language, _FSN)}
    preferred = _preferred_terms(root, refset, descriptions, active, language)
    for concept, name in (full | preferred).items():
        yield _entry(concept, name, full.get(concept))
    yield from _synonyms(descriptions, active, language, known=full.keys() | preferred.keys())
    yield from _definitions(root, active, language)
    yield from _relations(_find(root, r"sct2_Relationship_Snapshot.*"), active, full)


def _find(root: Path, pattern: str) -> list[Path]:
    name = re.compile(rf"x?{pattern}\.txt(\.gz)?")
    return sorted(path for path in root.rglob("*sct2_*") if name.fullmatch(path.name))


def _need(root: Path, pattern: str) -> list[Path]:
    found = _find(root, pattern)
    if not found:
        wanted = pattern.replace("\\", "").replace(".*", "*")
        raise InputError(f"{root}: no {wanted}.txt in it; give the folder of an RF2 release")
    return found


def _rows(paths: list[Path], columns: int) -> Iterator[list[str]]:
    """The active rows, without headers."""
    for path in paths:
        for number, row in tab_rows(path, columns=columns):
            if number > 1 and row[2] == "1":
                yield row


def _active_concepts(paths: list[Path]) -> set[str]:
    return {row[0] for row in _rows(paths, _CONCEPT_COLUMNS)}


def _descriptions(
    paths: list[Path], active: set[str], language: str, kind: str | None = None
) -> Iterator[_Description]:
    for row in _rows(paths, _DESCRIPTION_COLUMNS):
        wanted = kind is None or row[6] == kind
        if wanted and row[4] in active and row[5] == language and row[7].strip():
            yield _Description(row[0], row[4], row[6], row[7].strip())


def _preferred_terms(
    root: Path, refset: str, paths: list[Path], active: set[str], language: str
) -> dict[str, str]:
    """The preferred synonym of each concept; empty if the release has no language refset."""
    name = re.compile(r"x?der2_cRefset_LanguageSnapshot.*\.txt(\.gz)?")
    refsets = sorted(p for p in root.rglob("*der2_cRefset_*") if name.fullmatch(p.name))
    chosen = {
        row[5]
        for row in _rows(refsets, _LANGUAGE_COLUMNS)
        if row[4] == refset and row[6] == _PREFERRED
    }
    if not chosen:
        return {}
    synonyms = _descriptions(paths, active, language, _SYNONYM)
    return {d.concept: d.term for d in synonyms if d.id in chosen}


def _entry(concept: str, name: str, full: str | None) -> Entry:
    match = _TAG.match(full or "")
    untagged = match["name"] if match else full or ""
    # A concept that no synonym is preferred for is named by its full name.
    chosen = untagged if name == full else name
    return Entry(
        id=f"SNOMEDCT:{concept}",
        name=chosen,
        synonyms=(untagged,) if untagged and untagged != chosen else (),
        types=(match["tag"],) if match else (),
    )


def _synonyms(
    paths: list[Path], active: set[str], language: str, *, known: set[str]
) -> Iterator[Record]:
    for d in _descriptions(paths, active, language, _SYNONYM):
        if d.concept in known:
            yield Addition(f"SNOMEDCT:{d.concept}", synonyms=(d.term,))
        else:
            yield Entry(f"SNOMEDCT:{d.concept}", d.term)


def _definitions(root: Path, active: set[str], language: str) -> Iterator[Addition]:
    paths = _find(root, rf"sct2_TextDefinition_Snapshot.*-{re.escape(language)}.*")
    for d in _descriptions(paths, active, language):
        yield Addition(f"SNOMEDCT:{d.concept}", definition=d.term)


def _relations(paths: list[Path], active: set[str], full: dict[str, str]) -> Iterator[Addition]:
    for row in _rows(paths, _RELATIONSHIP_COLUMNS):
        subject, object_ = row[4], row[5]
        if subject in active and object_ in active:
            link = Link(_predicate(row[7], full), f"SNOMEDCT:{object_}")
            yield Addition(f"SNOMEDCT:{subject}", links=(link,))


def _predicate(kind: str, full: dict[str, str]) -> str:
    if kind == _IS_A:
        return "is_a"
    if kind not in full:
        return f"SNOMEDCT:{kind}"
    match = _TAG.match(full[kind])
    name = match["name"] if match else full[kind]
    return re.sub(r"\W+", "_", name).strip("_").casefold()

"""AskAPatient and TwADR-L: how patients word what a vocabulary says otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from holdfast.corpora.named.lines import read_json
from holdfast.errors import FormatError
from holdfast.files import numbered_lines

_CUI: Final = re.compile(r"C\d{7}")


@dataclass(frozen=True, slots=True)
class SocialMention:
    """A patient's words, and the concept that an annotator chose for them."""

    concept_id: str  # a CURIE: UMLS in TwADR-L, SNOMEDCT (with its Australian part) in AskAPatient
    concept_name: str
    mention: str


def read_social(path: Path) -> Iterator[SocialMention]:
    """Each line `id TAB concept name TAB mention` of one fold's file, repetitions included.

    The files are Latin-1. Training files also hold each concept's own name as a mention.
    """
    for number, line in numbered_lines(path, encoding="latin-1"):
        fields = line.split("\t")
        if len(fields) != 3 or not all(field.strip() for field in fields):
            raise FormatError(
                f"id, concept name and mention are expected, not {line[:60]!r}",
                path=path,
                line=number,
            )
        concept_id, concept_name, mention = (field.strip() for field in fields)
        yield SocialMention(_curie(concept_id), concept_name, mention)


def read_social_ontology(path: Path) -> dict[str, tuple[str, ...]]:
    """CURIE -> names, in the file's order, of an `ontology.json`."""
    names = dict[str, tuple[str, ...]]()
    for concept_id, entries in read_json(path).items():
        try:
            names[_curie(concept_id)] = tuple(name for _, name in entries)
        except (TypeError, ValueError) as error:
            raise FormatError(
                f"{concept_id}: a list of [kind, name] is expected, not {entries!r}", path=path
            ) from error
    return names


def _curie(concept_id: str) -> str:
    return f"UMLS:{concept_id}" if _CUI.fullmatch(concept_id) else f"SNOMEDCT:{concept_id}"

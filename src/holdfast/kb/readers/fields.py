"""Small values inside rows: lists of names, and ids under one spelling of their prefix."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from holdfast.curies import known_prefix

_BIOPORTAL_IRI: Final = re.compile(r"https?://purl\.bioontology\.org/ontology/([^/#]+)/([^/#]+)$")
_SPACE: Final = re.compile(r"\s")
_LAST_PART: Final = re.compile(r"[^/#]+$")


def distinct(names: Iterable[str], *, but: str = "") -> tuple[str, ...]:
    """The names in order, stripped, each once, without empty ones and without `but`."""
    return tuple(name for name in dict.fromkeys(map(str.strip, names)) if name and name != but)


def split_list(text: str, separator: str) -> list[str]:
    """The stripped, non-empty parts of a field that holds a list."""
    return [part for part in map(str.strip, text.split(separator)) if part]


def canonical_curie(text: str) -> str:
    """The id with the one spelling of its prefix: "MSH:D000544" is "MESH:D000544".

    A doubled prefix loses its outer half ("HGNC:HGNC:5", "DO:DOID:1612"). An unknown prefix
    stays as it is. What is no CURIE (no colon, a space, a web address) is "".
    """
    prefix, _, local = text.partition(":")
    if not prefix or not local or local.startswith("//") or _SPACE.search(text):
        return ""
    inner, colon, _ = local.partition(":")
    if colon and known_prefix(inner) is not None:
        return canonical_curie(local)
    return f"{known_prefix(prefix) or prefix}:{local}"


def curie_of_iri(iri: str, *, prefix: str) -> str:
    """The CURIE of a web address, or "" for what is no web address.

    ".../ontology/RXNORM/706898" is RXNORM:706898, ".../obo/DOID_4" is DOID:4; an address that
    names no vocabulary gets the `prefix`.
    """
    last = _LAST_PART.search(iri)
    if not iri.startswith(("http://", "https://")) or last is None:
        return ""
    if bioportal := _BIOPORTAL_IRI.match(iri):
        return canonical_curie(f"{bioportal[1]}:{bioportal[2]}")
    vocabulary, underscore, local = last[0].partition("_")
    if underscore and local and vocabulary.isalpha():
        return canonical_curie(f"{vocabulary}:{local}")
    return f"{prefix}:{last[0]}"

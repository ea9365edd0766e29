"""Variants by how they are written: what the tagger misses of them, or takes for part of a gene.

"V600E" and "rs1801133" are spelled by a rule, so a rule finds them wherever they stand. A letter, a
number and a letter may also be a cell line ("T98G"): where the vocabulary lists it as something, it
is that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from holdfast.document import Mention, Span
from holdfast.types import GENE, VARIANT

_ACID: Final = "[ACDEFGHIKLMNPQRSTVWY]"
_ACIDS: Final = (
    "(?:Ala|Arg|Asn|Asp|Cys|Gln|Glu|Gly|His|Ile|Leu|Lys|Met|Phe|Pro|Ser|Thr|Trp|Tyr|Val)"
)
_WRITTEN: Final = re.compile(
    rf"""(?<![\w.>*-])(?:
           rs\d{{3,}}
         | (?:p\.)?{_ACIDS}\d{{1,4}}(?:{_ACIDS}|Ter|X|\*)
         | (?:p\.)?({_ACID})\d{{2,4}}(?!\1)(?:{_ACID}|X|\*)
         )(?![\w*>])""",
    re.VERBOSE,
)


def written_variants(text: str, names: Iterable[Mention]) -> list[Mention]:
    """Variants in the order of the text; none where exactly a name of the vocabulary stands."""
    listed = {(name.start, name.end) for name in names}
    spans = (Span(*match.span()) for match in _WRITTEN.finditer(text))
    return [Mention((span,), type=VARIANT) for span in spans if span not in listed]


def before_variants(
    mentions: Iterable[Mention], variants: Iterable[Mention], text: str
) -> Iterator[Mention]:
    """The mentions, but that a gene that goes on into a variant, "EGFR L858R", ends before it."""
    starts = {variant.end: variant.start for variant in variants}
    for mention in mentions:
        start = starts.get(mention.end, 0)
        gene = text[mention.start : start].rstrip(" -(:")
        if mention.type == GENE and gene:
            yield replace(mention, spans=(Span(mention.start, mention.start + len(gene)),))
        else:
            yield mention

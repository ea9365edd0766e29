"""Variants by how they are written: what the tagger misses of them, or takes for part of a gene.

"V600E" and "rs1801133" are spelled by a rule, so a rule finds them wherever they stand, and knows
where they begin and end. A letter, a number and a letter may also be a cell line ("T98G"): where
the vocabulary lists it as something, it is that.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from holdfast.document import Mention, Span
from holdfast.text.variants.reading import read_variants
from holdfast.text.variants.spans import find_variants
from holdfast.types import CELL_LINE, GENE, VARIANT

_GLUED: Final = re.compile(
    r"(?<![\w-])([A-Za-z][A-Za-z0-9]{1,11}?)"
    r"(([ACDEFGHIKLMNPQRSTVWY])\d{2,4}(?!\3)(?:[ACDEFGHIKLMNPQRSTVWYX]|\*))(?![\w*])"
)
_JOINTS: Final = " -(:/;"


def written_variants(
    text: str, names: Iterable[Mention], *, is_gene: Callable[[str], bool] | None = None
) -> list[Mention]:
    """Variants in the order of the text; none where exactly a name of the vocabulary stands.

    With `is_gene`, also those that a gene's name runs into: "BRAFV600E".
    """
    listed = {(name.start, name.end) for name in names}
    spans = [span for span in find_variants(text) if span not in listed]
    if is_gene is not None:
        for match in _GLUED.finditer(text):
            whole = match[0]  # "PTPN22A" may be a gene, or a kind of PTPN22
            is_one = match.span() in listed or is_gene(whole) or is_gene(whole[:-1])
            if not is_one and is_gene(match[1]):
                spans.append(Span(*match.span(2)))
    return [Mention((span,), type=VARIANT) for span in sorted(spans)]


def genes_run_into(text: str, variants: Iterable[Mention]) -> Iterator[Mention]:
    """The genes whose names end where a variant begins, without a space: "BRAF" of "BRAFV600E"."""
    starts = {variant.start for variant in variants}
    for match in _GLUED.finditer(text):
        if match.start(2) in starts:
            yield Mention((Span(*match.span(1)),), type=GENE)


def without_variants(names: Iterable[Mention], variants: Sequence[Mention]) -> list[Mention]:
    """The vocabulary's names but genes that have a variant inside: some list "EGFR T790M"."""
    starts = [variant.start for variant in variants]
    kept = list[Mention]()
    for name in names:
        place = bisect_left(starts, name.start)
        has_one = place < len(variants) and _holds(name, variants[place])
        if not (has_one and name.type == GENE):
            kept.append(name)
    return kept


def with_written(
    mentions: Iterable[Mention], variants: Sequence[Mention], text: str
) -> list[Mention]:
    """What a tagger found, with the variants that rules found; where both did, one of them.

    Of two variants the rule's counts, unless the tagger's is longer and reads as a variant too. A
    tagger's variant that cannot be read is none. A gene ends before its variant. What else overlaps
    a variant of a rule and does not lie inside it counts instead of it.
    """
    starts = [variant.start for variant in variants]
    ends = [variant.end for variant in variants]
    kept, beaten = list[Mention](), set[int]()
    for found in mentions:
        mention = _balanced(found, text) if found.type == VARIANT else found
        first = bisect_right(ends, mention.start)
        last = bisect_left(starts, mention.end)
        inside = variants[first:last]
        if mention.type == VARIANT:
            if not _is_one(mention, inside, text):
                continue
        elif inside and mention.type == GENE:
            kept += _cut(mention, inside, text)
            continue
        elif mention.type != CELL_LINE and any(_holds(v, mention) for v in inside):
            continue
        beaten.update(range(first, last))
        kept.append(mention)
    rest = (variant for place, variant in enumerate(variants) if place not in beaten)
    return sorted((*kept, *rest), key=lambda mention: mention.start)


def _is_one(mention: Mention, inside: Sequence[Mention], text: str) -> bool:
    """Whether a tagger's variant reads as one, and as more than what a rule finds inside."""
    if len(inside) > 1 or any(not _holds(mention, variant) for variant in inside):
        return False
    return bool(read_variants(text[mention.start : mention.end]))


def _balanced(mention: Mention, text: str) -> Mention:
    """Without an opened bracket at its end, and with the other bracket of one that is closed."""
    start, end = mention.start, mention.end
    end = start + len(text[start:end].rstrip(" ([,;")) or end
    words = text[start:end]
    if words.count("(") == words.count(")") + 1 and text.startswith(")", end):
        end += 1
    elif words.count(")") == words.count("(") + 1 and start > 0 and text[start - 1] == "(":
        start -= 1
    return replace(mention, spans=(Span(start, end),)) if end > start else mention


def _holds(outer: Mention, inner: Mention) -> bool:
    """Whether the one is longer and has the other inside."""
    return outer.start <= inner.start and inner.end <= outer.end and outer.spans != inner.spans


def _cut(gene: Mention, variants: Sequence[Mention], text: str) -> Iterator[Mention]:
    """What is left of a gene without its variants: what stands before them, or else behind."""
    first, last = variants[0].start, variants[-1].end
    before = text[gene.start : first].rstrip(_JOINTS) if first > gene.start else ""
    after = text[last : gene.end].lstrip(_JOINTS + ")") if last < gene.end else ""
    if before:
        yield replace(gene, spans=(Span(gene.start, gene.start + len(before)),))
    elif after:
        yield replace(gene, spans=(Span(gene.end - len(after), gene.end),))

"""Reads variants in words: "valine to glutamate at codon 600", "14-bp deletion".

The words are sorted into what they say (a residue, a base, a place, a size, a kind of change), and
what they say together is the variant. Words that say nothing of it are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from holdfast.text.residues import RESIDUES, THREE
from holdfast.text.variants.find import (
    ALLELE,
    BASES,
    DEL,
    DUP,
    FS,
    INDEL,
    INS,
    SUB,
    Variant,
    normalised,
)
from holdfast.text.variants.plain import plain

_BASE_NAMES: Final = {
    "adenine": "A",
    "adenosine": "A",
    "cytosine": "C",
    "cytidine": "C",
    "guanine": "G",
    "guanosine": "G",
    "thymine": "T",
    "thymidine": "T",
    "uracil": "T",
    "uridine": "T",
}
_COUNTED: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBERS: Final = {"single": "1"} | {word: str(n) for n, word in enumerate(_COUNTED, start=1)}
_UNITS: Final = {"k": "K", "m": "M"}
_PLACES: Final = r"codons?|amino[ -]acids?|residues?|positions?|nucleotides?|nt|bases?|bp|site|aa"
_KINDS: Final = (
    (
        INDEL,
        r"insertion[ ]?[/-][ ]?deletion|deletion[ ]?[/-][ ]?insertion|indel|ins/del|del/ins|delins",
    ),
    (DEL, r"delet\w*|del|lacking|loss"),
    (INS, r"insert\w*|ins"),
    (DUP, r"duplicat\w*|dup|repeats?|vntr"),
    (FS, r"frame[ -]?shift\w*|fs"),
)
_NUMBER: Final = r"[-+]?\d+"
_LONG: Final = "|".join(sorted(RESIDUES, key=len, reverse=True)).replace(" ", "[ ]")
_TOKEN: Final = re.compile(
    rf"""
      (?P<exon>\bexons?[ ](?P<first>\d+)(?:[ ]?(?:-|to|through|and)[ ]?(?P<last>\d+))?\b)
    | (?P<place>\b(?:{_PLACES})(?:[ ](?:position|residue|number|no\.?))*[ ]?
        (?P<at>(?:c\.)?{_NUMBER})(?:[-_](?P<to>\d+))?\b)
    | (?P<size>(?<![\w.+])(?P<amount>\d+(?:\.\d+)?|{"|".join(_NUMBERS)})[ -]?
        (?P<unit>k|m)?(?:bp|b\b|base[ -]?pairs?|bases?|nucleotides?|nt|amino[ -]acids?|residues?))
    | (?P<kind>\b(?:{"|".join(f"(?P<{kind}>{words})" for kind, words in _KINDS)})\b)
    | (?P<residue>\b(?:{_LONG})(?=[^a-z]|$)|\btermination[ ]codon\b)
    | (?P<base>\b(?:{"|".join(_BASE_NAMES)})s?\b)
    | (?P<turn>\b(?:for|instead[ ]of|rather[ ]than|replac(?:es|ing|ement[ ]of)|in[ ]place[ ]of)\b)
    | (?P<change>>|/|\b(?:to|by|with|into)\b)
    | (?P<number>(?<![\w.])[-+]?\d+\b)
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_LETTERS: Final = re.compile(r"(?<![\w*])(?:[ACGTU]{1,12}|[A-Z*])(?![\w*])", re.ASCII)
_GLOSS: Final = re.compile(
    rf"(?i:(?P<named>\b(?:{_LONG}|{'|'.join(_BASE_NAMES)})\b)) ?\([A-Za-z]{{1,3}}\)", re.ASCII
)
_ARTICLE: Final = re.compile(
    r"^An? (?!(?:to|for|by|allele|nucleotide|residue|insertion|deletion|duplication)\b|[>/-])"
)
_SEQUENCED: Final = re.compile(r"codon|amino|residue|aa")
# Bands of chromosomes and repeats inside repeats are more than the words here can say.
_BEYOND: Final = re.compile(r"\d*[pq]\d+(?:\.\d+)?(?:[pq)-]|$)|\([ACGT]+\)\d*\(?[ACGT]")
_LONGEST: Final = 200
_CODON: Final = 3  # "glutamate (GAA)" does not name GAA besides


@dataclass(slots=True)
class _Said:
    """What the words of one description say, in their order."""

    operands: list[str] = field(default_factory=list)  # residues and bases by their letters
    are_residues: bool = False  # some operand is written as a residue
    are_bases: bool = False
    kinds: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    place_words: str = ""
    numbers: list[str] = field(default_factory=list)
    size: str = ""
    exons: str = ""
    is_change: bool = False
    is_turned: bool = False  # "lysine for glutamate": the new one stands first


def read_words(text: str) -> tuple[Variant, ...]:
    """The readings of one variant in words, the likeliest first; none if the words do not tell."""
    body = plain(text)
    if len(body) > _LONGEST or _BEYOND.search(body):
        return ()
    body = _GLOSS.sub(r"\g<named>", _ARTICLE.sub("", body)).replace("(", " ").replace(")", " ")
    said = _Said()
    for group, token in _tokens(body):
        _note(said, group, token)
    return tuple(normalised(variant) for variant in _variants(said))


def _tokens(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """The words that say something, and between them letters that may be bases or residues."""
    end = 0
    for token in _TOKEN.finditer(text):
        for letters in _LETTERS.finditer(text, end, token.start()):
            yield "letters", letters
        end = token.end()
        yield next(name for name in _GROUPS if token[name]), token
    for letters in _LETTERS.finditer(text, end):
        yield "letters", letters


_GROUPS: Final = (
    "exon", "place", "size", "kind", "residue", "base", "turn", "change", "number"
)  # fmt: skip


def _note(said: _Said, group: str, token: re.Match[str]) -> None:
    word = token[0].casefold()
    if group == "exon":
        last = f"_{token['last']}" if token["last"] else ""
        said.exons = f"EX{token['first']}{last}"
    elif group == "place":
        said.places.append(token["at"].casefold().removeprefix("c."))
        said.places += [token["to"]] if token["to"] else []
        said.place_words += word
    elif group == "size":
        amount = _NUMBERS.get(token["amount"].casefold(), token["amount"])
        said.size = said.size or amount + _UNITS.get((token["unit"] or "").casefold(), "")
    elif group == "kind":
        said.kinds.append(next(kind for kind, _ in _KINDS if token[kind]))
    elif group == "residue":
        said.operands.append(RESIDUES.get(word, "X"))
        said.are_residues |= said.operands[-1] != "X"
    elif group == "base":
        said.operands.append(_BASE_NAMES[word.removesuffix("s")])
        said.are_bases = True
    elif group == "letters" and not (said.are_residues and len(token[0]) == _CODON):
        said.operands.append(token[0])
    elif group == "number":
        said.numbers.append(token[0])
    said.is_change |= group in ("change", "turn")
    said.is_turned |= group == "turn" and len(said.operands) == 1  # it stands between the two


def _variants(said: _Said) -> Iterator[Variant]:
    if said.exons:
        if DEL in said.kinds or DUP in said.kinds:
            yield Variant("c", DEL if DEL in said.kinds else DUP, said.exons)
        return
    kinds = [kind for kind in said.kinds if kind != FS]
    if kinds and not (said.is_change and len(said.operands) > 1 and kinds[0] != INDEL):
        yield from _changes(said, kinds[0])
    elif len(said.operands) >= 2 and said.is_change:
        yield from _substitutions(said)
    elif FS in said.kinds and said.are_residues and (place := _place(said)):
        yield Variant("p", FS, place, said.operands[0])
    elif len(said.operands) == 1 and (place := _place(said)) and len(said.operands[0]) == 1:
        level, place = _level(said, said.operands, place)
        if level:
            yield Variant(level, ALLELE, place, alt=said.operands[0])


def _substitutions(said: _Said) -> Iterator[Variant]:
    first, second = said.operands[:2]
    place = _place(said)
    level, place = _level(said, (first, second), place)
    if not level:
        return
    plainly = Variant(level, SUB, place, first, second)
    turned = Variant(level, SUB, place, second, first)
    yield from (turned, plainly) if said.is_turned else (plainly,)


def _changes(said: _Said, kind: str) -> Iterator[Variant]:
    """Deletions, insertions and the like, of what is named or of so many bases."""
    place = _place(said)
    of = "".join(said.operands) if not said.are_residues or place else ""
    if of and set(of) <= (set(THREE) if said.are_residues else BASES):
        level, place = _level(said, said.operands, place)
    elif said.size or (place and not said.operands and (said.places or place[0] in "-+")):
        of, level = said.size, "c"
    else:
        return
    if level and kind in (DEL, DUP):
        yield Variant(level, kind, place, of)
    elif level:
        yield Variant(level, kind, place, alt=of)


def _place(said: _Said) -> str:
    """The position; two that are named one after the other are a range."""
    places = list(dict.fromkeys(said.places)) or list(dict.fromkeys(said.numbers))
    if len(places) == 2 and places[0].isdecimal() and places[1].isdecimal():
        first, last = map(int, places)
        return f"{first}_{last}" if last > first else places[0]
    return places[0] if places else ""


def _level(said: _Said, operands: Sequence[str], place: str) -> tuple[str, str]:
    """Residues or bases, and the position; "" for neither. A base at a codon stands at CODON158."""
    letters = set("".join(operands))
    if said.are_residues:
        return "p", place
    at_codon = _SEQUENCED.search(said.place_words)
    if letters <= BASES and (said.are_bases or not at_codon or "codon" in said.place_words):
        return "c", f"CODON{place}" if at_codon and place else place
    is_protein = letters <= set(THREE) and bool(place) and all(len(o) == 1 for o in operands)
    return ("p" if is_protein else ""), place

"""Reads variants in notation: HGVS, and the shorter forms that people write instead.

    read_notation("p.(Val600Glu)")   V600E, Val600Glu, GLU6VAL, delF508, Ile262fsX12, E746_A750del
    read_notation("c.35delG")        677 C→T, -857C/T, T-786C, IVS2+1G>A, 1858T, (CAG)40

"C677T" may speak of bases or of residues, so that a text has *readings*: the likeliest first. The
document decides between them (`holdfast.link.variants.linker`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Final

from holdfast.text.residues import RESIDUES, THREE, one_letter
from holdfast.text.variants.find import (
    ALLELE,
    DEL,
    DUP,
    FS,
    INDEL,
    INS,
    INV,
    SUB,
    Variant,
    normalised,
)
from holdfast.text.variants.plain import plain

# What the patterns below are made of. Spaces are single by then, arrows are ">".
_LONG: Final = "|".join(sorted(RESIDUES, key=len, reverse=True))
_NAME: Final = rf"(?:(?i:{_LONG}))"
_CODE: Final = "[ACDEFGHIKLMNPQRSTUVWY]"
_ACID: Final = rf"(?:{_NAME}|{_CODE})"
_END: Final = rf"(?:{_NAME}|{_CODE}|[X*])"  # may be a stop
_SEVERAL: Final = rf"(?:(?:(?i:{'|'.join(THREE.values())}))+|{_CODE}+)"
_POINT: Final = r"(?:IVS ?\d+ ?[-+] ?\d+|[-+*]? ?\d+(?: ?[-+] ?\d+)?)"
_BASES: Final = r"[ACGTU]+"
_AMOUNT: Final = r"[ACGTUN]+(?: [ACGTU]+)*|\d+"
_KIND: Final = r"ins/del|del/ins|indel|del|ins|dup|inv"

_REFERENCE: Final = re.compile(r"[NX][CGMPRTW]_\d+(?:\.\d+)?(?:\([\w-]+\))?:", re.ASCII)
_LEVEL: Final = re.compile(r"([pcgmn])\. ?", re.IGNORECASE)


def read_notation(text: str) -> tuple[Variant, ...]:
    """The readings of one variant in notation, the likeliest first; none if it is no notation."""
    body = plain(text)
    if len(body) > _LONGEST:
        return ()
    body = _REFERENCE.sub("", body, count=1)
    prefix = _LEVEL.match(body)
    level = prefix[1].lower() if prefix else ""
    body = plain(body[prefix.end() :]) if prefix else body
    protein, bases = list[Variant](), list[Variant]()
    for pattern, make in _compiled(_PROTEIN) if level in ("", "p") else ():
        if found := pattern.fullmatch(body):
            protein.append(normalised(make(found)))
            break
    for pattern, make in _compiled(_DNA) if level != "p" else ():
        if found := pattern.fullmatch(body):
            variant = _with_range(make(found), is_hgvs=bool(level))
            bases.append(normalised(replace(variant, level=level or "c")))
            break
    if level or not (protein and bases):
        return (*protein, *bases)
    if not body[0].isalpha() and bases[0].kind == SUB:
        return tuple(bases)  # residues are not written "677C/T"
    is_dna = not body[0].isalpha() or int(re.sub(r"\D", "", bases[0].position)) > _LONG_PROTEIN
    return (*bases, *protein) if is_dna else (*protein, *bases)


_LONGEST: Final = 120  # characters of what may be notation
_LONG_PROTEIN: Final = 1_000  # residues; few have more
_DEEP: Final = 200  # bases into an intron; what is described lies seldom deeper


def _letters(text: str) -> str:
    """The codes of residues that are written one after the other."""
    if not text or (text.isupper() and len(text) < 3):
        return text
    triples = [text[i : i + 3].casefold() for i in range(0, len(text), 3)]
    if all(triple in RESIDUES for triple in triples) and not text.isupper():
        return "".join(RESIDUES[triple] for triple in triples)
    return text


def _with_range(variant: Variant, *, is_hgvs: bool) -> Variant:
    """The variant with "40-42" as a range, where it is none of HGVS's places in an intron."""
    found = _HYPHENED.fullmatch(variant.position)
    if found is None or variant.kind in (SUB, ALLELE):
        return variant
    first, last = found[1], found[2] if is_hgvs else _end(found[1], found[2])
    size = int(last) - int(first) + 1
    is_range = variant.kind == INS or len(variant.ref) == size or int(last) > _DEEP
    if size < 2 or (is_hgvs and not is_range):
        return variant
    return replace(variant, position=f"{first}_{last}")


_HYPHENED: Final = re.compile(r"(\d+)-(\d+)", re.ASCII)

_Match = re.Match[str]
_Make = Callable[[_Match], Variant]


def _position(text: str | None) -> str:
    return (text or "").replace(" ", "").upper()


_CHANGES: Final = {"del": DEL, "delta": DEL, "ins": INS, "dup": DUP, "inv": INV}


def _protein_sub(found: _Match) -> Variant:
    ref = one_letter(found["ref"])
    alt = ref if found["alt"] == "=" else one_letter(found["alt"])
    return Variant("p", SUB, _position(found["at"]), ref, alt)


def _frameshift(found: _Match) -> Variant:
    alt = one_letter(found["alt"]) if found["alt"] else ""
    return Variant("p", FS, found["at"], one_letter(found["ref"]), alt, found["count"] or "")


def _protein_change(found: _Match) -> Variant:
    """A deletion, insertion or duplication, of one residue or a range."""
    groups = found.groupdict()
    first, last = one_letter(found["first"]), groups.get("last")
    position = found["at"]
    if groups.get("to"):
        position = f"{position}_{_end(position, found['to'])}"
    kind = _CHANGES.get(found["kind"].casefold(), INDEL)
    inserted = _letters(groups.get("inserted") or "")
    if kind == DEL and inserted:
        kind = INDEL
    if kind in (DEL, DUP) and "_" not in position:
        return Variant("p", kind, position, first)
    is_known = bool(last) == ("_" in position)
    flanks = first + (one_letter(last) if last else "") if is_known else ""
    return Variant("p", kind, position, alt=inserted, flanks=flanks)


def _end(first: str, last: str) -> str:
    """The end of a range whose leading digits may be left out: "735-6" is 735_736."""
    short = len(first) - len(last)
    return first[:short] + last if short > 0 and first.isdecimal() and last.isdecimal() else last


def _protein_range(found: _Match) -> Variant:
    return Variant("p", DEL, f"{found['at']}_{_end(found['at'], found['to'])}")


def _listed(found: _Match) -> Variant:
    """Residues that are named one by one: "D487_S488_F489"."""
    numbers = re.findall(r"\d+", found["all"])
    letters = re.sub(r"[^A-Z]", "", found["all"])
    kind = _CHANGES[found["kind"].casefold()]
    in_turn = int(numbers[-1]) - int(numbers[0]) == len(numbers) - 1
    position = f"{numbers[0]}_{numbers[-1]}"
    return Variant("p", kind, position, letters if in_turn else "", flanks=letters[0] + letters[-1])


def _sequence(found: _Match) -> Variant:
    position = f"{found['at']}_{_end(found['at'], found['to'])}"
    return Variant("p", _CHANGES[found["kind"].casefold()], position, found["ref"])


def _protein_allele(found: _Match) -> Variant:
    return Variant("p", ALLELE, _position(found["at"]), alt=one_letter(found["alt"]))


def _dna_sub(found: _Match) -> Variant:
    position = _position(found["at"])
    if len(found["ref"]) > 1 and re.fullmatch(r"\d+-\d+", position):
        first, last = position.split("-")
        position = f"{first}_{_end(first, last)}"
    alt = found["alt"] or found["ref"]  # "=" leaves no other
    return Variant("", SUB, position, found["ref"], alt)


def _dna_change(found: _Match) -> Variant:
    """A deletion, insertion, duplication or inversion."""
    groups = found.groupdict()
    position = _position(found["at"])
    if groups.get("to"):
        position = f"{position}_{_end(position, _position(found['to']))}"
    amount = (groups.get("amount") or "").replace(" ", "").removesuffix("N")
    kind = _CHANGES.get(found["kind"].casefold(), INDEL)
    inserted = groups.get("inserted")
    if kind == DEL and inserted:
        return Variant("", INDEL, position, alt=inserted.replace(" ", ""))
    if kind in (INS, INDEL):
        return Variant("", kind, position, alt=amount)
    return Variant("", kind, position, amount)


def _dna_allele(found: _Match) -> Variant:
    bases = found["alt"]
    position = _position(found["at"])
    if len(set(bases)) == 2:  # a heterozygote: "7488TC"
        return Variant("", SUB, position, bases[0], bases[1])
    return Variant("", ALLELE, position, alt=bases[0])


def _sized(found: _Match) -> Variant:
    kind = _CHANGES[found["kind"].casefold()]
    return Variant("", kind, "", *(("", found["amount"]) if kind == INS else (found["amount"],)))


def _repeat(found: _Match) -> Variant:
    copies = found["count"]
    return Variant("", DUP, ref=found["ref"], count=copies if copies.isdecimal() else "")


@lru_cache(maxsize=8)
def _compiled(written: tuple[tuple[str, _Make], ...]) -> tuple[tuple[re.Pattern[str], _Make], ...]:
    """The ways to write a variant, compiled when the first variant is read."""
    return tuple((re.compile(pattern, re.ASCII), make) for pattern, make in written)


_DELETED: Final = r"(?P<kind>(?i:delta|del))[ -]?"
_PROTEIN: Final[tuple[tuple[str, _Make], ...]] = (
    (
        rf"(?P<ref>{_NAME})[ -]?\(?(?P<at>\d+)\)?(?:[ -]?|>|[ -]to[ -])(?P<alt>{_NAME}|[X*=])",
        _protein_sub,
    ),
    (rf"(?P<ref>{_CODE}) ?\(?(?P<at>\d+)\)? ?>?(?P<alt>{_CODE}|[X*=]|(?i:ter|stop))", _protein_sub),
    (rf"(?P<ref>{_ACID}) ?(?P<at>\d+)[-/>](?P<alt>{_END}) ?(?P=at)", _protein_sub),
    (rf"(?P<at>-?\d+) ?(?P<ref>{_ACID})(?:[/>]| to )(?P<alt>{_END})", _protein_sub),
    (
        rf"(?P<ref>{_ACID}) ?(?P<at>\d+) ?(?P<alt>{_ACID})?[ -]?(?:fs|FS|(?i:frame ?shift))"
        rf"[ -]?(?:\*|X|(?i:ter|stop))? ?(?P<count>\d+)?",
        _frameshift,
    ),
    (
        rf"(?P<first>{_ACID}) ?(?P<at>\d+)(?: ?[-_] ?(?:(?P<last>{_ACID}) ?)?(?P<to>\d+))?[ -]?"
        rf"(?P<kind>(?i:delins|del|dup|ins)|>)(?:(?:(?<=del){_SEVERAL})?(?:(?<=del)ins)?"
        rf"(?P<inserted>{_SEVERAL}))?",
        _protein_change,
    ),
    (
        rf"{_DELETED}(?P<first>{_ACID}) ?(?P<at>\d+)"
        rf"(?: ?[-_] ?(?P<last>{_ACID}) ?(?P<to>\d+))?",
        _protein_change,
    ),
    (r"(?i:delta|del) ?(?P<at>\d+) ?[-_] ?(?P<to>\d+)", _protein_range),
    (
        rf"(?P<all>{_CODE}\d+(?:[-_/]{_CODE}\d+)+) ?(?P<kind>(?i:del|dup))(?:etion|lication)?",
        _listed,
    ),
    (
        rf"(?P<ref>{_CODE}{{2,}}) ?(?P<at>\d+) ?- ?(?P<to>\d+) ?"
        r"(?P<kind>(?i:del|dup))(?:etion|lication)?",
        _sequence,
    ),
    (rf"(?P<alt>{_ACID})[ -]?(?P<at>\d+)", _protein_allele),
    (rf"(?P<at>\d+)[ -]?(?P<alt>{_ACID})(?:(?P=alt))?", _protein_allele),
)
_DNA: Final[tuple[tuple[str, _Make], ...]] = (
    (rf"(?P<at>{_POINT}) ?(?P<ref>{_BASES}) ?[>] ?(?P<alt>{_BASES})", _dna_sub),
    (rf"(?P<at>{_POINT}) ?(?P<ref>[ACGTU])(?:/(?P<alt>[ACGTU])|=)", _dna_sub),
    (rf"(?P<ref>[ACGTU]) ?\(?(?P<at>{_POINT})\)? ?>? ?(?P<alt>[ACGTU])", _dna_sub),
    (rf"(?P<ref>[ACGTU])[>/](?P<alt>[ACGTU])[ ,]*(?P<at>{_POINT})", _dna_sub),
    (
        rf"(?P<at>{_POINT})(?: ?_ ?(?P<to>{_POINT}))? ?-?(?P<kind>(?i:{_KIND})) ?-?"
        rf"(?P<amount>{_AMOUNT})?(?: ?(?:bp|nt))?(?:(?<![iI])[iI]ns(?P<inserted>{_BASES}))?",
        _dna_change,
    ),
    (rf"(?P<at>{_POINT}) (?P<amount>\d+)[ -]?(?:N|bp) ?(?P<kind>(?i:{_KIND}))", _dna_change),
    (rf"(?P<kind>(?i:del|ins|dup)) ?(?P<at>{_POINT}) ?(?P<amount>{_BASES})", _dna_change),
    (rf"(?P<kind>(?i:del|ins|dup)) ?(?P<amount>{_BASES}) ?(?P<at>{_POINT})", _dna_change),
    (r"(?P<kind>(?i:del|dup|ins)) ?(?P<amount>\d+) ?(?:bp|nt)", _sized),
    (r"(?P<kind>(?i:delta))[ -]?(?P<amount>\d+)", _sized),
    (r"(?P<at>[-+*]? ?\d+(?:[-+]\d+)?|IVS ?\d+ ?[-+] ?\d+)[ -]?(?P<alt>[ACGTU]{1,2})", _dna_allele),
    (r"(?P<alt>[ACGTU]) ?(?P<at>-?\d+)", _dna_allele),
    (r"\((?P<ref>[ACGTU]{1,12})\) ?_?\(?(?P<count>\d+|n)\)?", _repeat),
)

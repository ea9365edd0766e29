"""The residues of proteins by their names, in three letters and in one."""

from __future__ import annotations

from typing import Final

THREE: Final = {
    "A": "Ala",
    "R": "Arg",
    "N": "Asn",
    "D": "Asp",
    "C": "Cys",
    "Q": "Gln",
    "E": "Glu",
    "G": "Gly",
    "H": "His",
    "I": "Ile",
    "L": "Leu",
    "K": "Lys",
    "M": "Met",
    "F": "Phe",
    "P": "Pro",
    "S": "Ser",
    "T": "Thr",
    "W": "Trp",
    "Y": "Tyr",
    "V": "Val",
    "U": "Sec",
    "X": "Ter",
}
"""Amino acids by one letter; X is a stop."""

_NAMES: Final = {
    "alanine": "A",
    "arginine": "R",
    "asparagine": "N",
    "aspartic acid": "D",
    "aspartate": "D",
    "cysteine": "C",
    "glutamine": "Q",
    "glutamic acid": "E",
    "glutamate": "E",
    "glycine": "G",
    "histidine": "H",
    "isoleucine": "I",
    "leucine": "L",
    "lysine": "K",
    "methionine": "M",
    "phenylalanine": "F",
    "proline": "P",
    "serine": "S",
    "threonine": "T",
    "tryptophan": "W",
    "tyrosine": "Y",
    "valine": "V",
    "selenocysteine": "U",
    "stop": "X",
}
RESIDUES: Final = _NAMES | {three.casefold(): one for one, three in THREE.items()}
"""Amino acids, in lower case, by their names and three letters; a stop is X."""


def one_letter(name: str) -> str:
    """The code of a residue in any spelling; X for a stop."""
    return RESIDUES.get(name.casefold(), name.upper().replace("*", "X"))

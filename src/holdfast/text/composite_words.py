"""What the look of a word says about its place in a composite mention.

Suffixes and short lists, not a vocabulary: they are right often enough to tell "breast" (which
lacks its "cancer") from "fever" (which lacks nothing).
"""

from __future__ import annotations

import re
from typing import Final

PREPOSITIONS: Final = frozenset({"of", "in", "on", "to", "from", "with", "for", "at", "by"})
ARTICLES: Final = frozenset({"the", "a", "an"})

SINGULAR_LABELS: Final = {
    "types": "type",
    "stages": "stage",
    "grades": "grade",
    "classes": "class",
    "groups": "group",
    "factors": "factor",
    "vitamins": "vitamin",
}
LABELS: Final = frozenset((*SINGULAR_LABELS, *SINGULAR_LABELS.values()))
"""Words that a designator follows: "type" of "type II"."""

DESIGNATOR: Final = re.compile(
    r"\d{1,3}[A-Za-z]?|[IVX]{1,4}[ABab]?|[A-Z](?:\d{1,2}[A-Za-z]?)?|[α-ω]"
    r"|alpha|beta|gamma|delta|epsilon"
)

BOUND_TO_THE_LEFT: Final = frozenset(
    {"artery", "cell", "cord", "duct", "gland", "marrow", "nerve", "node", "system", "tissue"}
)
"""Nouns that end a modifier: "squamous cell" of "squamous cell neoplasms"."""

COMBINING: Final = re.compile(
    r"(?:hyper|hypo|intra|extra|inter|pre|post|peri|macro|micro|poly|mono|multi|uni|bi|tri|tachy"
    r"|brady|oligo|endo|exo|epi|sub|supra|infra|hemi|para|quadri|tetra|dys|normo|neuro|cardio"
    r"|nephro|hepato|oto|myelo|osteo|thrombo|leuko|lympho|granulo|gastro|entero|broncho|homo"
    r"|hetero|anti|non)",
    re.IGNORECASE,
)

_GENERIC: Final = re.compile(
    r"disease|disorder|syndrome|failure|deficienc[ey]|deficit|defect|dysfunction|impairment"
    r"|insufficiency|injury|lesion|toxicity|abnormality|anomaly|malformation|infection|loss"
    r"|obstruction|infarct(?:ion)?|ha?emorrhage|bleeding|occlusion|fibrillation|ulcer|abscess"
    r"|fracture|complication|symptom|dilat(?:at)?ion|depression|effusion|disturbance|degeneration"
    r"|swelling|abuse|dependence|poisoning|overdose|malignancy|attack|arrest|block|spasm|palsy"
    r"|reaction|intoxication|damage|death|malabsorption",
    re.IGNORECASE,
)
_NEOPLASM: Final = re.compile(
    r"\w*(?:cancer|tumou?r|neoplasm|oma|leuka?emia|plasia|polyp|cyst)|metastas[ie]s", re.IGNORECASE
)
_STANDS_ALONE: Final = re.compile(
    r"fever|pain|headache|nausea|vomiting|cough|rash|fatigue|dizziness|seizure|stroke|asthma|ataxia"
    r"|diabetes|obesity|anxiety|insomnia|edema|oedema|constipation|pneumonia|delirium|dementia"
    r"|sepsis|shock|syncope|jaundice|gout|pruritus"
    r"|\w*(itis|[ae]mia|os[ie]s|iasis|pathy|algia|plegia|paresis|pno?ea|uria|penia|trophy|rrho?ea"
    r"|tension|thermia|cardia|kinesia|phasia|phagia|phobia|lepsy|ectas[ie]s|megaly|ism)",
    re.IGNORECASE,
)
_CHEMICAL: Final = re.compile(r"acid|zinc|iron|\w{4,}(?:ine|in|ol|one|ide|ate|am|vir|mab|nib|ium)")
_ADJECTIVE: Final = re.compile(
    r"[\w-]{2,}(?:al|ar|ic|ous|ary|ory|ive|ian|ean|ed|oid|able|ile|ent|ant)", re.IGNORECASE
)


def kind_of(word: str) -> str:
    """What kind of finding a word names by itself; empty if it names none.

    "generic" wants a modifier ("failure"), "neoplasm" may have one; the others are a suffix such
    as "itis" or the word itself. What follows the word in brackets is not looked at.
    """
    bare = word.partition(" ")[0].rstrip(",")
    for form in (bare, _singular(bare)):
        if _NEOPLASM.fullmatch(form):
            return "neoplasm"
        if match := _STANDS_ALONE.fullmatch(form):
            return (match[1] or form).lower()
        if _GENERIC.fullmatch(form):
            return "generic"
    return ""


def stands_beside(word: str, head: str) -> bool:
    """Whether `word` takes none of the words before `head`: "fever" after "breast cancer"."""
    if word.isupper() or is_chemical(head) or is_chemical(word):
        return True
    return kind_of(word) not in ("", "generic", kind_of(head))


def is_chemical(word: str) -> bool:
    return bool(_CHEMICAL.fullmatch(_singular(word.lower()))) and not kind_of(word)


def is_adjective(word: str) -> bool:
    return bool(_ADJECTIVE.fullmatch(word.partition(" ")[0]))


def is_designator(word: str) -> bool:
    return DESIGNATOR.fullmatch(word) is not None


def cut_at_slashes(word: str) -> list[str]:
    """The parts between slashes; a slash inside brackets separates nothing."""
    sides, depth = [""], 0
    for character in word:
        depth += (character in "([") - (character in ")]")
        if character == "/" and not depth:
            sides.append("")
        else:
            sides[-1] += character
    return sides


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "is", "us")) else word

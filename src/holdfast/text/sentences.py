"""Sentences of biomedical prose, by rules.

A text is first cut into blocks at blank lines and at line ends that are not mere wrapping. Inside
a block, every run of ".", "?" or "!" that a space follows is a possible end, and the words on its
two sides decide. A possible end inside a short bracket is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from holdfast.document import Span
from holdfast.text.lines import blocks, trimmed

# fmt: off
_NEVER_LAST: Final = frozenset({
    "appr", "approx", "ca", "cf", "chap", "dr", "drs", "e.g", "eg", "eq", "eqn", "eqs", "fig",
    "figs", "i.e", "ie", "incl", "mr", "mrs", "mt", "ph.d", "prof", "ref", "refs", "resp", "st",
    "subsp", "suppl", "viz", "vs",
})
_NEVER_BEFORE_NUMBERS: Final = frozenset({
    "apr", "art", "aug", "ch", "dec", "ed", "exp", "feb", "jan", "jul", "jun", "mar", "no", "nos",
    "nov", "nr", "oct", "p", "pp", "sec", "sect", "sep", "sept", "tab", "vol", "vols",
})
# These may close a sentence, but only if what follows surely opens one.
_SELDOM_LAST: Final = frozenset({
    "al", "co", "corp", "dept", "etc", "gen", "inc", "jr", "ltd", "ph.d", "sp", "spp", "sr", "ssp",
    "univ", "var",
})
_OPENERS: Final = frozenset({
    "a", "additionally", "after", "all", "although", "among", "an", "and", "as", "at",
    "background", "because", "both", "but", "by", "conclusion", "conclusions", "during", "each",
    "finally", "for", "from", "furthermore", "he", "hence", "here", "how", "however", "if", "in",
    "it", "its", "many", "methods", "moreover", "no", "objective", "objectives", "of", "on",
    "only", "our", "overall", "patients", "recently", "results", "several", "she", "since",
    "some", "such", "that", "the", "their", "therefore", "there", "these", "they", "this",
    "those", "three", "thus", "to", "two", "under", "using", "we", "what", "when", "whereas",
    "whether", "while", "with",
})
# What a single letter may label: "vitamin C. Rats …" ends a sentence, "J. Smith" does not.
_LABELLED: Final = frozenset({
    "antigen", "class", "degrees", "factor", "grade", "group", "groups", "haemoglobin",
    "haemophilia", "hemoglobin", "hemophilia", "hepatitis", "influenza", "phase", "protein",
    "stage", "type", "types", "vitamin", "vitamins",
})
# Words of that length that a genus or a first name may follow instead.
_UNLABELLED: Final = frozenset({"against", "between", "including", "strain", "strains"})
# fmt: on

_HEADINGS: Final = (
    "AIMS?|BACKGROUND|CASE|CONCLUSIONS?|CONTEXT|DESIGN|DISCUSSION|FINDINGS|INTERPRETATION|"
    "INTERVENTIONS?|INTRODUCTION|LIMITATIONS|MAIN|MATERIALS?|MEASUREMENTS|METHODS?|OBJECTIVES?|"
    "PARTICIPANTS|PATIENTS|PURPOSE|RATIONALE|RESULTS?|SETTING|SIGNIFICANCE|SUBJECTS|SUMMARY"
)
_POSSIBLE_END: Final = re.compile(
    rf"""(?P<mark>(?<![.?!…])[.?!…]++)
         (?P<note>(?<=[a-z)]\.)\d{{1,3}}(?:[,–-]\d{{1,3}}){{0,9}}(?=\s+[A-Z]))?
         [\"'”’»)\]]*+
         (?=\s|(?P<tight>[A-Z][a-z]*\s))
       | (?P<wide>[。！？]++)
       | (?<=\s)(?P<heading>(?:(?:[A-Z]{{4,12}}|AND|OF)[ ,/&]){{0,3}}
                             (?:{_HEADINGS})(?:[ ,/&]{{1,3}}[A-Z]+){{0,5}}:\s)""",
    re.VERBOSE,
)
_BRACKET: Final = re.compile(r"[()\[\]]")
_NOT_SPACE: Final = re.compile(r"\S")
_WORD: Final = re.compile(r"[^\s]{1,40}")
_DOTTED: Final = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_ENUMERATOR: Final = re.compile(r"\d{1,2}|[IVX]{1,4}|[A-Za-z]")
_GREEK_NAME: Final = re.compile(r"(?:alpha|beta|gamma|delta|kappa|omega)(?![a-z])")
_CHIRAL: Final = re.compile(r"[+±/-]+\)-")
_PER_UNIT: Final = re.compile(r"(?:kg|g|mg|l|ml|cm|m|mm|s|sec|min|h|hr|d|day)\(?-?[123]\b")

_OPENING: Final = "([{\"'“‘«"
_MAX_BRACKET: Final = 300  # longer ones are taken for unbalanced
_LOOK_BACK: Final = 60


def split_sentences(text: str) -> list[Span]:
    """Sentences in order, without the spaces around them.

    They do not overlap and together hold every character that is not white space. A blank line
    ends a sentence; a single line end does unless the line was wrapped. A heading such as
    "METHODS:" belongs to the sentence that it opens. Time is linear in the length of the text.
    """
    sentences = []
    for start, end in blocks(text):
        at = start
        for boundary in _boundaries(text, start, end):
            sentences.append(trimmed(text, at, boundary))
            at = boundary
        sentences.append(trimmed(text, at, end))
    return [sentence for sentence in sentences if sentence.start < sentence.end]


def _boundaries(text: str, start: int, end: int) -> Iterator[int]:
    """Where sentences end inside a block; not the block's own end."""
    brackets = iter(_outer_brackets(text, start, end))
    bracket = next(brackets, None)
    sentence = start
    for match in _POSSIBLE_END.finditer(text, start, end):
        while bracket is not None and bracket.end <= match.start():
            bracket = next(brackets, None)
        if bracket is not None and bracket.start < match.start() and match.end() <= bracket.end:
            continue
        if match["heading"] is not None:
            boundary = match.start()
        elif match["wide"] is not None or _is_end(text, match, sentence, end):
            boundary = match.end()
        else:
            continue
        if sentence < boundary:
            yield boundary
            following = _NOT_SPACE.search(text, boundary, end)
            sentence = following.start() if following else end


def _outer_brackets(text: str, start: int, end: int) -> list[Span]:
    """Balanced brackets of moderate length that no other such bracket holds, in order."""
    stack: list[int] = []
    result: list[Span] = []
    for match in _BRACKET.finditer(text, start, end):
        at = match.start()
        if match[0] in "([":
            stack.append(at)
        elif stack:
            opened = stack.pop()
            if at - opened <= _MAX_BRACKET:
                while result and result[-1].start > opened:
                    result.pop()
                result.append(Span(opened, at))
    return result


def _is_end(text: str, match: re.Match[str], sentence: int, end: int) -> bool:
    """Whether the mark ends the sentence that starts at `sentence`."""
    found = _NOT_SPACE.search(text, match.end(), end)
    if found is None:
        return False
    words = _WORD.match(text, found.start(), end)
    following = words[0].lstrip(_OPENING) if words else ""
    if not _may_open(following):
        return False
    before = text[max(sentence, match.start() - _LOOK_BACK) : match.start()].split()
    word = before[-1].lstrip(_OPENING) if before else ""
    is_opener = following.rstrip(",:").lower() in _OPENERS and following[:1].isupper()
    if match["tight"] is not None:
        return is_opener and len(word) > 2 and word.isalpha() and word[1:].islower()
    if match["mark"] != "." or match["note"] is not None:
        return True
    if _ENUMERATOR.fullmatch(word) and match.start() - len(word) == sentence:
        return False
    if len(word) == 1 and word.isalpha():
        is_initial = len(following) == 2 and following[1] == "."
        return is_opener or (not is_initial and _is_label(before))
    if _DOTTED.fullmatch(word) and text[found.start()] in "([":
        return False  # "i.v. (Fig. 2)"
    return _may_close(word, following, is_opener=is_opener)


def _may_open(word: str) -> bool:
    """Whether a sentence may start with the word: "The", "12", "p53", "mTOR", "β-catenin"."""
    if not word:
        return False
    if word[0].islower():
        core = word.rstrip(".,;:!?)]")
        is_plain = core.isascii() and core.replace("-", "").isalpha() and core.islower()
        return bool(_GREEK_NAME.match(word)) or not (is_plain or _PER_UNIT.match(word))
    return word[0].isalnum() or word[0] in "•–" or bool(_CHIRAL.match(word))


def _is_label(words: list[str]) -> bool:
    """Whether the last word, a letter, labels what is before it: "vitamin C", "A or B", "5 g"."""
    word = words[-2] if len(words) > 1 else ""
    if word in {"and", "or"}:
        return len(words) > 2 and len(words[-3]) == 1
    if word in _LABELLED or word[-1:].isdigit():
        return True
    return len(word) > 5 and word.isalpha() and word.islower() and word not in _UNLABELLED


def _may_close(word: str, following: str, *, is_opener: bool) -> bool:
    """Whether a sentence may end with the word, which a single period follows."""
    # "CO" and "MR" are not the abbreviations "Co." and "Mr.", but "FIG" is "Fig.".
    lower = word if len(word) == 2 and word.isupper() else word.lower()
    if lower in _NEVER_LAST:
        return False
    if lower in _SELDOM_LAST:
        return is_opener
    if lower in _NEVER_BEFORE_NUMBERS:
        return not following[0].isdigit()
    if _DOTTED.fullmatch(word):
        return is_opener or (word.islower() and following[0].isupper() and not following.isupper())
    return True

"""The files of the `lenient` protocol: mentions and names that are already normalised.

Names are lower-cased, punctuation is a space, abbreviations are written out. Ids stay bare (no
prefix, `OMIM:` stripped), because the protocol compares them so. Both `|` and `+` join ids.

`dev_dictionary.txt` already holds the training mentions and `test_dictionary.txt` those of train
and dev; a composite stands there as one name, its parts joined by a space. Nothing is to be
added to them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from holdfast.corpora.named.lines import read_json
from holdfast.errors import FormatError, InvalidValueError, UsageError
from holdfast.files import numbered_lines

_ID_SEPARATOR: Final = re.compile(r"[|+]")
_HEADER: Final = ["doc", "spans", "type", "mention", "ids"]


@dataclass(frozen=True, slots=True)
class LenientMention:
    """A gold mention. The order of `parts` says nothing of the ids."""

    document_id: str  # "" where the file does not say
    parts: tuple[str, ...]  # one, unless the mention is a composite
    ids: frozenset[str]  # bare

    def __post_init__(self) -> None:
        if not self.parts or not all(self.parts):
            raise InvalidValueError(f"a mention or a part of it is empty: {self.parts}")
        if not self.ids or "" in self.ids:
            raise InvalidValueError(f"mention {self.parts}: no id, or an empty one")


@dataclass(frozen=True, slots=True)
class LenientName:
    """A line of the dictionary: one name of the concept, or concepts, with these ids."""

    name: str
    ids: frozenset[str]  # bare

    def __post_init__(self) -> None:
        if not self.name or not self.ids or "" in self.ids:
            raise InvalidValueError(f"a dictionary line needs a name and ids: {self.name!r}")


def read_lenient_mentions(path: Path) -> Iterator[LenientMention]:
    """The mentions of a `*.concept.tsv`, in order, every occurrence."""
    for number, line in numbered_lines(path):
        fields = line.split("\t")
        if number == 1:
            if fields != _HEADER:
                raise FormatError(
                    f"the header must be {' '.join(_HEADER)}, not {line!r}", path=path, line=1
                )
            continue
        if len(fields) != len(_HEADER):
            raise FormatError(
                f"{len(fields)} columns instead of {len(_HEADER)}", path=path, line=number
            )
        try:
            yield _mention(fields[0], fields[3], fields[4])
        except InvalidValueError as error:
            raise FormatError(str(error), path=path, line=number) from error


def read_lenient_dictionary(path: Path) -> Iterator[LenientName]:
    """The lines `id||name` of a `*_dictionary.txt`; `A|B||name` belongs to both ids."""
    for number, line in numbered_lines(path):
        ids, separator, name = line.partition("||")
        try:
            if not separator:
                raise InvalidValueError(f"no '||' between id and name in {line!r}")
            yield LenientName(name, _ids(ids))
        except InvalidValueError as error:
            raise FormatError(str(error), path=path, line=number) from error


def read_lenient_pairs(path: Path, split: str) -> Iterator[LenientMention]:
    """The chemical (mention, id) pairs of one split of `biosyn_chemical_pairs.json`.

    `train` and `traindev` hold each pair once; `dev` and `test` hold every occurrence. There are
    no document ids.
    """
    splits = read_json(path)
    if split not in splits:
        raise UsageError(f"{path}: no split {split!r}; there is {', '.join(sorted(splits))}")
    for index, pair in enumerate(splits[split]):
        try:
            mention, ids = pair
            yield _mention("", mention, ids)
        except (InvalidValueError, TypeError, ValueError, AttributeError) as error:
            raise FormatError(f"{split} pair {index}, {pair!r}: {error}", path=path) from error


def _mention(document_id: str, mention: str, ids: str) -> LenientMention:
    return LenientMention(
        document_id, tuple(part.strip() for part in mention.split("|")), _ids(ids)
    )


def _ids(joined: str) -> frozenset[str]:
    return frozenset(bare.strip() for bare in _ID_SEPARATOR.split(joined))

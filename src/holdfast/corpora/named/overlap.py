"""Which documents two collections share, whatever ids and layout they have.

The same abstract is a PubTator record in one corpus, sixteen sentences without an id in a second
and a file named after its PMID in a third. So documents are compared by PMID where both have
one, and by text in any case: letters and digits alone, case aside, in windows of 32 of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from holdfast.document import Document

Reason = Literal["id", "text"]

WINDOW: Final = 32
"""Letters and digits per window: about six words, too many to agree by chance."""

SHARED_FRACTION: Final = 0.5
"""A text is shared if at least this part of its windows is found.

A copy that was cut into sentences keeps about three quarters of its windows, since those that
cross a sentence's end are gone; texts that merely speak of one topic keep a few in a hundred.
"""

SHORTEST: Final = 16
"""Texts with fewer letters and digits, such as "Methods", are nobody's in particular."""

_PMID: Final = re.compile(r"(?:PMID[-_: ]?)?([1-9]\d{3,7})", re.IGNORECASE)
_MULTIPLIER: Final = 0x9E3779B97F4A7C15
_NOT_ALPHANUMERIC: Final = re.compile(r"[\W_]+")

_Hashes = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """By what a document is recognised."""

    pmid: str | None
    key: str
    windows: _Hashes

    @classmethod
    def of(cls, document: Document) -> Fingerprint:
        key = text_key(document.text)
        return cls(pmid_of(document), key, window_hashes(key))


@dataclass(frozen=True, slots=True)
class SharedText:
    """What is remembered of a collection, to find its documents again in another."""

    pmids: frozenset[str]
    windows: _Hashes  # sorted, distinct
    keys: str  # one on a line

    def reason(self, fingerprint: Fingerprint) -> Reason | None:
        """Why the document counts as shared with the collection; None if it does not.

        A text of at least one window is shared by its windows. A shorter one, down to SHORTEST,
        must be there as a whole.
        """
        if fingerprint.pmid is not None and fingerprint.pmid in self.pmids:
            return "id"
        if fingerprint.windows.size:
            return "text" if self._found(fingerprint.windows) >= SHARED_FRACTION else None
        is_there = len(fingerprint.key) >= SHORTEST and fingerprint.key in self.keys
        return "text" if is_there else None

    def _found(self, hashes: _Hashes) -> float:
        if not self.windows.size:
            return 0.0
        places = np.searchsorted(self.windows, hashes)
        places[places == self.windows.size] = 0
        return float(np.mean(self.windows[places] == hashes))


def build_shared_text(documents: Iterable[Document]) -> SharedText:
    """Reads the collection once; about ten bytes per letter of it remain."""
    pmids = set[str]()
    keys = list[str]()
    windows = [np.empty(0, dtype=np.uint64)]
    for fingerprint in map(Fingerprint.of, documents):
        if fingerprint.pmid is not None:
            pmids.add(fingerprint.pmid)
        keys.append(fingerprint.key)
        windows.append(fingerprint.windows)
    return SharedText(frozenset(pmids), np.unique(np.concatenate(windows)), "\n".join(keys))


def pmid_of(document: Document) -> str | None:
    """The PMID, from the metadata key `pmid` or from an id such as "10473104" or "PMID-10473104".

    Ids of fewer than four digits are taken for plain numbering.
    """
    for key, value in document.metadata:
        if key == "pmid":
            return value
    match = _PMID.fullmatch(document.id)
    return match.group(1) if match else None


def text_key(text: str) -> str:
    """The text's letters and digits, case-folded: "IL-2 (α)" and "il2α" have one key."""
    return _NOT_ALPHANUMERIC.sub("", text.casefold())


def window_hashes(key: str) -> _Hashes:
    """A 64-bit hash of each window of the key. *Shape:* (max(0, len(key) - WINDOW + 1),)."""
    if len(key) < WINDOW:
        return np.empty(0, dtype=np.uint64)
    hashes = np.frombuffer(key.encode("utf-32-le"), dtype=np.uint32).astype(np.uint64)
    multiplier, length = _MULTIPLIER, 1
    while length < WINDOW:
        # two neighbouring windows of one length make a window of twice that length
        hashes = hashes[:-length] * np.uint64(multiplier) + hashes[length:]
        multiplier = pow(multiplier, 2, 2**64)
        length *= 2
    return hashes

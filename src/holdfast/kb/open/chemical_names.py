"""What drugs and other chemicals are also called, from packages that list synonyms without MeSH.

The open MeSH tables lack brand names and many others ("Adriamycin"). Two packages have them, as
lists of names of one substance. Where a list starts with a name that only one concept of MeSH
has, its other names are that concept's too.
"""

from __future__ import annotations

import bz2
import io
import pickle
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Final, NoReturn

from holdfast.errors import FormatError
from holdfast.kb.open.packages import CHEMICALS, DRUG_NAMES
from holdfast.names.credible import common_words
from holdfast.text.tokens import key_of

_DRUGS: Final = "drug_named_entity_recognition/drug_ner_dictionary.pkl.bz2"
_PUBCHEM: Final = "chemicals/Identifiers/chemical identifiers pubchem large.tsv"
_FIRST_NAME: Final = 8  # the column; those before it are structures and properties
_KEPT: Final = 30  # names of a PubChem list; it is in the order of use, and the tail is codes
_DECIDING: Final = 6  # names of a PubChem list, one of which must be MeSH's
_SHORTEST, _LONGEST = 5, 60  # characters of a name
_REGISTRY: Final = re.compile(r"\d{2,7}-\d\d-\d\b")  # a CAS number is no name

Meanings = Mapping[str, Collection[str]]  # the ids that have a name, by its key


@dataclass(frozen=True, slots=True)
class ChemicalName:
    """A new name, the id of the substance that it means, and who calls it so."""

    name: str
    id: str
    origin: str


def chemical_names(meanings: Meanings, *, substances: Collection[str]) -> Iterator[ChemicalName]:
    """Names that no concept has yet, each once."""
    taken = set[str]()
    drugs, pubchem = (_drugs(), 1, DRUG_NAMES.name), (_pubchem(), _DECIDING, "PubChem")
    for lists, deciding, origin in (drugs, pubchem):
        for name, id in _meant(lists, meanings, substances, deciding=deciding):
            if key_of(name) not in taken:
                taken.add(key_of(name))
                yield ChemicalName(name, id, origin)


def _meant(
    lists: Iterable[Sequence[str]],
    meanings: Meanings,
    substances: Collection[str],
    *,
    deciding: int,
) -> Iterator[tuple[str, str]]:
    """Names that no concept has yet. One in several lists is whose list has it nearest the top."""
    claims = defaultdict[str, list[tuple[int, int, str, str]]](list)
    for names in lists:
        known = ((at, meanings.get(key_of(name), ())) for at, name in enumerate(names[:deciding]))
        decided, ids = next(((at, ids) for at, ids in known if ids), (0, ()))
        if len(ids) != 1 or (id := min(ids)) not in substances:
            continue
        for at, name in enumerate(names):
            if (key := key_of(name)) not in meanings and _is_name(name, key):
                claims[key].append((decided, at, id, name))
    for claim in claims.values():
        best = min(claim)
        if all(other[2] == best[2] or other[:2] > best[:2] for other in claim):
            yield best[3], best[2]


def _is_name(name: str, key: str) -> bool:
    return (
        _SHORTEST <= len(name) <= _LONGEST
        and any(character.isalpha() for character in name)
        and not _REGISTRY.match(name)
        and any(word not in common_words() for word in key.split())
    )


def _pubchem() -> Iterator[list[str]]:
    with CHEMICALS.open(_PUBCHEM) as stream:
        for line in io.TextIOWrapper(stream, "utf-8", newline="\n"):
            yield line.rstrip("\r\n").split("\t")[_FIRST_NAME:][:_KEPT]


@dataclass(frozen=True, slots=True)
class Drugs:
    """The package's list of drugs."""

    names: Mapping[str, Sequence[str]]  # any name -> the drugs that it means
    known: Mapping[str, Collection[str]]  # a drug -> what is known of it: "drugbank_id", …


def read_drugs() -> Drugs:
    with DRUG_NAMES.open(_DRUGS) as stream, bz2.open(stream) as plain:
        data = _PlainUnpickler(plain).load()
    return Drugs(data["drug_variant_to_canonical"], data.get("drug_canonical_to_data", {}))


def _drugs() -> list[list[str]]:
    """The substance's name, then what else it is called; names of several substances are none's."""
    lists: dict[str, list[str]] = {}
    for variant, drugs in read_drugs().names.items():
        if len(drugs) == 1:
            names = lists.setdefault(drugs[0], [drugs[0]])
            if variant != drugs[0]:
                names.append(variant)
    return list(lists.values())


class _PlainUnpickler(pickle.Unpickler):
    """Reads dictionaries, lists, strings and numbers, and refuses everything that runs code."""

    def __init__(self, stream: IO[bytes] | bz2.BZ2File) -> None:
        super().__init__(stream)

    def find_class(self, module: str, name: str) -> NoReturn:
        raise FormatError(f"{_DRUGS} holds more than plain values: {module}.{name}")

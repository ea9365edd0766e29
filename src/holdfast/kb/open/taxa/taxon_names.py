"""What people write for a taxon besides its scientific name."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

import numpy as np

from holdfast.kb.open.taxa.taxonomy import PHAGES, VIRUSES, Taxonomy

_BINOMIAL: Final = re.compile(r"([A-Z])[a-z]+ ([a-z-]{3,})")
_VIRUS: Final = re.compile(r"(.*?virus)(?=[ ,/(]|$)")
_MARKS: Final = re.compile(r" (?:str|substr|subsp|ssp|var|pv|bv|f|sp)\.(?= )| (?:serovar|strain)\b")
_SEROVAR: Final = re.compile(r"([A-Z][a-z]+) [a-z]+ (?:subsp\. [a-z]+ )?serovar ([A-Z][a-z]+)")
_LEAST: Final = 2  # children that share an older name of their parent


def shortened(name: str) -> str:
    """ "A. thaliana" of a name in two words; empty for others."""
    found = _BINOMIAL.fullmatch(name)
    return f"{found[1]}. {found[2]}" if found else ""


def short_names(species: Mapping[int, str], well_known: Collection[int]) -> dict[int, str]:
    """The shortened names of species, by row, where they say which is meant.

    Where several species share one, it belongs to those of them that are well known.
    """
    owners = defaultdict[str, list[int]](list)
    for row, name in species.items():
        if short := shortened(name):
            owners[short].append(row)
    found = dict[int, str]()
    for short, rows in owners.items():
        meant = [row for row in rows if row in well_known] or rows
        if len(meant) == 1 or meant is not rows:
            found |= dict.fromkeys(meant, short)
    return found


def spoken_names(name: str, species: str, short: str) -> Iterator[str]:
    """Other ways to write a strain, serotype or subspecies.

    "Escherichia coli str. K-12 substr. MG1655" is also "Escherichia coli K-12 MG1655", and where
    its species has a short name, "E. coli K-12 MG1655". A serovar goes with its genus alone.
    """
    plain = _MARKS.sub("", name)
    if plain != name:
        yield plain
    if short and plain.startswith(f"{species} "):
        yield short + plain.removeprefix(species)
    if serovar := _SEROVAR.fullmatch(name):
        yield re.sub(r" subsp\. [a-z]+(?= serovar)", "", name)
        yield f"{serovar[1]} {serovar[2]}"
        yield f"{serovar[1][0]}. {serovar[2]}"


def older_virus_names(taxonomy: Taxonomy) -> dict[str, int]:
    """Names of virus species that were renamed since, to rows.

    The species that was the hepatitis C virus is now Hepacivirus hominis, but what is below it
    still begins with the older name: "Hepatitis C virus genotype 1". A name counts that at least
    half of the children begin with, that is no taxon's own, and that one species alone has.
    """
    is_virus = np.isin(taxonomy.divisions, (VIRUSES, PHAGES))
    own = {taxonomy.names.at(row).lower() for row in np.flatnonzero(is_virus).tolist()}
    is_child = is_virus & taxonomy.of_rank("species")[taxonomy.parents]
    beginnings = defaultdict[int, list[str]](list)
    for row in np.flatnonzero(is_child).tolist():
        found = _VIRUS.match(taxonomy.names.at(row))
        beginnings[int(taxonomy.parents[row])].append(found[1] if found else "")
    owners = defaultdict[str, list[tuple[int, str]]](list)
    for row, written in beginnings.items():
        folded, count = Counter(map(str.lower, written)).most_common(1)[0]
        if folded and count >= max(_LEAST, len(written) / 2) and folded not in own:
            spelled = Counter(name for name in written if name.lower() == folded)
            owners[folded].append((row, spelled.most_common(1)[0][0]))
    return {found[0][1]: found[0][0] for found in owners.values() if len(found) == 1}


def distinct(names: Iterable[str], but: str) -> tuple[str, ...]:
    """The names once each but for case, in order, without empty ones and `but`."""
    found = {"": "", but.lower(): but}
    kept = [name for name in names if found.setdefault(name.lower(), name) is name]
    return tuple(dict.fromkeys(name for name in kept if name not in ("", but)))

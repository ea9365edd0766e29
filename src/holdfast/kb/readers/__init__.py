"""Readers of vocabularies, one module per source format.

A reader takes a path and keyword options, and yields Records one at a time. `READERS` is the
whole list, under the names that the command line uses: `holdfast kb build my --table terms.tsv`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from holdfast.kb.readers.bioportal import read_bioportal
from holdfast.kb.readers.ctd import read_ctd, read_medic_2012
from holdfast.kb.readers.gene_info import read_gene_info
from holdfast.kb.readers.hgnc import read_hgnc
from holdfast.kb.readers.mesh import read_mesh
from holdfast.kb.readers.obo import read_obo
from holdfast.kb.readers.rxnorm import read_rxnorm
from holdfast.kb.readers.snomed import read_snomed
from holdfast.kb.readers.table import read_table
from holdfast.kb.readers.umls import read_umls
from holdfast.kb.records import Record

__all__ = [
    "READERS",
    "Reader",
    "read_bioportal",
    "read_ctd",
    "read_gene_info",
    "read_hgnc",
    "read_medic_2012",
    "read_mesh",
    "read_obo",
    "read_rxnorm",
    "read_snomed",
    "read_table",
    "read_umls",
]

Reader = Callable[..., Iterator[Record]]
"""Called as `reader(path, **options)`; each function documents its own options."""

READERS: Final[Mapping[str, Reader]] = MappingProxyType(
    {
        "umls": read_umls,
        "snomed": read_snomed,
        "rxnorm": read_rxnorm,
        "mesh": read_mesh,
        "obo": read_obo,
        "ctd": read_ctd,
        "medic": read_medic_2012,
        "hgnc": read_hgnc,
        "gene_info": read_gene_info,
        "bioportal": read_bioportal,
        "table": read_table,
    }
)

"""One spelling for the prefix of every vocabulary's ids, whoever writes them.

known_prefix("NCBI Gene") == known_prefix("entrez") == "NCBIGene"
"""

from __future__ import annotations

import re
from typing import Final

_SPELLINGS: Final = {
    "ATC": "",
    "CAS": "casrn",
    "Cellosaurus": "",
    "CHEBI": "",
    "CL": "",
    "dbSNP": "",
    "DOID": "",
    "DRUGBANK": "",
    "EFO": "",
    "Ensembl": "",
    "FMA": "",
    "GO": "",
    "HGNC": "",
    "HGVS": "",
    "HP": "hpo",
    "ICD10": "",
    "ICD10CM": "",
    "ICD9CM": "icd9",
    "LOINC": "lnc",
    "MEDDRA": "mdr",
    "MESH": "msh",
    "MGI": "",
    "MONDO": "",
    "NCBIGene": "ncbigeneid geneid entrez entrezgene entrezgeneid",
    "NCBITaxon": "ncbitaxonid ncbitaxid ncbitaxonomy taxonomy taxid",
    "NCIT": "nci",
    "OMIM": "mim",
    "Orphanet": "orpha ordo",
    "PR": "",
    "RGD": "",
    "RXNORM": "",
    "SNOMEDCT": "snomed sctid",
    "SO": "",
    "tmVar": "",
    "UBERON": "",
    "UMLS": "umlscui",
    "UniProt": "uniprotkb up",
}
_PREFIX_OF: Final = {
    spelling: prefix
    for prefix, spellings in _SPELLINGS.items()
    for spelling in (prefix.casefold(), *spellings.split())
}
_JOINTS: Final = re.compile(r"[\s_-]")


def known_prefix(name: str) -> str | None:
    """The usual spelling of a vocabulary's prefix; None if it is not known.

    Case, spaces, hyphens and underscores do not matter, nor does the date that ontologies give
    their SNOMED references ("SNOMEDCT_US_2023_03_01").
    """
    key = _JOINTS.sub("", name).casefold()
    return "SNOMEDCT" if key.startswith("snomedct") else _PREFIX_OF.get(key)

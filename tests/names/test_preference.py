"""Which vocabulary speaks first."""

from __future__ import annotations

from pathlib import Path

from holdfast.kb import Entry, Source
from holdfast.kb.own_types import with_own_types
from holdfast.names.preference import preference_of_entities
from small_kb import make_kb


def test_the_known_vocabularies_come_in_their_order_and_before_all_others(tmp_path: Path) -> None:
    order = (
        "HGNC",
        "MGI",
        "RGD",
        "NCBI Taxonomy",
        "Cellosaurus",
        "Gene Ontology",
        "Cell Ontology",
        "UBERON",
        "Human Phenotype Ontology",
        "MONDO",
    )
    listed = ("Zebra terms", *reversed(order), "MeSH", "Apple terms")
    parts = [
        (Source(name), [Entry(f"X:{place}", name, types=("Disease",))])
        for place, name in enumerate(listed)
    ]
    kb = make_kb(tmp_path / "kb", *parts)
    ranks = preference_of_entities(kb)
    assert ranks.shape == (len(kb),)
    by_rank = sorted(range(len(kb)), key=lambda row: ranks[row])
    assert [kb.source_at(row) for row in by_rank] == ["MeSH", *order, "Zebra terms", "Apple terms"]
    assert len(set(ranks.tolist())) == len(kb)


def test_mesh_leads_only_with_diseases_and_chemicals_that_are_no_genes(tmp_path: Path) -> None:
    entries = [
        Entry("MESH:1", "a", types=("Disease",)),
        Entry("MESH:2", "b", types=("Chemical", "Process")),
        Entry("MESH:3", "c", types=("Chemical", "Gene")),
        Entry("MESH:4", "d", types=("Anatomy",)),
        Entry("MESH:5", "e"),
    ]
    mondo = [Entry("MONDO:1", "f", types=("Disease",)), Entry("MONDO:2", "g", types=("assay",))]
    kb = make_kb(tmp_path / "kb", (Source("MeSH"), entries), (Source("MONDO"), mondo))
    ranks = preference_of_entities(kb).tolist()
    assert ranks[0] == ranks[1] < ranks[5]
    assert ranks[2] == ranks[3] == ranks[4] > ranks[5]
    assert ranks[6] > ranks[2]


def test_ranks_are_made_once_for_a_knowledge_base_and_anew_for_a_view_of_it(
    tmp_path: Path,
) -> None:
    kb = make_kb(tmp_path / "kb", (Source("own"), [Entry("X:1", "a", types=("assay",))]))
    assert preference_of_entities(kb) is preference_of_entities(kb)
    view = with_own_types(kb, ["assay"])
    assert preference_of_entities(view) is not preference_of_entities(kb)

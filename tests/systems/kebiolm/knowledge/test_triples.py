"""Triples: what is read of a knowledge base and of drug relations, and how it is split."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from holdfast.errors import FormatError, UsageError
from holdfast.kb import Entry, Link
from holdfast.systems.kebiolm.knowledge.drug_relations import Mapped, read_drug_relations
from holdfast.systems.kebiolm.knowledge.triples import (
    SplitTriples,
    Triple,
    Triples,
    kb_triples,
    split_triples,
)
from small_kb import of_entries

ENTRIES = (
    Entry("MESH:D1", "Imatinib", types=("Chemical",), links=(Link("is_a", "MESH:D2"),)),
    Entry("MESH:D2", "Kinase Inhibitors", types=("Chemical",), links=(Link("is_a", "MESH:D99"),)),
    Entry("MESH:D3", "Leukemia", types=("Disease",), xrefs=("DOID:1",)),
    Entry("NCBIGene:25", "ABL1", types=("Gene",), xrefs=("UniProt:P00519",)),
    Entry("MESH:C9", "ABL1 protein, human", types=("Gene",), xrefs=("UniProt:P00519",)),
)


def test_a_relation_whose_end_is_not_there_is_counted_and_left_out(tmp_path: Path) -> None:
    kb = of_entries(tmp_path / "kb", *ENTRIES)
    counts = Counter[str]()
    found = list(kb_triples(kb, counts=counts))
    assert found == [Triple("MESH:D1", "is_a", "MESH:D2")]
    assert counts == {"an end that the knowledge base lacks": 1}


def test_relations_and_vocabularies_can_be_left_out(tmp_path: Path) -> None:
    kb = of_entries(tmp_path / "kb", *ENTRIES)
    assert not list(kb_triples(kb, without=["is_a"]))
    assert not list(kb_triples(kb, without_prefixes=["MESH"]))


def drugmechdb(folder: Path) -> Path:
    path = folder / "kb/relations/drugmechdb_paths.json"
    path.parent.mkdir(parents=True)
    nodes = [
        {"id": "DB:DB00619", "label": "Drug", "name": "imatinib"},
        {"id": "UniProt:P00519", "label": "Protein", "name": "BCR/ABL"},
        {"id": "MESH:D3", "label": "Disease", "name": "CML"},
        {"id": "REACT:R-1", "label": "Pathway", "name": "a pathway"},
    ]
    links = [
        {"source": "DB:DB00619", "key": "decreases activity of", "target": "UniProt:P00519"},
        {"source": "UniProt:P00519", "key": "causes", "target": "MESH:D3"},
        {"source": "MESH:D3", "key": "participates in", "target": "REACT:R-1"},
    ]
    path.write_text(json.dumps([{"nodes": nodes, "links": links}] * 2), encoding="utf-8")
    return folder


def test_proteins_become_genes_drugs_are_found_by_name_and_the_rest_is_counted(
    tmp_path: Path,
) -> None:
    kb, mapped = of_entries(tmp_path / "kb", *ENTRIES), Mapped()
    found = read_drug_relations("drugmechdb", kb, data=drugmechdb(tmp_path), mapped=mapped)
    assert found == [
        Triple("MESH:D1", "decreases_activity_of", "NCBIGene:25"),
        Triple("NCBIGene:25", "causes", "MESH:D3"),
    ]
    assert mapped.ways == {"id": 1, "cross-reference": 1, "name": 1}
    assert mapped.missing == {"REACT": 1}
    assert mapped.dropped == 1
    assert any("REACT 1" in line for line in mapped.lines("drugmechdb"))


def test_indications_are_triples_and_contraindications_are_none(tmp_path: Path) -> None:
    path = tmp_path / "kb/relations/pharmacotherapydb/indications.tsv"
    path.parent.mkdir(parents=True)
    rows = ["doid_id\tdrugbank_id\tdisease\tdrug\tcategory", "DOID:1\tDB1\tcml\tImatinib\tDM"]
    rows.append("DOID:1\tDB1\tcml\tImatinib\tNOT")
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    kb = of_entries(tmp_path / "base", *ENTRIES)
    found = read_drug_relations("pharmacotherapydb", kb, data=tmp_path, mapped=Mapped())
    assert found == [Triple("MESH:D1", "treats", "MESH:D3")]


def test_a_source_that_is_unknown_missing_or_damaged_is_an_error_of_one_line(
    tmp_path: Path,
) -> None:
    kb = of_entries(tmp_path / "kb", *ENTRIES)
    with pytest.raises(UsageError, match="drugmechdb"):
        read_drug_relations("other", kb, data=tmp_path, mapped=Mapped())
    with pytest.raises(UsageError, match="not there"):
        read_drug_relations("drugmechdb", kb, data=tmp_path, mapped=Mapped())
    path = drugmechdb(tmp_path) / "kb/relations/drugmechdb_paths.json"
    path.write_text('[{"nodes": []}]', encoding="utf-8")
    with pytest.raises(FormatError, match="links"):
        read_drug_relations("drugmechdb", kb, data=tmp_path, mapped=Mapped())


def ring(count: int) -> Triples:
    """Each entity is next to two others, and the other way round."""
    forth = [Triple(f"E:{i}", "next", f"E:{(i + s) % count}") for i in range(count) for s in (1, 2)]
    return Triples.of([*forth, *(Triple(t.tail, "before", t.head) for t in forth)])


def test_both_directions_of_a_pair_are_held_out_together_and_nothing_is_unseen() -> None:
    split = split_triples(ring(100), held_out=20, seed=1)
    parts = [part.rows for part in (split.train, split.dev, split.test)]
    assert sum(map(len, parts)) == 400
    assert all(20 <= len(rows) <= 22 for rows in parts[1:])
    pairs = [{tuple(sorted(row[[0, 2]].tolist())) for row in rows} for rows in parts]
    assert not pairs[0] & pairs[1]
    assert not pairs[0] & pairs[2]
    assert not pairs[1] & pairs[2]
    assert set(np.unique(parts[0][:, [0, 2]])) == set(range(100))
    again = split_triples(ring(100), held_out=20, seed=1)
    assert np.array_equal(again.dev.rows, split.dev.rows)


def test_too_few_triples_cannot_be_split() -> None:
    with pytest.raises(UsageError, match="too few"):
        split_triples(ring(5), held_out=10)


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    split = split_triples(ring(50), held_out=5)
    split.write(tmp_path)
    again = SplitTriples.read(tmp_path)
    assert again.train.entities == split.train.entities
    assert np.array_equal(again.test.rows, split.test.rows)
    assert again.train.at(0) == split.train.at(0)

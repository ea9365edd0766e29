"""Variants get ids by how they are written, in Python and on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdfast
from command import call
from holdfast.corpora import read_documents
from holdfast.document import NIL, Document, Mention
from holdfast.kb import Entry, KnowledgeBase
from holdfast.link.variants.linker import VariantLinker
from small_kb import of_entries

GENES = (
    Entry("NCBIGene:673", "BRAF", types=("Gene",)),
    Entry("NCBIGene:4524", "MTHFR", types=("Gene",)),
    Entry("X:1", "K99N", types=("CellLine",)),
)


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    return of_entries(tmp_path_factory.mktemp("link-variants") / "kb", *GENES)


def linked(text: str, *words: str, genes: tuple[str, ...] = ()) -> list[Mention]:
    """The words, marked as variants in their order, after the step; genes have ids of X."""
    mentions, end = list[Mention](), 0
    for word in words:
        start = text.index(word, end)
        end = start + len(word)
        mentions.append(Mention.at(start, end, "SequenceVariant"))
    for gene in genes:
        start = text.index(gene)
        mentions.append(Mention.at(start, start + len(gene), "Gene", [f"X:{gene}"]))
    step = VariantLinker(untyped=False, top=5)
    return list(step(Document("1", text, mentions=tuple(mentions))).mentions[: len(words)])


def evidence(mention: Mention, kind: str) -> list[str]:
    return [e.detail for e in mention.candidates[0].evidence if e.kind == kind]


def test_two_spellings_of_one_variant_have_one_id() -> None:
    text = "K417N (p.Lys417Asn), that is lysine to asparagine at codon 417, and -411C/T or T-411C"
    words = ("K417N", "p.Lys417Asn", "lysine to asparagine at codon 417", "-411C/T", "T-411C")
    ids = [mention.ids for mention in linked(text, *words)]
    assert ids == [("HGVS:p.Lys417Asn",)] * 3 + [("HGVS:c.-411C>T",), ("HGVS:c.-411T>C",)]


def test_the_form_of_tmvar_stands_in_the_evidence() -> None:
    (mention,) = linked("K417N", "K417N")
    assert evidence(mention, "tmvar") == ["p|SUB|K|417|N"]
    assert mention.candidates[0].label == "p.Lys417Asn"
    assert 0.5 < mention.candidates[0].score <= 1.0


def test_a_number_of_dbsnp_is_its_own_id() -> None:
    (mention,) = linked("SNP rs1234567 was typed", "rs1234567")
    assert mention.ids == ("dbSNP:rs1234567",)


@pytest.mark.parametrize(
    "text",
    [
        "ABC C677T (rs1801133) was typed. The C677T carriers",
        "ABC C677T polymorphism (rs1801133) was typed. The C677T carriers",
        "ABC rs1801133 (C677T) was typed. The C677T carriers",
        "ABC rs1801133/C677T was typed. The C677T carriers",
        "ABC C677T (dbSNP ID: rs1801133) was typed. The C677T carriers",
        "ABC C677T (p.Ala222Val, rs1801133) was typed. The C677T carriers",
    ],
)
def test_a_number_that_the_text_gives_a_variant_is_its_id_everywhere(text: str) -> None:
    places = ["rs1801133", "C677T"] if text.index("rs") < text.index("C677T") else ["C677T"]
    mentions = (
        linked(text, *places, "C677T") if len(places) == 2 else linked(text, *_in_order(text))
    )
    assert {mention.ids for mention in mentions} == {("dbSNP:rs1801133",)}
    said = [evidence(m, "dbsnp") for m in mentions if evidence(m, "dbsnp")]
    assert said
    assert all("rs1801133, as the text says" in details[0] for details in said)


def _in_order(text: str) -> list[str]:
    known = ["C677T", "p.Ala222Val", "rs1801133"]
    first = [word for word in known if word in text]
    return [*sorted(first, key=text.index), "C677T"]


@pytest.mark.parametrize(
    "text",
    [
        "C677T, rs1801131 and others",
        "C677T and rs1801131",
        "C677T or rs1801131",
        "C677T was typed (and so was rs1801131)",
        "C677T (rs1801131) or C677T (rs1801133)",
    ],
)
def test_numbers_that_merely_stand_near_are_no_ids_of_it(text: str) -> None:
    for mention in linked(text, "C677T"):
        assert not mention.ids[0].startswith("dbSNP")
    words = ["C677T", "rs1801131", *(["C677T", "rs1801133"] if "1133" in text else [])]
    assert not linked(text, *words)[0].ids[0].startswith("dbSNP")


def test_an_allele_has_the_number_of_its_substitution() -> None:
    text = "C677T (rs1801133); the 677T allele; the 677TT genotype; the 999T allele"
    mentions = linked(text, "C677T", "rs1801133", "677T", "677TT", "999T")
    assert [m.ids[0] for m in mentions[2:]] == [
        "dbSNP:rs1801133",
        "dbSNP:rs1801133",
        "tmVar:c|Allele|T|999",
    ]


@pytest.mark.parametrize(
    ("text", "id"),
    [
        ("the G123T polymorphism and its genotypes", "HGVS:c.123G>T"),
        ("the mutant protein with G123T, at an amino acid of the kinase", "HGVS:p.Gly123Thr"),
        ("G123T, also written 123G>T, in a mutant protein", "HGVS:c.123G>T"),
        ("G123T, also written Gly123Thr, a polymorphism with its genotypes", "HGVS:p.Gly123Thr"),
    ],
)
def test_the_document_decides_between_bases_and_residues(text: str, id: str) -> None:
    words = [word for word in ("G123T", "123G>T", "Gly123Thr") if word in text]
    mention = linked(text, *words)[0]
    assert mention.ids == (id,)
    assert len(mention.candidates) == 2
    assert sum(candidate.score for candidate in mention.candidates) <= 1.0


def test_what_is_left_out_at_one_place_is_filled_in_from_another() -> None:
    text = "L77fs, later p.Leu77Serfs*9; 41del is 41delG"
    mentions = linked(text, "L77fs", "p.Leu77Serfs*9", "41del", "41delG")
    assert [m.ids[0] for m in mentions] == [
        "HGVS:p.Leu77SerfsTer9",
        "HGVS:p.Leu77SerfsTer9",
        "HGVS:c.41delG",
        "HGVS:c.41delG",
    ]


def test_several_variants_of_one_mention_are_several_ids() -> None:
    (mention,) = linked("K417N/T", "K417N/T")
    assert mention.ids == ("HGVS:p.Lys417Asn", "HGVS:p.Lys417Thr")
    assert {c.entity_id for c in mention.candidates} >= set(mention.ids)


def test_what_cannot_be_read_is_nil() -> None:
    (mention,) = linked("the promoter polymorphism", "promoter polymorphism")
    assert (mention.ids, mention.candidates) == ((NIL,), ())


@pytest.mark.parametrize(
    ("text", "gene", "reason"),
    [
        ("ABC1 K417N and DEF2 were studied", "ABC1", "before it"),
        ("ABC1 (K417N) and DEF2", "ABC1", "before it"),
        ("DEF2 and the K417N mutation in ABC1", "ABC1", "after it"),
        ("DEF2 and K417N ABC1", "ABC1", "after it"),
        ("We saw K417N there, and ABC1 was silent. DEF2 rose.", "ABC1", "the only gene"),
        ("ABC1 and DEF2 were studied; K417N was rare", None, ""),
    ],
)
def test_the_gene_of_a_variant_is_told_where_the_text_says_so(
    text: str, gene: str | None, reason: str
) -> None:
    (mention,) = linked(text, "K417N", genes=("ABC1", "DEF2"))
    told = evidence(mention, "gene")
    assert told == [] if gene is None else told[0].startswith(f"X:{gene} “{gene}”, {reason}")


def test_variants_of_a_list_share_the_gene_before_them() -> None:
    text = "ABC1 K417N, R99H and L77P; DEF2"
    mentions = linked(text, "K417N", "R99H", "L77P", genes=("ABC1", "DEF2"))
    assert all(evidence(m, "gene")[0].startswith("X:ABC1") for m in mentions)


def test_found_variants_are_linked_with_their_gene(kb: KnowledgeBase) -> None:
    document = holdfast.load(kb)("The BRAF V600E mutation was found in these patients.")
    gene, variant = (m for m in document.mentions if m.type in ("Gene", "Variant"))
    assert gene.ids == ("NCBIGene:673",)
    assert variant.ids == ("HGVS:p.Val600Glu",)
    assert evidence(variant, "gene") == ["NCBIGene:673 “BRAF”, before it"]


def test_only_and_top_and_rules_hold_for_variants(kb: KnowledgeBase, tmp_path: Path) -> None:
    text = "The BRAF V600E mutation and G465T were found."
    types = {m.type for m in holdfast.load(kb, only=["gene"])(text).mentions}
    assert types == {"Gene"}
    alone = holdfast.load(kb, only=["variant"], top=1)(text)
    assert [m.ids[0] for m in alone.mentions] == ["HGVS:p.Val600Glu", "HGVS:p.Gly465Thr"]
    assert all(len(m.candidates) == 1 for m in alone.mentions)
    rules = tmp_path / "rules.toml"
    rules.write_text('drop_types = ["variant"]\n', encoding="utf-8")
    assert {m.type for m in holdfast.load(kb, rules=rules)(text).mentions} == {"Gene"}
    rules.write_text('[pin]\n"V600E" = "X:1"\n', encoding="utf-8")
    pinned = [m.ids for m in holdfast.load(kb, rules=rules)(text).mentions]
    assert ("X:1",) in pinned
    assert ("HGVS:p.Val600Glu",) not in pinned


def test_a_vocabulary_without_genes_has_no_variants_found(tmp_path: Path) -> None:
    kb = of_entries(tmp_path / "kb", Entry("MESH:D1", "Melanoma", types=("Disease",)))
    document = holdfast.load(kb)("Melanoma with V600E.")
    assert {m.type for m in document.mentions} == {"Disease"}


def test_a_marked_mention_without_a_type_may_be_a_variant(kb: KnowledgeBase) -> None:
    link = holdfast.load(kb, marked=True)
    for text, id in (
        ("V600E", "HGVS:p.Val600Glu"),
        ("rs1801133", "dbSNP:rs1801133"),
        ("K99N", "X:1"),
        ("BRAF", "NCBIGene:673"),
    ):
        whole = Mention.at(0, len(text))
        (mention,) = link(Document("", text, mentions=(whole,))).mentions
        assert mention.ids == (id,)


TITLE, ABSTRACT = "K417N in ABC", "rs1234567 and a 21-bp deletion, the thing."
PUBTATOR = f"7|t|{TITLE}\n7|a|{ABSTRACT}\n" + "".join(
    f"7\t{start}\t{start + len(words)}\t{words}\tSequenceVariant\n"
    for words in ("K417N", "rs1234567", "21-bp deletion", "the thing")
    for start in [f"{TITLE} {ABSTRACT}".index(words)]
)
IDS = ["p.Lys417Asn", "rs1234567", "c|DEL||21", "-1"]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "marked.pubtator"
    path.write_text(PUBTATOR, encoding="utf-8")
    return path


def test_marked_variants_are_linked_in_every_format(kb: KnowledgeBase, corpus: Path) -> None:
    def output(format: str) -> str:
        done = call("link", "--mentions", corpus, "--kb", kb.folder, "--format", format)
        assert done.returncode == 0, done.stderr
        return done.stdout

    rows = [line.split("\t") for line in output("pubtator").splitlines() if "Variant" in line]
    assert [row[5] for row in rows] == IDS
    (document,) = json.loads(output("json"))["documents"]
    ids = [m["ids"] for m in document["mentions"] if m["type"] == "SequenceVariant"]
    assert ids == [["HGVS:p.Lys417Asn"], ["dbSNP:rs1234567"], ["tmVar:c|DEL||21"], ["NIL"]]
    for format in ("tsv", "bioc", "brat"):
        assert "HGVS:p.Lys417Asn" in output(format) or "p.Lys417Asn" in output(format)
        assert "c|DEL||21" in output(format)


def test_what_was_linked_is_read_again_as_the_same(
    kb: KnowledgeBase, corpus: Path, tmp_path: Path
) -> None:
    done = call("link", "--mentions", corpus, "--kb", kb.folder, "--format", "pubtator")
    again = tmp_path / "again.pubtator"
    again.write_text(done.stdout, encoding="utf-8")
    (document,) = read_documents(again)
    ids = [m.ids for m in document.mentions if m.type == "SequenceVariant"]
    assert ids[:3] == [("HGVS:p.Lys417Asn",), ("dbSNP:rs1234567",), ("tmVar:c|DEL||21",)]


def test_explain_says_that_a_variant_cannot_be_read(kb: KnowledgeBase, corpus: Path) -> None:
    done = call("link", "--mentions", corpus, "--kb", kb.folder, "--explain")
    (row,) = (line for line in done.stdout.splitlines() if line.startswith("the thing"))
    assert "cannot be read as a variant" in " ".join(done.stdout.split())
    assert "none of these" in row


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=120), st.data())
def test_any_marked_mention_gets_an_id_or_nil(text: str, data: st.DataObject) -> None:
    if not text:
        return
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    document = Document("", text, mentions=(Mention.at(start, end, "Variant"),))
    (mention,) = VariantLinker(untyped=True, top=3)(document).mentions
    assert mention.spans == document.mentions[0].spans
    assert mention.is_nil or {c.entity_id for c in mention.candidates} >= set(mention.ids)

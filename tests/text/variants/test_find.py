"""Variants are read from what people write, and have one form in HGVS and in tmVar."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from holdfast.text.residues import RESIDUES, THREE
from holdfast.text.variants.find import (
    ALLELE,
    DEL,
    DUP,
    FS,
    INDEL,
    INS,
    INV,
    SUB,
    Variant,
    from_tmvar,
    normalised,
)
from holdfast.text.variants.reading import read_rs, read_variants, tmvar_id

CODES = "".join(code for code in THREE if code not in "UX")


def first(text: str) -> tuple[str, str]:
    """The id and tmVar's form of the likeliest reading of a text that describes one variant."""
    ((best, *_),) = read_variants(text)
    return best.id, best.tmvar


@pytest.mark.parametrize(
    "text",
    [
        "K417N",
        "Lys417Asn",
        "LYS417ASN",
        "p.K417N",
        "p.Lys417Asn",
        "p.(Lys417Asn)",
        "p.[Lys417Asn]",
        "Lys 417 Asn",
        "Lys(417)Asn",
        "Lys417→Asn",
        "K417→N",
        "lysine-417-asparagine",
        "lysine 417 to asparagine",
        "417K/N",
        "Lys to Asn at codon 417",
        "lysine to asparagine substitution at amino acid position 417",
        "asparagine for lysine at residue 417",
        "replacement of lysine by asparagine at position 417",
        "codon 417, lysine to asparagine",
        "the K417N mutation",
        "NP_000001.2:p.Lys417Asn",
    ],
)
def test_one_substitution_of_a_residue_has_one_form(text: str) -> None:
    assert first(text) == ("HGVS:p.Lys417Asn", "p|SUB|K|417|N")


@pytest.mark.parametrize(
    "text",
    [
        "c.912C>T",
        "912C>T",
        "912 C→T",
        "912C-->T",
        "912 C -> T",
        "912C&gt;T",
        "912C/T",
        "c.C912T",
        "+912C>T",
        "C to T at nucleotide 912",
        "C-to-T transition at nucleotide position 912",
        "NM_000001.3:c.912C>T",
        "cytosine to thymine at position 912",
    ],
)
def test_one_substitution_of_a_base_has_one_form(text: str) -> None:
    assert first(text) == ("HGVS:c.912C>T", "c|SUB|C|912|T")


@pytest.mark.parametrize(
    ("text", "id", "tmvar"),
    [
        ("-411C/T", "HGVS:c.-411C>T", "c|SUB|C|-411|T"),
        ("T-411C", "HGVS:c.-411T>C", "c|SUB|T|-411|C"),
        ("T(−411)C", "HGVS:c.-411T>C", "c|SUB|T|-411|C"),
        ("c.*32G>A", "HGVS:c.*32G>A", "c|SUB|G|*32|A"),
        ("c.88+1G>A", "HGVS:c.88+1G>A", "c|SUB|G|88+1|A"),
        ("IVS4 + 2T > C", "tmVar:c|SUB|T|IVS4+2|C", "c|SUB|T|IVS4+2|C"),
        ("g.70+5del", "HGVS:g.70+5del", "g|DEL|70+5|"),
        ("m.1234A>G", "HGVS:m.1234A>G", "m|SUB|A|1234|G"),
        ("41delG", "HGVS:c.41delG", "c|DEL|41|G"),
        ("del41G", "HGVS:c.41delG", "c|DEL|41|G"),
        ("c.40_42delGTC", "HGVS:c.40_42delGTC", "c|DEL|40_42|GTC"),
        ("c.40_42del3", "HGVS:c.40_42del", "c|DEL|40_42|"),
        ("40-41insA", "HGVS:c.40_41insA", "c|INS|40_41|A"),
        ("c.40-3del", "HGVS:c.40-3del", "c|DEL|40-3|"),
        ("c.40-41delAG", "HGVS:c.40_41delAG", "c|DEL|40_41|AG"),
        ("c.1240-1245del", "HGVS:c.1240_1245del", "c|DEL|1240_1245|"),
        ("400insC", "tmVar:c|INS|400|C", "c|INS|400|C"),
        ("c.40dupA", "HGVS:c.40dupA", "c|DUP|40|A|"),
        ("c.40_44delinsTT", "HGVS:c.40_44delinsTT", "c|INDEL|40_44|TT"),
        ("c.40_44delACGTAinsTT", "HGVS:c.40_44delinsTT", "c|INDEL|40_44|TT"),
        ("c.40_44inv", "HGVS:c.40_44inv", "c|INV|40_44|"),
        ("R99X", "HGVS:p.Arg99Ter", "p|SUB|R|99|X"),
        ("p.Arg99*", "HGVS:p.Arg99Ter", "p|SUB|R|99|X"),
        ("Arg99stop", "HGVS:p.Arg99Ter", "p|SUB|R|99|X"),
        ("p.Leu54=", "HGVS:p.Leu54=", "p|SUB|L|54|L"),
        ("Leu77fs", "HGVS:p.Leu77fs", "p|FS|L|77||"),
        ("p.L77fsX9", "HGVS:p.Leu77fsTer9", "p|FS|L|77||9"),
        ("p.Leu77Serfs*9", "HGVS:p.Leu77SerfsTer9", "p|FS|L|77|S|9"),
        ("delL77", "HGVS:p.Leu77del", "p|DEL|77|L"),
        ("ΔL77", "HGVS:p.Leu77del", "p|DEL|77|L"),
        ("L77del", "HGVS:p.Leu77del", "p|DEL|77|L"),
        ("K70_S74del", "HGVS:p.Lys70_Ser74del", "p|DEL|70_74|"),
        ("delK70-S74", "HGVS:p.Lys70_Ser74del", "p|DEL|70_74|"),
        ("p.Lys70_Ser71insGlyGly", "HGVS:p.Lys70_Ser71insGlyGly", "p|INS|70_71|GG"),
        ("p.K70_S74delinsW", "HGVS:p.Lys70_Ser74delinsTrp", "p|INDEL|70_74|W"),
        ("21-bp deletion", "tmVar:c|DEL||21", "c|DEL||21"),
        ("four-base-pair insertion", "tmVar:c|INS||4", "c|INS||4"),
        ("2.5 kb deletion", "tmVar:c|DEL||2.5K", "c|DEL||2.5K"),
        ("a 21-bp insertion/deletion", "tmVar:c|INDEL||21", "c|INDEL||21"),
        ("A 21-bp deletion", "tmVar:c|DEL||21", "c|DEL||21"),
        ("exon 5 deletion", "tmVar:c|DEL|EX5|", "c|DEL|EX5|"),
        ("deletion of exons 5-7", "tmVar:c|DEL|EX5_7|", "c|DEL|EX5_7|"),
        ("deletion of G at nucleotide 41", "HGVS:c.41delG", "c|DEL|41|G"),
        ("1234T", "tmVar:c|Allele|T|1234", "c|Allele|T|1234"),
        ("-411TT", "tmVar:c|Allele|T|-411", "c|Allele|T|-411"),
        ("Arg99", "tmVar:p|Allele|R|99", "p|Allele|R|99"),
        ("(CAG)40", "tmVar:c|DUP||CAG|40", "c|DUP||CAG|40"),
        ("C to T", "tmVar:c|SUB|C||T", "c|SUB|C||T"),
    ],
)
def test_what_people_write_has_a_canonical_form(text: str, id: str, tmvar: str) -> None:
    assert first(text) == (id, tmvar)


def test_four_letters_may_be_bases_or_residues() -> None:
    ((*readings,),) = read_variants("G123T")
    assert {variant.id for variant in readings} == {"HGVS:p.Gly123Thr", "HGVS:c.123G>T"}
    assert len(read_variants("G123R")[0]) == len(read_variants("123G>T")[0]) == 1


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("K417N/T", ["HGVS:p.Lys417Asn", "HGVS:p.Lys417Thr"]),
        ("K417N/K417E", ["HGVS:p.Lys417Asn", "HGVS:p.Lys417Glu"]),
        ("K417N and R99X", ["HGVS:p.Lys417Asn", "HGVS:p.Arg99Ter"]),
    ],
)
def test_several_variants_in_one_mention_are_several(text: str, ids: list[str]) -> None:
    assert [readings[0].id for readings in read_variants(text)] == ids


@pytest.mark.parametrize(
    ("text", "rs"),
    [
        ("rs123456", "rs123456"),
        ("RS123456", "rs123456"),
        ("SNP rs123456", "rs123456"),
        ("rs 123456", "rs123456"),
        ("rs", None),
        ("rs12a", None),
        ("K417N", None),
    ],
)
def test_a_number_of_dbsnp_is_read(text: str, rs: str | None) -> None:
    assert read_rs(text) == rs


@pytest.mark.parametrize(
    "text",
    [
        "",
        "deletion",
        "mutation",
        "p38",
        "del(5)(q13q33)",
        "the promoter",
        "x" * 5000,
        "()",
        "p.",
        "*",
    ],
)
def test_what_describes_no_variant_is_not_read(text: str) -> None:
    assert read_variants(text) == ()


@pytest.mark.parametrize("text", ["q|SUB|A|1|T", "c|SUBS|A|1|T", "c", "", "c|DEL", "a|b|c|d|e|f|g"])
def test_what_is_not_in_the_form_of_tmvar_is_none(text: str) -> None:
    assert from_tmvar(text) is None


def test_ids_of_one_variant_compare_equal_and_others_stay() -> None:
    assert tmvar_id("HGVS:p.Lys70_Ser74del") == tmvar_id("tmVar:p|DEL|70_74|")
    assert tmvar_id("HGVS:p.R99X") == tmvar_id("HGVS:p.Arg99Ter") == "tmVar:p|SUB|R|99|X"
    for id in ("dbSNP:rs1", "MESH:D1", "tmVar:strange", "HGVS:strange", "NIL"):
        assert tmvar_id(id) == id


numbers = st.integers(1, 9999)
bases = st.text("ACGT", min_size=1, max_size=6)
residue = st.sampled_from(CODES)


@st.composite
def points(draw: st.DrawFn) -> str:
    """A position in DNA: "12", "-12", "*12", "12+3", "12-3"."""
    sign = draw(st.sampled_from(("", "", "-", "*")))
    offset = draw(st.sampled_from(("", "", "+3", "-30")))
    return f"{sign}{draw(numbers)}{offset}"


@st.composite
def ranges(draw: st.DrawFn) -> str:
    start = draw(numbers)
    return f"{start}_{start + draw(st.integers(1, 50))}"


@st.composite
def dna_variants(draw: st.DrawFn) -> Variant:
    level = draw(st.sampled_from("cgmn"))
    kind = draw(st.sampled_from((SUB, DEL, INS, DUP, INDEL, INV)))
    place = draw(st.one_of(points(), ranges()))
    if kind == SUB:
        ref, alt = draw(st.permutations("ACGT"))[:2]
        return Variant(level, SUB, draw(points()), ref, alt)
    if kind == INS:
        start = draw(numbers)
        return Variant(level, INS, f"{start}_{start + 1}", alt=draw(bases))
    if kind == INDEL:
        return Variant(level, INDEL, place, alt=draw(bases))
    deleted = bases if "_" in place else st.sampled_from("ACGT")
    return Variant(level, kind, place, draw(st.one_of(st.just(""), deleted)))


@st.composite
def protein_variants(draw: st.DrawFn) -> Variant:
    kind = draw(st.sampled_from((SUB, FS, DEL, DUP, INS, INDEL)))
    place, ref = str(draw(numbers)), draw(residue)
    if kind == SUB:
        return Variant("p", SUB, place, ref, draw(st.sampled_from(CODES + "X")))
    if kind == FS:
        alt = draw(st.sampled_from(["", *CODES]))
        return Variant("p", FS, place, ref, alt, draw(st.sampled_from(("", "7", "120"))))
    if kind in (DEL, DUP):
        if draw(st.booleans()):
            return Variant("p", kind, place, ref)
        return normalised(Variant("p", kind, draw(ranges()), flanks=ref + draw(residue)))
    alt = draw(st.text(CODES, min_size=1, max_size=4))
    last = int(place) + (1 if kind == INS else draw(st.integers(1, 20)))
    return Variant("p", kind, f"{place}_{last}", alt=alt, flanks=ref + draw(residue))


variants = st.one_of(dna_variants(), protein_variants())


@given(variants)
def test_hgvs_is_read_back_as_the_same_variant(variant: Variant) -> None:
    assert variant.hgvs is not None
    ((best, *_),) = read_variants(variant.hgvs)
    assert best == variant
    assert best.id == variant.id


@given(variants)
def test_the_form_of_tmvar_is_read_back_as_the_same_variant(variant: Variant) -> None:
    assume(not variant.flanks or variant.ref)  # it has no place for them
    assert from_tmvar(variant.tmvar) == variant


@given(variants)
def test_the_canonical_form_is_its_own(variant: Variant) -> None:
    assert normalised(variant) == variant
    assert tmvar_id(variant.id) == tmvar_id(tmvar_id(variant.id)) == f"tmVar:{variant.tmvar}"


@given(st.sampled_from([SUB, ALLELE]), numbers, residue, residue)
def test_one_letter_and_three_letters_are_the_same(
    kind: str, place: int, ref: str, alt: str
) -> None:
    assume(ref != alt)
    short, long = f"{ref}{place}", f"{THREE[ref]}{place}"
    if kind == SUB:
        short, long = short + alt, long + THREE[alt]
    in_full = read_variants(long)[0][0]
    assert in_full in read_variants(short)[0]
    assert read_variants(f"p.{short}") == read_variants(f"p.{long}") == ((in_full,),)


@given(st.text(max_size=60))
def test_no_text_breaks_the_reader(text: str) -> None:
    for readings in read_variants(text):
        for variant in readings:
            assert normalised(variant) == variant
            assert variant.id.startswith(("HGVS:", "tmVar:"))


@given(
    st.lists(st.sampled_from([*RESIDUES, "to", ">", "at codon", "12", "bp", "deletion", "(", "A"]))
)
def test_no_words_break_the_reader(words: list[str]) -> None:
    for readings in read_variants(" ".join(words)):
        assert all(tmvar_id(variant.id).startswith("tmVar:") for variant in readings)

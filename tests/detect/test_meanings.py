"""What a stretch of text names in a vocabulary, and how far it reaches."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.detect.dictionary import DictionaryDetector, defines, is_ion
from holdfast.document import Span
from holdfast.kb import Entry, KnowledgeBase, Source
from holdfast.kb.own_types import with_own_types
from holdfast.names.credible import Trust
from small_kb import make_kb, of_entries

GENES = (
    Entry("HGNC:1", "CA2", synonyms=("Ca2",), types=("Gene",)),
    Entry("HGNC:2", "CD4", types=("Gene",)),
    Entry("HGNC:3", "PTN", synonyms=("white point",), types=("Gene",)),
    Entry("HGNC:4", "blue point", types=("Gene",)),
)
MESH = (
    Entry("MESH:D1", "NAD+", types=("Chemical",)),
    Entry("MESH:D2", "Memory, Long-Term", types=("Process",)),
    Entry("MESH:D3", "Ptn", synonyms=("blue point",), types=("Disease",)),
    Entry("MESH:C4", "red point", types=("Chemical",)),
    Entry("MESH:D5", "large head", types=("Chemical",)),
    Entry("MESH:D6", "Cells, Dendritic", types=("CellType",)),
    Entry("MESH:D7", "dendritic", types=("Process",)),
)
GO = (
    Entry("GO:1", "vex binding", synonyms=("vex chaperone", "vex joining"), types=("Process",)),
    Entry("GO:2", "hex chaperone", types=("Process",)),
)


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    return make_kb(
        tmp_path_factory.mktemp("meanings") / "kb",
        (Source("HGNC"), GENES),
        (Source("MeSH"), MESH),
        (Source("Gene Ontology"), GO),
    )


def found(
    kb: KnowledgeBase, text: str, *, nested: bool = False, for_marks: bool = False
) -> list[tuple[str, str]]:
    mentions = DictionaryDetector(kb, nested=nested, for_marks=for_marks).detect(text)
    return [(text[m.start : m.end], m.type) for m in mentions]


def test_an_ion_is_no_gene_but_a_positive_cell_has_one(kb: KnowledgeBase) -> None:
    assert found(kb, "Ca2+ rose") == []
    assert found(kb, "CA2 and CD4+ cells") == [("CA2", "Gene"), ("CD4", "Gene")]
    assert found(kb, "Ca2 + CD4") == [("Ca2", "Gene"), ("CD4", "Gene")]


@pytest.mark.parametrize(
    ("text", "is_one"),
    [("K+", True), ("Ca2+", True), ("Na+", True), ("CD4+", False), ("K", False), ("Ca22+", False)],
)
def test_a_symbol_of_an_element_before_a_plus_sign_is_an_ion(text: str, is_one: bool) -> None:
    end = len(text.rstrip("+"))
    assert is_ion(Span(0, end), text) == is_one
    assert is_ion(Span(3, 3 + end), f"xx {text}") == is_one


def test_a_sign_that_ends_the_name_belongs_to_the_mention_where_the_text_has_it(
    kb: KnowledgeBase,
) -> None:
    assert found(kb, "the NAD+ pool") == [("NAD+", "Chemical")]
    assert found(kb, "the NAD pool") == [("NAD", "Chemical")]
    assert found(kb, "NAD+") == [("NAD+", "Chemical")]


def test_of_several_meanings_that_of_the_preferred_vocabulary_counts(kb: KnowledgeBase) -> None:
    assert found(kb, "a blue point") == [("blue point", "Disease")]
    detector = DictionaryDetector(kb)
    meaning = detector.meaning_of("blue point")
    assert meaning is not None
    assert meaning.trust == Trust.SHIPPED  # the highest of its meanings
    assert detector.meaning_of("nothing listed") is None
    genes = DictionaryDetector(kb, only=["Gene"])
    assert genes.meaning_of("large head") is None


def test_common_words_name_no_gene_and_no_rare_chemical(kb: KnowledgeBase) -> None:
    assert found(kb, "white point, red point, large head") == [("large head", "Chemical")]


def test_case_tells_a_symbol_from_another_name(kb: KnowledgeBase) -> None:
    assert found(kb, "PTN") == [("PTN", "Gene")]
    assert found(kb, "Ptn") == [("Ptn", "Disease")]


def test_whether_a_surface_is_listed_as_a_type(kb: KnowledgeBase) -> None:
    detector = DictionaryDetector(kb)
    assert detector.is_listed_as("NAD", "Chemical")
    assert not detector.is_listed_as("NAD", "Gene")
    assert not detector.is_listed_as("white point", "Gene")
    assert not detector.is_listed_as("Ptn", "Gene")


def test_a_synonym_that_calls_the_carrier_of_a_function_is_not_the_function(
    kb: KnowledgeBase,
) -> None:
    text = "vex chaperone, vex joining, hex chaperone"
    assert found(kb, text) == [("vex joining", "Process"), ("hex chaperone", "Process")]
    marks = found(kb, text, for_marks=True)
    assert marks[0] == ("vex chaperone", "Process")


def test_words_in_the_order_of_an_index_mark_a_text_but_are_no_name(kb: KnowledgeBase) -> None:
    assert found(kb, "a memory long-term thing") == []
    assert found(kb, "a memory, long-term") == [("memory, long-term", "Process")]
    assert found(kb, "a memory long-term thing", for_marks=True) == [
        ("memory long-term", "Process")
    ]


def test_what_an_index_puts_behind_is_no_mention_of_its_own_there(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    assert found(kb, "each cell dendritic in shape") == []
    assert found(kb, "a dendritic shape") == [("dendritic", "Process")]
    assert found(kb, "a dendritic cell") == [("dendritic cell", "CellType")]
    entries = (
        Entry("X:1", "Cells, Dendritic", types=("CellType",)),
        Entry("X:2", "dendritic", types=("Process",)),
    )
    own = make_kb(tmp_path / "kb", (Source("own", is_own=True), entries))
    assert found(own, "each cell dendritic in shape") == [("dendritic", "Process")]


def test_every_name_there_could_be_comes_by_start_then_the_longest_first(tmp_path: Path) -> None:
    kb = of_entries(
        tmp_path / "kb",
        *(Entry(f"X:{n}", name) for n, name in enumerate(["zib", "zib quax", "quax", "quax zib"])),
    )
    text = "quax zib quax"
    names = [(m.start, text[m.start : m.end]) for m in DictionaryDetector(kb).names_in(text)]
    assert names == [(0, "quax zib"), (0, "quax"), (5, "zib quax"), (5, "zib"), (9, "quax")]


def test_of_types_that_only_a_vocabulary_has_the_wanted_one_is_shown(tmp_path: Path) -> None:
    kb = of_entries(tmp_path / "kb", Entry("X:1", "snarkology", types=("Rite", "Craft")))
    for wanted in ("Rite", "Craft"):
        detector = DictionaryDetector(with_own_types(kb, [wanted]), only=[wanted])
        assert [mention.type for mention in detector.detect("a snarkology")] == [wanted]


def test_a_long_form_with_its_short_form_behind_is_told_from_a_name() -> None:
    defined = {"QRF": "quaggle renal fever"}
    assert defines("quaggle renal fever (QRF)", defined)
    assert defines("acute Quaggle Renal Fever (QRF", defined)
    assert not defines("quaggle fever (QRF)", defined)
    assert not defines("quaggle renal fever (XYZ)", defined)
    assert not defines("QRF", defined)


def test_names_of_ones_own_are_trusted_whatever_vocabulary_has_the_entity(tmp_path: Path) -> None:
    kb = make_kb(
        tmp_path / "kb",
        (Source("HGNC"), (Entry("HGNC:1", "PTN", synonyms=("white point",), types=("Gene",)),)),
        (Source("mine", is_own=True), (Entry("HGNC:1", "large head", types=("Gene",)),)),
        (Source("all", is_own=True, every_name=True), (Entry("A:1", "fall", types=("Gene",)),)),
    )
    assert found(kb, "white point, large head, a fall") == [
        ("large head", "Gene"),
        ("fall", "Gene"),
    ]


def test_adjacent_names_are_both_found_and_ten_words_are_one_name(tmp_path: Path) -> None:
    long = "grim grey goblin gait of gaunt green goats and gulls"
    kb = of_entries(
        tmp_path / "kb",
        Entry("X:1", "zibol", types=("Chemical",)),
        Entry("X:2", "-quax", types=("Chemical",)),
        Entry("X:3", long, types=("Disease",)),
        Entry("X:4", "grim grey goblin", types=("Disease",)),
    )
    assert found(kb, f"zibol-quax; {long}; grim grey goblin") == [
        ("zibol", "Chemical"),
        ("quax", "Chemical"),
        (long, "Disease"),
        ("grim grey goblin", "Disease"),
    ]


def test_mentions_inside_others_come_behind_them(tmp_path: Path) -> None:
    kb = of_entries(
        tmp_path / "kb",
        Entry("X:1", "zibol quax fever", types=("Disease",)),
        Entry("X:2", "zibol", types=("Chemical",)),
        Entry("X:3", "quax fever", types=("Disease",)),
        Entry("X:4", "quax", types=("Gene",)),
    )
    text = "zibol quax fever, quax"
    assert found(kb, text) == [("zibol quax fever", "Disease"), ("quax", "Gene")]
    assert found(kb, text, nested=True) == [
        ("zibol quax fever", "Disease"),
        ("zibol", "Chemical"),
        ("quax", "Gene"),
        ("quax", "Gene"),
    ]

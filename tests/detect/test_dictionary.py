"""Dictionary detection: where the names of a knowledge base stand in a text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.detect.dictionary import DictionaryDetector
from holdfast.document import Document, Mention
from holdfast.kb import Entry, KnowledgeBase
from holdfast.text.lines import unwrapped
from small_kb import make_kb, of_entries


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    return make_kb(tmp_path_factory.mktemp("detect") / "kb")


@pytest.fixture(scope="module")
def detector(kb: KnowledgeBase) -> DictionaryDetector:
    return DictionaryDetector(kb)


def found(detector: DictionaryDetector, text: str) -> list[tuple[str, str]]:
    """The words and type of each mention."""
    return [(text[m.start : m.end], m.type) for m in detector.detect(text)]


def words(detector: DictionaryDetector, text: str) -> list[str]:
    return [surface for surface, _ in found(detector, text)]


WORDS = st.sampled_from(
    [
        "heart",
        "attack",
        "attacks",
        "Heart",
        "diseases",
        "myocardial",
        "infarction,",
        "WAS",
        "was",
        "TNF",
        "TNF-alpha",
        "(HA)",
        "(WAS)",
        "lithium",
        "carbonate",
        "haemorrhage",
        "hemorrhages",
        "IL-2",
        "il2",
        "tumor",
        "necrosis",
        "factor",
        "the",
        "of",
        "2",
        ".",
        ";",
        "\n",
        "\r\n",
        "é",
        "😀",
        "́",
        "\u200b",
        "β",
    ]
)


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(
        st.lists(st.tuples(WORDS, st.sampled_from([" ", "", "-", "\n", "\r\n", "  ", ", "]))).map(
            lambda pairs: "".join(word + gap for word, gap in pairs)
        ),
        st.text(max_size=60),
    )
)
def test_mentions_fit_the_text_in_order_without_overlap_or_end_of_line(
    detector: DictionaryDetector, text: str
) -> None:
    end = 0
    for mention in detector.detect(text):
        assert end <= mention.start < mention.end <= len(text)
        assert "\n" not in unwrapped(text)[mention.start : mention.end]
        assert mention.type in ("Disease", "Chemical", "Gene")
        end = mention.end


def test_the_longest_name_wins(detector: DictionaryDetector) -> None:
    text = "Myocardial infarction after tumor necrosis factor"
    assert found(detector, text) == [
        ("Myocardial infarction", "Disease"),
        ("tumor necrosis factor", "Gene"),
    ]


@pytest.mark.parametrize(
    ("text", "surface"),
    [
        ("two heart attacks in", "heart attacks"),
        ("HEART ATTACK", "HEART ATTACK"),
        ("heart-attack", "heart-attack"),
        ("massive hemorrhages", "hemorrhages"),
        ("TNF-α rose", "TNF-α"),
        ("no myocardial\u00a0infarction", "myocardial\u00a0infarction"),
        ("of IL2 and", "IL2"),
        ("(lithium carbonate)", "lithium carbonate"),
    ],
)
def test_plural_case_spelling_greek_and_spaces_do_not_hide_a_name(
    detector: DictionaryDetector, text: str, surface: str
) -> None:
    assert words(detector, text) == [surface]


def test_common_words_one_letter_names_and_acronyms_in_lower_case_are_kept_out(
    tmp_path: Path,
) -> None:
    detector = DictionaryDetector(
        of_entries(
            tmp_path / "kb",
            Entry("X:1", "WAS", types=("Gene",)),
            Entry("X:2", "the", types=("Gene",)),
            Entry("X:3", "A", types=("Gene",)),
            Entry("X:4", "impact", types=("Gene",)),
            Entry("X:5", "REST", types=("Gene",)),
        )
    )
    assert words(detector, "The impact was a rest; A was there. Was it?") == []
    assert words(detector, "WAS binds REST.") == ["WAS", "REST"]


def test_an_abbreviation_is_a_mention_everywhere_once_it_is_defined(
    detector: DictionaryDetector,
) -> None:
    text = "MI is frequent. Myocardial infarction (MI) kills; MI and MIs, not MIX."
    mentions = detector.detect(text)
    assert [text[m.start : m.end] for m in mentions] == ["MI", "Myocardial infarction", "MI", "MI"]
    assert {m.type for m in mentions} == {"Disease"}


def test_a_short_form_that_the_text_redefines_loses_its_dictionary_meaning(
    detector: DictionaryDetector,
) -> None:
    assert words(detector, "TNF was high.") == ["TNF"]
    assert words(detector, "The total number of fish (TNF) was high; TNF rose.") == []


def test_only_the_chosen_types_are_found(kb: KnowledgeBase) -> None:
    text = "TNF, lithium carbonate and haemorrhage"
    genes = DictionaryDetector(kb, only=("Gene",))
    assert found(genes, text) == [("TNF", "Gene")]
    both = DictionaryDetector(kb, only=("Chemical", "Disease"))
    assert [type for _, type in found(both, text)] == ["Chemical", "Disease"]


def test_a_table_without_types_is_found_by_default_and_other_is_not(tmp_path: Path) -> None:
    kb = of_entries(
        tmp_path / "kb",
        Entry("X:1", "quaggle fever"),
        Entry("X:2", "zibbling", types=("Strange",)),
        Entry("X:3", "snarkology", types=("Other",)),
    )
    text = "quaggle fever, zibbling and snarkology"
    assert found(DictionaryDetector(kb), text) == [("quaggle fever", ""), ("zibbling", "Strange")]
    assert found(DictionaryDetector(kb, only=("Other",)), text) == [("snarkology", "Other")]
    assert found(DictionaryDetector(kb, only=("Disease",)), text) == []


def test_a_name_of_several_types_takes_that_of_the_preferred_vocabulary(
    detector: DictionaryDetector, kb: KnowledgeBase
) -> None:
    assert found(detector, "WAS") == [("WAS", "Disease")]
    assert found(DictionaryDetector(kb, only=("Gene",)), "WAS") == [("WAS", "Gene")]


@pytest.mark.parametrize(
    "text", ["", " ", ".,;()[]", "😀😀", "\u0301\u0301", "\ufeff", "\x00", "\n"]
)
def test_text_without_words_has_no_mentions(detector: DictionaryDetector, text: str) -> None:
    assert detector.detect(text) == []


def test_offsets_count_code_points_after_emoji_accents_and_windows_line_ends(
    detector: DictionaryDetector,
) -> None:
    text = "😀 e\u0301\r\nheart attack\r\nheart\r\nattack"
    assert words(detector, text) == ["heart attack"]


def test_a_combining_mark_belongs_to_its_word(detector: DictionaryDetector) -> None:
    text = "a haemo\u0308rrhage here"
    assert words(detector, text) == ["haemo\u0308rrhage"]


def test_a_megabyte_of_text_is_one_document(detector: DictionaryDetector) -> None:
    unit = "A heart attack (myocardial infarction) and ((( TNF-alpha in 2 rats. "
    text = unit * (1_000_000 // len(unit))
    assert len(detector.detect(text)) == 3 * (1_000_000 // len(unit))
    addressed = "See www.heart.attack/tnf or tnf@heart.org. TNF rose. " * 5_000
    assert len(detector.detect(addressed)) == 5_000
    assert detector.detect("a@" * 100_000) == []
    assert detector.detect("(" * 100_000) == []
    assert detector.detect("a" * 200_000) == []


@pytest.mark.parametrize(
    "text",
    [
        "see https://example.org/heart-attack?TNF",
        "www.TNF.org",
        "doi:10.1/TNF",
        "TNF@example.org",
        "(TNF.alpha@example.org)",
    ],
)
def test_nothing_is_named_inside_an_address(detector: DictionaryDetector, text: str) -> None:
    assert words(detector, text) == []
    assert words(detector, f"TNF {text} TNF") == ["TNF", "TNF"]


def test_a_document_keeps_the_mentions_it_had(detector: DictionaryDetector) -> None:
    had = Mention.at(0, 3, "Cell")
    document = detector(Document("1", "Old heart attack", mentions=(had,)))
    assert document.mentions[0] == had
    assert len(document.mentions) == 2
    assert document.id == "1"


def test_a_single_letter_that_counts_or_labels_is_no_short_form(tmp_path: Path) -> None:
    kb = of_entries(tmp_path, Entry("X:1", "ectoplume", types=("Anatomy",)))
    text = "An ectoplume (E) at day E 10, (E)11.5 or E12; then E again."
    found = DictionaryDetector(kb).detect(text)
    assert [text[m.start : m.end] for m in found] == ["ectoplume", "E", "E"]
    assert text[found[2].end :] == " again."
    panels = DictionaryDetector(kb).detect(f"{text} (A) One. (B) Two.")
    assert [m.end - m.start for m in panels] == [len("ectoplume")]

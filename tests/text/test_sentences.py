"""Where sentences end, and where they only seem to."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.text.sentences import split_sentences


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


ONE_SENTENCE = [
    "As Fig. 2 shows, it rose.",
    "See Figs. 1 and 2 for details.",
    "Rats received 0.5 mg i.v. for 3 days and 5 mg p.o. 2 h later.",
    "The dose was 5 mg/kg i.p. daily.",
    "It was given b.i.d. 5 days a week.",
    "Smith et al. Found in 1999 is a book.",
    "Smith et al. (1999) disagreed.",
    "Some drugs, e.g., aspirin, i.e. Bayer's, are old.",
    "We compared A vs. B and drug vs. Placebo.",
    "Dr. Smith and Prof. Jones met Mr. Brown.",
    "Patient No. 5 and Nos. 7 and 8 died.",
    "In approx. 5 of ca. 20 cases it failed.",
    "It is caused by E. coli and S. aureus.",
    "They were infected with S. Typhimurium in vitro.",
    "St. John's wort induces CYP3A4.",
    "The U.S. Food and Drug Administration agreed.",
    "J. R. Smith and A. B. Jones wrote it.",
    "It was significant (P < .05) at pH 7.4 in all.",
    "It was lower (p < 0.05. See Table 2) than before.",
    "Wait ... what happened is unclear.",
    "1. The effect of morphine was studied.",
    "II. Effects on the heart.",
    "The clearance was 5 ml. min-1 per animal.",
    "METHODS: We used C. elegans.",
    "Strain sp. NRRL 123 and Vol. 3 were used.",
    "It was written by A. Jones and B. Smith.",
    "Given i.p. LPS, rats had fever.",
    "It was seen in strain B. Subtilis as well.",
    "It was shown by Smith and J. R. Brown before.",
    "It was done in Dec. 1999 and on p. 12 of it.",
    "It fell (as said (see Fig. 2). Then) in all.",
    "Mice (see [1]. And [2]. Others) died.",
    "The Eur.Heart journal has it.",
    "It was told by us.The end of it.",
    "We looked at DNA.The end of it.",
    "We looked at p53.The end of it.",
]


@pytest.mark.parametrize("text", ONE_SENTENCE)
def test_a_sentence_stays_whole(text: str) -> None:
    assert sentences(text) == [text]


TWO_SENTENCES = [
    ("It rose.", "It fell."),
    ("The buffer had pH 7.4.", "The cells grew."),
    ("Patients took vitamin B12.", "The levels rose."),
    ("Patients took vitamin C.", "Rats did not."),
    ("They had hepatitis B.", "Others had none."),
    ("These were groups A and B.", "Patients improved."),
    ("It was kept at 37 degrees C.", "Samples were taken."),
    ("The weight was 5 g.", "Samples were taken."),
    ("We saw it in mice.", "p53 is mutated in many tumours."),
    ("We saw it in mice.", "mTOR is a kinase."),
    ("We saw it in mice.", "α-Synuclein aggregates."),
    ("We saw it in mice.", "beta-Catenin moves."),
    ("We saw it in mice.", "c-Myc is a gene."),
    ("We saw it in mice.", "12 patients died."),
    ("We saw it in mice.", "(Data are not shown.)"),
    ("We saw it in mice.", "(+)-Catechin was used."),
    ("Is it safe?", "It may be."),
    ("It works!", "We are glad."),
    ('He said "it works."', "She agreed."),
    ("It fell (P < 0.05).", "It rose later."),
    ("It fell (as shown elsewhere.)", "It rose later."),
    ("Rats received it i.v.", "Controls received saline."),
    ("It was made in the U.S.", "The rest was not."),
    ("This was shown by Smith et al.", "However, we differ."),
    ("We tested Candida spp.", "The rest was not tested."),
    ("It rose....", "It fell."),
    ("It rose…", "It fell."),
    ("Trials failed.", "METHODS: We tried again."),
    ("Trials failed", "MATERIALS AND METHODS: We tried again."),
    ("Expression of CO.", "Prolonged exposure followed."),
    ("This was shown before.12,13", "Others disagree."),
    ("It was in vol. no.", "Rats did."),
    ("We saw it in mice.", "• Rats had none."),
    ("We saw it in mice.", "gamma-Globulin was low."),
    ("We saw it in mice.", "kappa was low."),
    ("It was done in Dec.", "Rats had none."),
    ("It fell (in all).", "It rose (in some)."),
    ("We gave vitamin C.", "Rats (all of them) died."),
]


@pytest.mark.parametrize(("first", "second"), TWO_SENTENCES)
def test_two_sentences_are_told_apart(first: str, second: str) -> None:
    assert sentences(f"{first} {second}") == [first, second]


def test_a_missing_space_before_a_common_opening_word_still_separates() -> None:
    assert sentences("It was finished.The end came. See Eur.J.Pharmacol here.") == [
        "It was finished.",
        "The end came.",
        "See Eur.J.Pharmacol here.",
    ]


def test_numbered_statements_keep_their_numbers() -> None:
    assert sentences("1. We did it. 2. We saw it.") == ["1. We did it.", "2. We saw it."]


def test_wide_full_stops_need_no_space() -> None:
    assert sentences("これは文です。次の文です。") == ["これは文です。", "次の文です。"]


def test_a_title_without_a_period_ends_at_its_line() -> None:
    text = "Aspirin in stroke\nAspirin is an old drug that people take for many reasons."
    assert sentences(text) == text.split("\n")


def test_a_title_longer_than_its_abstract_ends_at_its_line() -> None:
    text = "A rather long title about aspirin in patients with stroke\nNo abstract available."
    assert sentences(text) == text.split("\n")


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\u2028"])
def test_wrapped_lines_belong_together(line_end: str) -> None:
    lines = [
        "Aspirin is an old drug that many people",
        "with heart disease take each day, as do",
        "Americans who have none. It is cheap and",
        "safe.",
    ]
    text = line_end.join(lines)
    assert [s.replace(line_end, " ") for s in sentences(text)] == [
        "Aspirin is an old drug that many people with heart disease take each day, as do "
        "Americans who have none.",
        "It is cheap and safe.",
    ]


def test_two_wrapped_lines_belong_together_after_an_unfinished_phrase() -> None:
    assert len(sentences("It is seen in many patients with\nAlzheimer disease.")) == 1


def test_a_blank_line_always_ends_a_sentence() -> None:
    assert sentences("aspirin and\n \nibuprofen and\n\n\nothers") == [
        "aspirin and",
        "ibuprofen and",
        "others",
    ]


def test_items_of_a_list_are_sentences() -> None:
    text = "- aspirin twice a day\n- ibuprofen once a day"
    assert sentences(text) == text.split("\n")


@pytest.mark.parametrize("text", ["", " \n\t \n\n", "\r\n"])
def test_blank_text_has_no_sentences(text: str) -> None:
    assert split_sentences(text) == []


PIECES = 'The p53 i.v. Fig. 2. ... . ? ( ) [ E. METHODS: " a 5 。 .1'
WORDS = st.sampled_from([*PIECES.split(), *" \n\r\u2028\ud800\0"])


@given(st.one_of(st.lists(WORDS, max_size=30).map(" ".join), st.text(max_size=60)))
def test_sentences_are_trimmed_ordered_and_leave_nothing_out(text: str) -> None:
    spans = split_sentences(text)
    kept = "".join(text[start:end] for start, end in spans)
    assert "".join(kept.split()) == "".join(text.split())
    assert all(text[start:end] == text[start:end].strip() != "" for start, end in spans)
    assert all(before.end <= after.start for before, after in pairwise(spans))


@pytest.mark.parametrize(
    "piece",
    [".", "(", ")", "(.", ". ", "A. ", "METHODS AND ", "a\n", "\n", "1.2,", "'", ").A ", "a.1-"],
)
def test_a_megabyte_of_anything_is_split(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    assert sum(end - start for start, end in split_sentences(text)) <= len(text)


def test_a_bracket_after_a_dotted_abbreviation_goes_on_with_its_sentence() -> None:
    text = "Rats were dosed i.v. (Fig. 2) and killed. They were young."
    assert [text[a:b] for a, b in split_sentences(text)] == [
        "Rats were dosed i.v. (Fig. 2) and killed.",
        "They were young.",
    ]

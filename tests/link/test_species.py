"""Which species a document speaks of."""

from __future__ import annotations

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.document import Document, Mention, Passage
from holdfast.link.species import HUMAN, MOUSE, RAT, TAXA, Opinion, SpeciesOf

KNOWN = (HUMAN, MOUSE, RAT)
ZEBRAFISH = "NCBITaxon:7955"


def around(text: str, surface: str = "p53") -> dict[str, Opinion]:
    """What is thought at the last place of the surface."""
    start = text.rindex(surface)
    mention = Mention.at(start, start + len(surface), "Gene")
    opinions = SpeciesOf(Document("1", text, mentions=(mention,))).around(mention, KNOWN)
    return {opinion.taxon_id: opinion for opinion in opinions}


def best(text: str, surface: str = "p53") -> Opinion:
    return max(around(text, surface).values(), key=lambda opinion: opinion.probability)


@pytest.mark.parametrize(
    ("text", "taxon", "reason"),
    [
        ("p53 rose.", HUMAN, "human, as no species is named"),
        ("It was seen. In Mice p53 rose.", MOUSE, "mouse, from “Mice” in the sentence"),
        ("A study of rats. We saw p53.", RAT, "rat, from the title"),
        ("A study. It was of rats. We saw p53.", RAT, "rat, from 1 of 1 species words"),
        ("Patients and rats. Here p53 of the patients rose.", HUMAN, "human, from “patients”"),
        ("Human p53 and the p53 of mice.", MOUSE, "mouse, from “mice” in the sentence"),
        ("Human p53 and the BDNF of mice.", HUMAN, "human, from “Human” in the sentence"),
    ],
)
def test_the_nearest_then_the_title_then_the_most_frequent_decide(
    text: str, taxon: str, reason: str
) -> None:
    opinion = best(text)
    assert opinion.taxon_id == taxon
    assert opinion.reason.startswith(reason)


def test_the_case_of_a_symbol_is_weak_evidence() -> None:
    plain = around("p53 rose.")[MOUSE].probability
    assert around("Trp53 rose.", "Trp53")[MOUSE].probability > plain
    assert around("TP53 rose.", "TP53")[MOUSE].probability < plain
    assert best("The Trp53 of patients.", "Trp53").taxon_id == HUMAN


def test_a_word_inside_another_is_no_species() -> None:
    without = around("p53 rose.")
    for text in ("Ratings of p53 rose.", "Separate p53 rose.", "The anti-mouse p53 rose."):
        assert around(text)[RAT].probability == without[RAT].probability
        assert around(text)[MOUSE].probability == without[MOUSE].probability


def test_a_linked_species_counts_as_its_words_do() -> None:
    text = "p53 of Mus musculus."
    gene = Mention.at(0, 3, "Gene")
    species = Mention.at(7, 19, "Species", [MOUSE])
    (_, mouse, _) = SpeciesOf(Document("1", text, mentions=(gene, species))).around(gene, KNOWN)
    assert mouse.reason == "mouse, from “Mus musculus” in the sentence"
    assert mouse.probability > 0.9


def test_a_species_that_is_both_word_and_mention_counts_once() -> None:
    text = "Rats. Mice. Here p53 rose."
    mentions = (Mention.at(17, 20, "Gene"), Mention.at(0, 4, "Species", [RAT]))
    marked = SpeciesOf(Document("1", text, mentions=mentions)).around(mentions[0], KNOWN)
    bare = SpeciesOf(Document("1", text)).around(mentions[0], KNOWN)
    assert marked == bare


def test_the_title_is_its_passage_where_there_is_one() -> None:
    text = "Of things. In mice. Here p53 rose."
    mention = Mention.at(25, 28, "Gene")
    title = Passage("title", 0, 19)
    (mouse,) = SpeciesOf(Document("1", text, passages=(title,))).around(mention, [MOUSE])
    assert mouse.reason == "mouse, from the title"
    (mouse,) = SpeciesOf(Document("1", text)).around(mention, [MOUSE])
    assert mouse.reason == "mouse, from 1 of 1 species words in the document"


def test_what_else_the_document_names_competes_unless_it_cannot_be_meant() -> None:
    text = "p53 of zebrafish."
    species = SpeciesOf(Document("1", text))
    mention = Mention.at(0, 3, "Gene")
    assert sum(o.probability for o in species.around(mention, KNOWN)) < 0.1
    assert sum(o.probability for o in species.around(mention, KNOWN, but=[ZEBRAFISH])) > 0.999


def test_a_species_of_another_sentence_is_not_the_nearest() -> None:
    for text in ("We saw p53. Mice were there.", "Mice were there. We saw p53."):
        mouse = around(text)[MOUSE]
        assert "in the sentence" not in mouse.reason
    assert around("We saw p53 in mice. Rats too.")[MOUSE].reason.endswith("in the sentence")
    assert "in the sentence" not in around("We saw p53 in mice. Rats too.")[RAT].reason
    assert around("Rats p53.")[RAT].reason == "rat, from “Rats” in the sentence"


def test_the_last_word_of_the_sentence_before_is_not_in_the_sentence() -> None:
    text = "A thing. It was of mice. p53 of rats rose."
    assert around(text)[RAT].reason == "rat, from “rats” in the sentence"
    assert around(text)[MOUSE].reason == "mouse, from 1 of 2 species words in the document"


@pytest.mark.parametrize(
    ("text", "taxon"),
    [
        ("A test. In mice the p53 of rats.", RAT),
        ("A test. In mice p53 was unlike that of rats.", MOUSE),
        ("A test. In mice and in rats p53 rose in yeast or dogs.", RAT),
    ],
)
def test_of_several_in_a_sentence_the_nearest_on_either_side_counts(text: str, taxon: str) -> None:
    near = [o.taxon_id for o in around(text).values() if "in the sentence" in o.reason]
    assert near == [taxon]


def odds(text: str, surface: str = "p53") -> float:
    """The log-odds of mouse against rat, which differ by 0.85 where nothing is said."""
    opinions = around(text, surface)
    return log(opinions[MOUSE].probability / opinions[RAT].probability) - 0.85


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("p53 rose.", 0.0),
        ("A test. Of mice. We saw p53.", 2.8),  # all of the species words
        ("A test. Of mice, yeast. We saw p53.", 1.4),  # half of them
        ("A test. Of mice, rats. We saw p53.", 0.0),
        ("A test of mice. We saw p53.", 2.8 + 1.9),  # in the title
        ("A test. In mice p53 rose.", 2.8 + 1.6),  # the nearest
        ("In mice p53 rose.", 2.8 + 1.9 + 1.6),
    ],
)
def test_points_add_up(text: str, points: float) -> None:
    assert odds(text) == pytest.approx(points, abs=1e-6)


def test_style_speaks_for_rodents_or_for_humans() -> None:
    def human(surface: str) -> float:
        opinions = around(f"{surface} rose.", surface)
        return log(opinions[HUMAN].probability / opinions[MOUSE].probability) - (1.9 - 0.85)

    assert human("p53") == pytest.approx(0.0)
    assert human("TP53") == pytest.approx(0.5)
    assert human("HLA-B27") == pytest.approx(0.5)
    assert human("Trp53") == pytest.approx(-0.7)
    assert human("Abcdef1") == pytest.approx(-0.7)
    assert human("Abcdefg1") == pytest.approx(0.0)  # a long word may just open its sentence
    assert human("P") == pytest.approx(0.0)
    assert human("TP53 protein") == pytest.approx(0.0)
    assert human("Trp53 protein") == pytest.approx(0.0)


def test_what_no_word_names_says_so() -> None:
    opinions = around("A test. Of mice. We saw Trp53.", "Trp53")
    assert opinions[RAT].reason == "rat, as it is written"
    assert opinions[HUMAN].reason == "human, which is not named"


def test_every_species_has_its_number_of_the_taxonomy() -> None:
    assert {taxon.name: int(taxon.id.removeprefix("NCBITaxon:")) for taxon in TAXA} == {
        "human": 9606,
        "mouse": 10090,
        "rat": 10116,
        "zebrafish": 7955,
        "drosophila": 7227,
        "elegans": 6239,
        "yeast": 4932,
        "xenopus": 8355,
        "chicken": 9031,
        "bovine": 9913,
        "pig": 9823,
        "dog": 9615,
        "rabbit": 9986,
        "sheep": 9940,
        "macaque": 9544,
        "hamster": 10036,
    }
    for text, taxon in (("murine p53", MOUSE), ("p53 of porcine cells", "NCBITaxon:9823")):
        start = text.index("p53")
        mention = Mention.at(start, start + 3)
        (opinion,) = SpeciesOf(Document("1", text)).around(mention, [taxon])
        assert opinion.probability > 0.9


def test_a_mention_linked_to_several_species_or_to_none_is_no_hint() -> None:
    text = "p53 of some mammals."
    gene = Mention.at(0, 3, "Gene")
    bare = SpeciesOf(Document("1", text)).around(gene, KNOWN)
    for mention in (
        Mention.at(12, 19, "Species", [MOUSE, RAT]),
        Mention.at(12, 19, "Species", ["NCBITaxon:40674"]),
        Mention.at(12, 19, "Gene", [MOUSE]),
    ):
        document = Document("1", text, mentions=(gene, mention))
        assert SpeciesOf(document).around(gene, KNOWN) == bare
    untyped = Document("1", text, mentions=(gene, Mention.at(12, 19, "", [MOUSE])))
    assert SpeciesOf(untyped).around(gene, KNOWN) != bare


words = st.sampled_from(
    ["p53", "mice", "Rat", "patients", "in", "zebrafish", "e\u0301", "\r\n", ". The", "😀", "("]
)


@given(st.lists(words, max_size=30), st.data())
def test_opinions_are_probabilities_wherever_one_asks(
    parts: list[str], data: st.DataObject
) -> None:
    text = " ".join([*parts, "p53"])
    start = data.draw(st.integers(0, len(text) - 1))
    mention = Mention.at(start, data.draw(st.integers(start + 1, len(text))))
    opinions = SpeciesOf(Document("1", text)).around(mention, [t.id for t in TAXA])
    assert [opinion.taxon_id for opinion in opinions] == [taxon.id for taxon in TAXA]
    assert sum(opinion.probability for opinion in opinions) == pytest.approx(1.0)
    assert all(opinion.probability > 0 for opinion in opinions)

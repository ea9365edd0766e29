from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.corpora.named.overlap import (
    WINDOW,
    Fingerprint,
    Reason,
    build_shared_text,
    pmid_of,
    text_key,
    window_hashes,
)
from holdfast.document import Document

SENTENCES = (
    "Kelp-derived iodine: a survey of nine harbours along one rugged coast.",
    "Iodine was measured with a newly built X7-type sensor every second morning.",
    "Values rose after each storm and fell within a week of calmer sea-weather.",
)
ABSTRACT = Document("10000001", " ".join(SENTENCES))
OTHER = Document(
    "9999999", "A holdfast anchors seaweed to rock; it is not a root, and feeds on nothing."
)


def reason(training: Document, *evaluated: Document) -> Reason | None:
    return build_shared_text(evaluated).reason(Fingerprint.of(training))


@pytest.mark.parametrize(
    ("document", "pmid"),
    [
        (Document("10473104", ""), "10473104"),
        (Document("PMID-10473104", ""), "10473104"),
        (Document("PMID:10473104", ""), "10473104"),
        (Document("pmid10473104", ""), "10473104"),
        (Document("DDI-MedLine.d75", "", metadata=(("pmid", "11121884"),)), "11121884"),
        (Document("DDI-MedLine.d75", ""), None),
        (Document("BC2GM-train-10473", ""), None),
        (Document("17", ""), None),
        (Document("104731040", ""), None),
        (Document("", ""), None),
    ],
)
def test_a_pmid_is_recognised_however_the_corpus_writes_it(
    document: Document, pmid: str | None
) -> None:
    assert pmid_of(document) == pmid


def test_one_pmid_in_two_spellings_is_one_document() -> None:
    assert reason(Document("PMID-10000001", "something else"), ABSTRACT) == "id"


def test_one_text_under_two_ids_is_one_document() -> None:
    assert reason(Document("1", ABSTRACT.text.upper().replace(" ", " \n ")), ABSTRACT) == "text"


def test_documents_that_share_nothing_are_not_shared() -> None:
    assert reason(OTHER, ABSTRACT) is None


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_of_an_evaluated_document_is_shared_however_it_is_tokenised(
    sentence: str,
) -> None:
    tokens = sentence.replace("-", " - ").replace(".", " .").replace(":", " :")
    assert reason(Document("corpus-1", tokens), ABSTRACT, OTHER) == "text"


def test_a_document_is_shared_with_its_own_sentences() -> None:
    sentences = [Document(f"corpus-{n}", s) for n, s in enumerate(SENTENCES)]
    assert reason(ABSTRACT, *sentences) == "text"
    assert reason(OTHER, *sentences) is None


def test_a_document_that_quotes_one_evaluated_sentence_among_many_others_is_kept() -> None:
    filler = " ".join(f"Observation number {n} concerns seaweed {n * n}." for n in range(20))
    assert reason(Document("1", f"{filler} {SENTENCES[0]}"), ABSTRACT) is None


def test_a_short_sentence_is_shared_if_it_is_there_as_a_whole() -> None:
    short = Document("corpus-1", "survey of nine harbours")
    assert len(text_key(short.text)) < WINDOW
    assert reason(short, ABSTRACT) == "text"
    assert reason(Document("corpus-1", "survey of four harbours"), ABSTRACT) is None


@pytest.mark.parametrize("text", ["harbours", "", "( … )"])
def test_a_text_too_short_to_be_anybodys_is_never_shared(text: str) -> None:
    assert reason(Document("corpus-1", text), ABSTRACT, Document("corpus-2", text)) is None


def test_nothing_is_shared_with_an_empty_collection() -> None:
    assert reason(ABSTRACT) is None
    assert reason(Document("corpus-1", "survey of nine harbours")) is None


@given(st.text(max_size=120), st.integers(0, 80))
def test_hashes_are_those_of_each_window_wherever_it_stands(text: str, start: int) -> None:
    key = text_key(text)
    hashes = window_hashes(key)
    assert len(hashes) == max(0, len(key) - WINDOW + 1)
    window = key[start : start + WINDOW]
    if len(window) == WINDOW:
        assert window_hashes(window).tolist() == [hashes[start]]


def test_windows_that_differ_in_one_letter_have_different_hashes() -> None:
    window = "a" * WINDOW
    changed = [window[:n] + "b" + window[n + 1 :] for n in range(WINDOW)]
    assert len({int(window_hashes(key)[0]) for key in [window, *changed]}) == WINDOW + 1


@given(st.text(max_size=60))
def test_case_spaces_and_punctuation_do_not_matter(text: str) -> None:
    assert text_key(f" {text.casefold()}-\n_") == text_key(text) == text_key(text_key(text))

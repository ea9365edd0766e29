"""The step that adds types, over a typing model whose weights are set by hand."""

from __future__ import annotations

import json

import pytest

from command import call
from hand_typing import make_typing_model
from holdfast import artifacts
from holdfast.document import Document, Mention
from holdfast.systems.bier.adder import TypeAdder
from holdfast.systems.bier.model import TypingModel
from small_kb import make_kb

WORDS = {"heart": {"heart diseases": 3.0, "ischemia": 1.0}, "v600e": {"metals": 2.0}}
TEXT = "A heart attack with V600E in BRAF; the heart attack was treated."


@pytest.fixture
def model() -> TypingModel:
    folder = artifacts.home() / "models" / "own-types"
    return TypingModel.open(make_typing_model(folder, WORDS))


def marked(words: str, type: str) -> Mention:
    start = TEXT.index(words)
    return Mention.at(start, start + len(words), type)


def test_a_mention_says_what_kind_of_thing_it_is(model: TypingModel) -> None:
    document = Document("1", TEXT, mentions=(marked("heart attack", "Disease"),))
    (mention,) = TypeAdder(model)(document).mentions
    assert [type.name for type in mention.types] == ["heart diseases", "ischemia"]


def test_a_variant_has_no_types_since_no_vocabulary_lists_any(model: TypingModel) -> None:
    variant, disease = marked("V600E", "DNAMutation"), marked("heart attack", "Disease")
    document = Document("1", TEXT, mentions=(disease, variant))
    first, second = TypeAdder(model)(document).mentions
    assert first.types
    assert second == variant


def test_documents_with_variants_alone_or_without_mentions_stay_as_they_are(
    model: TypingModel,
) -> None:
    alone = Document("1", TEXT, mentions=(marked("V600E", "Variant"),))
    given = [alone, Document("2", ""), Document("3", "No mention.")]
    assert list(TypeAdder(model).pipe(given)) == given


@pytest.mark.usefixtures("model")
def test_people_read_the_types_in_a_table_of_their_own() -> None:
    make_kb(artifacts.home() / "kb" / "small")
    asked = ("link", TEXT, "--kb", "small", "--model", "dictionary")
    plain = call(*asked).stdout
    typed = call(*asked, "--types", "--type-model", "own-types").stdout
    assert typed.startswith(plain.rstrip("\n")), "the table of mentions is as without types"
    told = typed[len(plain.rstrip("\n")) :]
    assert "what kind of thing it is" in told
    assert " ".join(told.split()).endswith("heart attack heart diseases 0.95, ischemia 0.73")
    stored = json.loads(call(*asked, "--types", "--type-model", "own-types", "--json").stdout)
    assert [t["name"] for t in stored["mentions"][0]["types"]] == ["heart diseases", "ischemia"]


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize(
    ("words", "said"),
    [("", "give the words"), (" ", "give the words"), ("lung", "does not hold the mention 'lung'")],
)
def test_neighbours_need_words_that_their_context_holds(words: str, said: str) -> None:
    make_kb(artifacts.home() / "kb" / "small")
    stored = artifacts.home() / "vectors.arrow"
    typed = ("--type-model", "own-types")
    call("represent", TEXT, "--kb", "small", "--model", "dictionary", *typed, "--out", stored)
    done = call("neighbours", words, "--vectors", stored, "--context", TEXT, *typed)
    assert done.returncode == 2
    assert said in done.stderr

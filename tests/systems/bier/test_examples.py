"""Which triples and entities a typing model learns from."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from holdfast.encoders.tokens import TokenReader
from holdfast.errors import InvalidValueError
from holdfast.systems.bier.reading import Shape
from holdfast.systems.bier.training.dataset import (
    Dataset,
    TripleChoice,
    TypedDocument,
    TypedTriple,
    described_order,
    mention_examples,
)

WORDS = ["[UNK]", "[CLS]", "[SEP]", "rat", "liver", *(f"w{n}" for n in range(200))]


def reader() -> TokenReader:
    vocabulary = {word: number for number, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return TokenReader.of(tokenizer)


def texts(count: int = 200) -> list[TypedDocument]:
    """Each has a rat, and a word of its own beside it."""
    return [
        TypedDocument(str(n), f"rat w{n} liver", (TypedTriple(0, 3, (0,)),)) for n in range(count)
    ]


def learned(choice: TripleChoice) -> Dataset:
    return mention_examples(texts(), reader(), Shape(longest=12, mention_tokens=4), choice)


def test_a_common_word_is_learned_from_all_of_the_text() -> None:
    found = learned(TripleChoice(dev_share=0.0, most_per_mention=40)).training
    own = [int(example.tokens[3]) - WORDS.index("w0") for example in found]
    assert len(own) == len(set(own)) == 40
    assert own == sorted(own), "in the order of the text"
    assert sum(number >= 100 for number in own) > 10, "not only from where the text begins"


def test_some_are_read_without_their_text_and_none_of_those_that_are_looked_at() -> None:
    shape = Shape(longest=12, mention_tokens=4)
    rat, end = WORDS.index("rat"), WORDS.index("[SEP]")
    choice = TripleChoice(dev_share=0.3, most_per_mention=0, bare=0.25)
    found = mention_examples(texts(), reader(), shape, choice)
    lengths = Counter(len(example.tokens) for example in found.training)
    assert lengths == {3: round(0.25 * len(found.training)), 5: sum(lengths.values()) - lengths[3]}
    bare = next(example for example in found.training if len(example.tokens) == 3)
    assert bare.tokens.tolist() == [rat, end, rat], "as `holdfast neighbours` asks for a name alone"
    assert {len(example.tokens) for example in found.development} == {5}
    with pytest.raises(InvalidValueError, match=r"bare = 1.5; it is a share"):
        TripleChoice(bare=1.5)


def test_entities_with_and_without_a_definition_take_turns() -> None:
    defined = np.array([True] * 6 + [False] * 94)
    sources = np.array([0] * 6 + [1] * 90 + [2] * 4)
    order = list(described_order(defined, sources, seed=0))
    assert sorted(order) == list(range(100))
    first = order[:12]
    assert defined[first].tolist() == [True, False] * 6
    assert Counter(sources[first][1::2].tolist()) == {1: 3, 2: 3}, "no vocabulary drowns another"

"""Documents as examples: labels of words and spans, and batches of several documents."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from holdfast.document import Document, Mention, Span  # noqa: E402
from holdfast.encoders.tokens import TokenReader  # noqa: E402
from holdfast.systems.multitask.labels import NO_ENTITY, Labels  # noqa: E402
from holdfast.systems.multitask.text import LONGEST_SENTENCE, read_words  # noqa: E402
from holdfast.systems.multitask.training.data import (  # noqa: E402
    NO_TYPE,
    ExampleBatch,
    WindowConfig,
    examples_of,
)
from systems.multitask.training import toys  # noqa: E402

READER = TokenReader.of(toys.tokenizer())


def test_words_are_labelled_by_their_mention() -> None:
    text = "the patient had tight airways. We saw flu"
    mentions = (
        Mention.at(16, 29, type="Disease", ids=("MESH:D0",)),
        Mention.at(38, 41, type="Disease", ids=("MESH:D2", "MESH:D0")),
    )
    document = Document("d", text, mentions=mentions)
    labels = Labels.of([document])
    (example,) = examples_of([document], READER, labels, WindowConfig())
    spans = zip(example.words.starts, example.words.ends, strict=True)
    assert " ".join(text[a:b] for a, b in spans) == "the patient had tight airways . We saw flu"
    assert example.words.sentences.tolist() == [0, 6, 9]
    assert example.recognition.tolist() == [0, 0, 0, 1, 3, 0, 0, 0, 4]
    assert example.spans.tolist() == [[3, 4], [8, 8]]
    # The second mention has two ids: the more frequent one is its class.
    assert labels.entities[0].id == "MESH:D0"
    assert example.span_classes.tolist() == [1, 1]
    assert example.linking.tolist() == [0, 0, 0, 1, 1, 0, 0, 0, 1]


def test_a_type_or_id_that_training_lacks_is_no_label() -> None:
    document = Document("d", "we saw flu", mentions=(Mention.at(7, 10, type="Gene", ids=("X:1",)),))
    (example,) = examples_of([document], READER, toys.labels(), WindowConfig())
    assert example.recognition.tolist() == [0, 0, 4]
    assert example.span_types.tolist() == [NO_TYPE]
    assert example.span_classes.tolist() == [NO_ENTITY]


def test_what_another_model_took_for_a_mention_is_learned_as_no_entity() -> None:
    document = toys.documents(1)[0]
    wrong = document.with_mentions([*document.mentions, Mention.at(0, 3)])
    (example,) = examples_of([document], READER, toys.labels(), WindowConfig(), mistaken=[wrong])
    assert example.spans[-1].tolist() == [0, 0]
    assert example.span_classes[-1] == NO_ENTITY
    assert len(example.spans) == len(document.mentions) + 1


@pytest.mark.parametrize(
    "mention",
    [
        Mention((Span(0, 3), Span(12, 15))),  # interrupted
        Mention.at(25, 36),  # in two sentences
    ],
)
def test_mentions_that_tags_cannot_say_are_left_out(mention: Mention) -> None:
    document = Document("d", "the patient had asthma flu. We saw gout", mentions=(mention,))
    (example,) = examples_of([document], READER, toys.labels(), WindowConfig())
    assert not example.recognition.any()
    assert not len(example.spans)


def test_of_nested_mentions_the_longest_is_learned() -> None:
    mentions = (Mention.at(4, 8), Mention.at(0, 8))
    (example,) = examples_of(
        [Document("d", "red spot", mentions=mentions)], READER, toys.labels(), WindowConfig()
    )
    assert example.spans.tolist() == [[0, len(example.words) - 1]]


def test_a_long_text_without_sentences_is_cut() -> None:
    words = read_words(READER, "flu " * 1000)
    assert len(words) == 1000
    assert max(np.diff(words.sentences)) <= LONGEST_SENTENCE


@pytest.mark.parametrize("text", ["", " ", "x", ".", "\n\n", "[CLS]"])
def test_tiny_texts_can_be_read(text: str) -> None:
    words = read_words(READER, text)
    assert words.sentences[0] == 0
    assert words.sentences[-1] == len(words)


def test_a_batch_holds_each_token_of_its_documents_once() -> None:
    examples = toys.examples(toys.documents(3))
    reading = [window for example in examples for window in example.windows]
    batch = ExampleBatch.of(examples)
    assert len(batch.kept) == sum(len(example.words.tokens) for example in examples)
    assert len(batch.lengths) == len(reading)
    kept = batch.tokens[batch.kept]
    expected = np.concatenate([example.words.tokens.ids for example in examples])
    assert np.array_equal(kept.numpy(), expected)
    assert int(batch.sentences.sum()) == len(batch.recognition) == int(batch.word_of.max()) + 1

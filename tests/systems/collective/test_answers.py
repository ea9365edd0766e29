"""The collective linker and annotator, over a model whose vectors count words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import exp
from pathlib import Path

import numpy as np
import pytest

from holdfast.document import NIL, Argument, Document, Mention, Relation
from holdfast.errors import UsageError
from holdfast.kb import Entry, KnowledgeBase
from holdfast.systems.collective.entities import EntityVectors
from holdfast.systems.collective.linker import CollectiveAnnotator, CollectiveLinker
from holdfast.systems.collective.model import DualEncoderModel
from small_kb import of_entries
from word_bags import SPECIAL, Floats, States, word_bag_model

WORDS = ("sore", "throat", "toe", "red", "spots", "aspirin", "in", "the", "of", "and", ".")
ENTRIES = (
    Entry("X:1", "sore throat", types=("Disease",)),
    Entry("X:2", "sore toe", types=("Disease",)),
    Entry("X:3", "red spots", types=("Phenotype",)),
    Entry("X:4", "aspirin", types=("Chemical",)),
    Entry("X:5", "throat", types=("Anatomy",)),
    Entry("X:6", "red toe"),
)


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    return of_entries(tmp_path_factory.mktemp("bags") / "kb", *ENTRIES)


def linker(
    kb: KnowledgeBase,
    *,
    model: DualEncoderModel | None = None,
    only: Sequence[str] | None = None,
    top: int = 5,
) -> CollectiveLinker:
    model = model or word_bag_model(WORDS)
    vectors = EntityVectors.build(kb, model)
    return CollectiveLinker(kb, model=model, vectors=vectors, only=only, top=top)


def marked(text: str, *surfaces: str, type: str = "", id: str = "1") -> Document:
    places = [(text.index(surface), surface) for surface in surfaces]
    mentions = tuple(Mention.at(at, at + len(s), type) for at, s in places)
    return Document(id, text, mentions=mentions)


def ids(document: Document) -> list[tuple[str, ...]]:
    return [mention.ids for mention in document.mentions]


TEXT = "the sore throat and red spots of the sore toe . aspirin"


def test_each_mention_is_linked_to_what_its_own_words_name(kb: KnowledgeBase) -> None:
    document = marked(TEXT, "sore toe", "red spots", "aspirin", "sore throat")
    assert ids(linker(kb)(document)) == [("X:2",), ("X:3",), ("X:4",), ("X:1",)]


def test_only_the_chosen_types_are_linked_to(kb: KnowledgeBase) -> None:
    diseases = linker(kb, only=["Disease"])
    document = marked(TEXT, "sore toe", "red spots")
    found = diseases(document)
    assert found.mentions[0].ids == ("X:2",)
    assert {c.entity_id for m in found.mentions for c in m.candidates} <= {"X:1", "X:2"}


def test_the_type_of_a_mention_restricts_what_it_may_be(kb: KnowledgeBase) -> None:
    (anatomy,) = linker(kb)(marked(TEXT, "sore throat", type="Anatomy")).mentions
    assert [c.entity_id for c in anatomy.candidates] == ["X:5", "X:6"]  # X:6 may be of any type
    (species,) = linker(kb, only=["Disease"])(marked(TEXT, "sore toe", type="Species")).mentions
    assert species.ids == (NIL,)
    assert species.candidates == ()


def test_candidates_share_a_probability_by_their_scores(kb: KnowledgeBase) -> None:
    (mention,) = linker(kb, top=2)(marked(TEXT, "sore throat")).mentions
    scores = [10.0, 10 * 0.5**0.5, 5.0, 0.0, 0.0, 0.0]  # X:1, X:5, X:2 and those without a word
    total = sum(exp(score - 10) for score in scores)
    assert [c.entity_id for c in mention.candidates] == ["X:1", "X:5"]
    for candidate, score in zip(mention.candidates, scores, strict=False):
        assert candidate.score == pytest.approx(exp(score - 10) / total, abs=1e-4)
        assert candidate.evidence[0].score == pytest.approx(score, abs=1e-3)
        assert candidate.name in candidate.evidence[0].detail
    assert mention.candidates[0].label == "sore throat"


@pytest.mark.parametrize("top", [1, 3, 30])
def test_no_more_candidates_than_asked_for(kb: KnowledgeBase, top: int) -> None:
    (mention,) = linker(kb, top=top)(marked(TEXT, "sore throat")).mentions
    (most,) = linker(kb, top=30)(marked(TEXT, "sore throat")).mentions
    assert mention.candidates == most.candidates[:top]


def test_a_mention_that_touches_no_token_is_nil_and_shifts_no_other(kb: KnowledgeBase) -> None:
    text = "aspirin   sore toe"
    mentions = (Mention.at(0, 7), Mention.at(8, 9), Mention.at(10, 18))
    found = linker(kb)(Document("1", text, mentions=mentions))
    assert ids(found) == [("X:4",), (NIL,), ("X:2",)]


def test_many_documents_are_linked_as_each_alone(kb: KnowledgeBase) -> None:
    link = linker(kb)
    surfaces = ("sore toe", "red spots", "aspirin", "sore throat")
    documents = [marked(TEXT, *surfaces[: n % 5], id=str(n)) for n in range(40)]
    documents[7] = Document("7", "")
    assert list(link.pipe(documents)) == [link(document) for document in documents]
    near = link.nearest_in(documents, 2)
    assert [len(of_document) for of_document in near] == [len(d.mentions) for d in documents]
    assert near[3] == link.nearest(documents[3], 2)
    assert [len(found) for found in near[3]] == [2, 2, 2]


def test_a_single_mention_encoder_reads_so_many_characters_around_each(kb: KnowledgeBase) -> None:
    states = States(len(SPECIAL) + len(WORDS))
    model = word_bag_model(WORDS, context=7, states=states)
    link = linker(kb, model=model)
    found = link(marked(TEXT, "sore toe", "red spots", "the sore throat"))
    assert ids(found) == [("X:2",), ("X:3",), ("X:1",)]
    names = [*SPECIAL, *WORDS]
    read = [[names[id] for id in window[1:-1]] for batch in states.read for window in batch]
    assert read == [
        ["of", "the", "sore", "toe", ".", "[UNK]"],  # "aspi" of aspirin
        ["[UNK]", "and", "red", "spots", "of", "the"],
        ["the", "sore", "throat", "and", "[UNK]"],
    ]


def tag_heads() -> dict[str, Floats]:
    """`sore`, `red` and `aspirin` begin a mention, `throat`, `toe` and `spots` are inside one."""
    tags = {"sore": 1, "red": 1, "aspirin": 1, "throat": 2, "toe": 2, "spots": 2}
    weight = np.zeros((3, len(SPECIAL) + len(WORDS)), dtype=np.float32)
    for column, word in enumerate([*SPECIAL, *WORDS]):
        weight[tags.get(word, 0), column] = 3.0
    return {"tags_weight": weight, "tags_bias": np.zeros(3, dtype=np.float32)}


def span_heads() -> dict[str, Floats]:
    """A span is likely if it begins with `sore` or `red`, and ends with a noun."""
    weight = np.full((3, len(SPECIAL) + len(WORDS)), -2.0, dtype=np.float32)
    names = [*SPECIAL, *WORDS]
    weight[0, [names.index(word) for word in ("sore", "red")]] = 6.0
    weight[1, [names.index(word) for word in ("throat", "toe", "spots")]] = 3.0
    weight[2] = -0.5
    return {"span_weight": weight, "span_bias": np.zeros(3, dtype=np.float32)}


def annotator(
    kb: KnowledgeBase, *, only: Sequence[str] | None = None, detection: str = "bio"
) -> CollectiveAnnotator:
    heads = tag_heads() if detection == "bio" else span_heads()
    model = word_bag_model(WORDS, detection=detection, heads=heads)
    return CollectiveAnnotator(linker(kb, model=model), only=only)


def found(document: Document) -> list[tuple[str, str, str]]:
    return [(document.text_of(m), m.type, m.ids[0]) for m in document.mentions]


EVERYTHING = [
    ("sore throat", "Disease", "X:1"),
    ("red spots", "Phenotype", "X:3"),
    ("sore toe", "Disease", "X:2"),
    ("aspirin", "Chemical", "X:4"),
]


def test_mentions_are_found_and_linked_in_one_pass(kb: KnowledgeBase) -> None:
    document = annotator(kb)(Document("1", TEXT, mentions=(Mention.at(0, 3),)))
    assert found(document) == EVERYTHING
    assert found(annotator(kb, detection="spans")(Document("1", TEXT))) == EVERYTHING[:3]


def test_relations_go_with_the_mentions_that_are_replaced(kb: KnowledgeBase) -> None:
    mention = Mention.at(4, 8, id="T1")
    relation = Relation("likes", (Argument(mention_id="T1"), Argument("X:1")))
    document = Document("1", TEXT, mentions=(mention,), relations=(relation,))
    assert annotator(kb)(document).relations == ()
    assert found(annotator(kb)(document)) == EVERYTHING


@pytest.mark.parametrize("context", [0, 9])
def test_a_folder_is_opened_with_the_options_that_are_given(
    kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch, context: int
) -> None:
    model = word_bag_model(WORDS, context=context, detection="bio", heads=tag_heads())
    opened = list[tuple[Path, int | None]]()

    def open_model(folder: Path, *, threads: int | None = None) -> DualEncoderModel:
        opened.append((folder, threads))
        return model

    monkeypatch.setattr(DualEncoderModel, "open", open_model)
    link = CollectiveLinker.open(Path("model"), kb, only=["Disease"], top=1, threads=3)
    assert opened == [(Path("model"), 3)]
    (mention,) = link(marked(TEXT, "red spots")).mentions
    assert [c.entity_id for c in mention.candidates] in (["X:1"], ["X:2"])
    annotate = CollectiveAnnotator.open(Path("model"), kb, only=["Disease"], top=2)
    document = annotate(Document("1", TEXT))
    assert found(document) == [EVERYTHING[0], EVERYTHING[2]]
    assert all(len(m.candidates) <= 2 for m in document.mentions)
    spaces = Document("1", "aspirin   .", mentions=(Mention.at(8, 9), Mention.at(0, 7)))
    assert ids(CollectiveLinker.open(Path("model"), kb)(spaces)) == [(NIL,), ("X:4",)]


def test_of_the_chosen_types_only_mentions_and_candidates_remain(kb: KnowledgeBase) -> None:
    document = annotator(kb, only=["Disease"])(Document("1", TEXT))
    assert found(document) == [EVERYTHING[0], EVERYTHING[2]]
    kept = {c.entity_id for m in document.mentions for c in m.candidates}
    assert kept == {"X:1", "X:2", "X:6"}  # nobody knows of what type X:6 is
    assert found(annotator(kb, only=["Chemical", "Phenotype"])(Document("1", TEXT))) == [
        EVERYTHING[1],
        EVERYTHING[3],
    ]


def test_what_has_no_type_is_kept_without_one(kb: KnowledgeBase) -> None:
    document = annotator(kb, only=["Disease"])(Document("1", "the red toe"))
    assert found(document) == [("red toe", "", "X:6")]


def test_of_several_types_the_wanted_one_is_shown(tmp_path: Path) -> None:
    entry = Entry("X:1", "sore toe", types=("Strange", "Phenotype", "Disease"))
    kb = of_entries(tmp_path / "kb", entry)
    text = Document("1", "sore toe")
    assert found(annotator(kb)(text)) == [("sore toe", "Phenotype", "X:1")]
    assert found(annotator(kb, only=["Disease"])(text)) == [("sore toe", "Disease", "X:1")]


def test_many_documents_are_annotated_as_each_alone(kb: KnowledgeBase) -> None:
    annotate = annotator(kb)
    documents = [Document(str(n), TEXT[: 3 * n]) for n in range(20)]
    assert list(annotate.pipe(documents)) == [annotate(document) for document in documents]


def test_probabilities_of_mentions_are_those_of_their_first_tags() -> None:
    model = word_bag_model(WORDS, detection="bio", heads=tag_heads())
    tokens = model.encoder.reader.read("the sore toe and aspirin")
    detected = model.detect(tokens, model.states(tokens))
    assert detected.spans.tolist() == [[1, 2], [4, 4]]
    share = exp(3) / (exp(3) + 2)
    assert detected.probabilities.tolist() == pytest.approx([share, share], abs=1e-5)


def test_spans_with_a_probability_above_the_threshold_are_found() -> None:
    model = word_bag_model(WORDS, detection="spans", heads=span_heads())
    tokens = model.encoder.reader.read("the sore toe and red")
    states = model.states(tokens)
    detected = model.detect(tokens, states)
    assert detected.spans[0].tolist() == [1, 2]
    assert detected.probabilities[0] == pytest.approx(1 / (1 + exp(-(6 + 3 - 1))), abs=1e-5)
    strict = replace(model, threshold=0.9999)
    assert strict.detect(tokens, states).spans.tolist() == []


def test_a_model_that_finds_nothing_cannot_annotate(kb: KnowledgeBase) -> None:
    with pytest.raises(UsageError, match="not to find them"):
        CollectiveAnnotator(linker(kb))
    model = word_bag_model(WORDS)
    with pytest.raises(UsageError, match="not to find them"):
        model.detection_scores(np.zeros((1, model.encoder.width), dtype=np.float32))

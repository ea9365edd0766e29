"""Encoders are compared at equal cost: they learn, go on, and have intervals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from holdfast.corpora.named.relations import RelationExample, marker_spans  # noqa: E402
from holdfast.document import Document, Mention, Span  # noqa: E402
from holdfast.encoders.tokens import TokenReader  # noqa: E402
from holdfast.errors import UsageError  # noqa: E402
from holdfast.evaluate.kebiolm.fine_tuning import score_fine_tuning  # noqa: E402
from holdfast.experiments.recipe import Evaluate, Recipe, Train  # noqa: E402
from holdfast.experiments.run import run_recipe  # noqa: E402
from holdfast.systems.kebiolm.training.finetuning.data import (  # noqa: E402
    _RelationReader,
    tagged,
)
from holdfast.systems.kebiolm.training.finetuning.recipe import compare_recipe  # noqa: E402
from holdfast.systems.kebiolm.training.finetuning.train import (  # noqa: E402
    mentions_of,
    of_whole_words,
)
from holdfast.training.pretrained import pretrained_tokenizer  # noqa: E402
from systems.kebiolm.training.pretraining import text_toys as toys  # noqa: E402


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """GAD in miniature: "had" associates, "no sign of" does not."""
    folder = tmp_path_factory.mktemp("tuning")
    toys.save_encoder(folder / "encoder")
    rng = np.random.default_rng(0)
    gad = folder / "corpora/re/gad"
    gad.mkdir(parents=True)
    rows = []
    for n in range(150):
        right = int(rng.integers(2))
        words = "had a severe" if right else "no sign of"
        name = str(rng.choice(list(toys.NAMES.values())))
        rows.append(f"then {name} @GENE$ {words} @DISEASE$ the patient {'saw ' * (n % 3)}\t{right}")
    (gad / "train.tsv").write_text("\n".join(rows[:110]) + "\n", encoding="utf-8")
    test = ["index\tsentence\tlabel", *(f"{n}\t{row}" for n, row in enumerate(rows[110:]))]
    (gad / "test.tsv").write_text("\n".join(test) + "\n", encoding="utf-8")
    return folder


def recipe(place: Path, **settings: object) -> Recipe:
    usual = {"task": "gad", "encoders": (str(place / "encoder"),), "steps": 60, "seeds": 2}
    usual |= {"learning_rate": 3e-3, "head_rate": 1e-2, "threads": 1, "longest": 40}
    return Recipe(
        "toys",
        "toys",
        train=Train("fine-tuned comparison", settings={**usual, **settings}),
        evaluate=Evaluate("fine-tuned", split="test"),
    )


def test_relations_are_learned_and_measured_beside_always_yes(place: Path) -> None:
    lines = list[str]()
    compare_recipe(recipe(place), data=place, out=place / "out", report=lines.append)
    (report,) = run_recipe(recipe(place), data=place, model=place / "out").reports
    assert report["f1_encoder"] > 0.9
    assert 0.5 < float(report.context["f1_always_positive"] or 0) < 0.8
    assert report.context["seeds_encoder"] == 2
    again = list[str]()
    compare_recipe(recipe(place), data=place, out=place / "out", report=again.append)
    assert not any(line.startswith("step") for line in again)  # finished runs are kept
    with pytest.raises(UsageError, match="other settings"):
        compare_recipe(recipe(place, steps=61), data=place, out=place / "out", report=print)


def test_entities_are_replaced_by_markers_and_a_missing_one_has_no_place(place: Path) -> None:
    tokenizer = pretrained_tokenizer(place / "encoder")
    cut = _RelationReader(tokenizer, ("yes",), longest=10)
    text = "the @GENE$ had @DISEASE$"
    example = RelationExample(
        "1", text, "yes", marker_spans(text, "@GENE$"), marker_spans(text, "@DISEASE$")
    )
    found = cut.read(example)
    assert (found.head, found.tail, found.labels.tolist()) == (1, 3, [1])
    assert len(found.tokens) == 4
    bare = cut.read(RelationExample("2", text, "none", (), marker_spans(text, "@DISEASE$")))
    assert bare.head == -1
    assert bare.labels.tolist() == [0]
    long = "we saw " * 20 + "red fever then blue cough"
    spans = (Span(140, 149),), (Span(155, 165),)
    near = cut.read(RelationExample("3", long, "yes", *spans))
    assert len(near.tokens) == 10
    assert near.head >= 0
    assert near.tail >= 0


def test_mentions_become_tags_and_tags_mentions(place: Path) -> None:
    reader = TokenReader.of(pretrained_tokenizer(place / "encoder"))
    document = Document("1", "red fever then skin", mentions=(Mention.at(0, 9), Mention.at(15, 19)))
    (sentence,) = tagged([document], reader, 10)
    assert sentence.labels.tolist() == [1, 2, 0, 1]
    assert mentions_of(sentence.labels) == {(0, 2), (3, 4)}
    assert mentions_of(np.array([2, 0, 1, 1])) == {(0, 1), (2, 3), (3, 4)}


def test_a_gain_has_an_interval_over_the_same_sentences() -> None:
    rows = [[1, 1, 1]] * 30 + [[0, 1, 1]] * 10
    worse = [[1, 1, 1]] * 20 + [[0, 1, 1]] * 20
    report = score_fine_tuning(
        {
            "a": {"0": {"dev_f1": 0.5, "labels": 2, "rows": worse}},
            "b": {"0": {"dev_f1": 0.7, "labels": 2, "rows": rows}},
        }
    )
    assert report["f1_b"] == 0.75
    assert report["gain_b_over_a"] == pytest.approx(0.25)
    gain = report.figures["gain_b_over_a"]
    assert 0.0 < gain.low < 0.25 < gain.high < 0.5
    assert report.context["f1_always_positive"] == 1.0


def test_an_interval_holds_the_chance_of_training_too() -> None:
    good, bad = [[1, 1, 1]] * 40, [[0, 1, 1]] * 40
    runs = {"0": {"dev_f1": 1, "labels": 6, "rows": good}}
    one = score_fine_tuning({"a": runs})
    assert (one.figures["f1_a"].low, one.figures["f1_a"].high) == (1.0, 1.0)
    assert "f1_always_positive" not in one.context, "several classes: who says yes names none"
    two = score_fine_tuning({"a": {**runs, "1": {"dev_f1": 0, "labels": 6, "rows": bad}}})
    assert (two.figures["f1_a"].low, two.figures["f1_a"].high) == (0.0, 1.0)


def test_a_task_that_nobody_knows_is_named(place: Path) -> None:
    with pytest.raises(UsageError, match="chemprot"):
        compare_recipe(recipe(place, task="other"), data=place, out=place / "x", report=print)


def test_a_word_has_the_tag_of_its_first_piece() -> None:
    begins = np.array([True, False, False, True, True, False])
    tags = np.array([1, 0, 1, 0, 2, 0])
    assert of_whole_words(tags, begins).tolist() == [1, 2, 2, 0, 2, 2]
    assert of_whole_words(np.array([0, 1]), np.array([True, False])).tolist() == [0, 0]
    assert of_whole_words(tags[:0], begins[:0]).tolist() == []

"""The protocols of representations, run on small corpora with small trained models."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'holdfast[train]'")

from holdfast.corpora import write_documents
from holdfast.document import Document, Mention
from holdfast.errors import UsageError
from holdfast.experiments.bier import disambiguation_set
from holdfast.experiments.bier.diagnosing import DiagnoseRequest, run_diagnosis
from holdfast.experiments.bier.disambiguation import EncodedQuestions
from holdfast.experiments.bier.disambiguation_set import (
    DisambiguationQuestion,
    NamedCandidate,
    build_questions,
    thinned,
)
from holdfast.experiments.recipe import Evaluate, KbSpec, Recipe, Train
from holdfast.experiments.run import run_recipe
from holdfast.experiments.train import train_recipe
from holdfast.kb import Entry, KnowledgeBase, build_kb, open_kb
from holdfast.models import trained_model
from holdfast.progress import ignore_progress
from holdfast.systems.bier.agreement import AgreementWeights
from holdfast.systems.bier.model import Encoded
from holdfast.systems.bier.sparse import SparseVectors
from holdfast.systems.bier.training.agreement import FitCase, fit_agreement
from small_kb import MESH
from systems.bier.toys import OF_TYPE, documents
from systems.bier.training.conftest import SETTINGS

pytestmark = pytest.mark.usefixtures("_trained_home")

IDS = {
    name: f"MESH:{letter}1{number}"
    for type, letter in (("Disease", "D"), ("Chemical", "C"), ("Anatomy", "A"))
    for number, name in enumerate(OF_TYPE[type])
}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Cancer Genetics and BC5CDR as folders of made-up documents."""
    folder = tmp_path_factory.mktemp("data")
    for seed, split in enumerate(("train", "dev", "test"), 20):
        found = documents(12, seed=seed)
        cg = folder / "corpora/bionlp13cg" / split
        cg.mkdir(parents=True)
        for document in found:
            (cg / f"{document.id}.txt").write_text(document.text, encoding="utf-8")
            lines = [
                f"T{n}\t{m.type} {m.start} {m.end}\t{document.text_of(m)}\n"
                for n, m in enumerate(document.mentions, 1)
            ]
            (cg / f"{document.id}.a1").write_text("".join(lines), encoding="utf-8")
        path = folder / f"corpora/bc5cdr/{split}.pubtator.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_documents([_linked(d, 1000 * seed + n) for n, d in enumerate(found)], path)
    return folder


def _linked(document: Document, number: int) -> Document:
    from holdfast.document import Passage

    mentions = [replace(m, ids=(IDS[document.text_of(m)],)) for m in document.mentions]
    passages = (Passage("title", 0, len(document.text)),)
    return Document(str(number), document.text, passages=passages, mentions=tuple(mentions))


def labels_recipe(protocol: str, *parts: str) -> Recipe:
    evaluate = Evaluate(protocol, corpus="bionlp13cg", split="test")
    return Recipe("toy", "toy", model=parts, evaluate=evaluate)


def test_labels_are_those_of_the_nearest_neighbours(data: Path) -> None:
    recipe = labels_recipe("labels", "bier-toy", "bier-toy-untuned")
    (report,) = run_recipe(recipe, data=data).reports
    assert report.counts["n_scored"] == 36
    assert report["sparse"] > 0.9
    assert report["oracle"] >= max(report["dense"], report["sparse"])
    assert report["switch"] <= report["oracle"]
    assert {"trigrams", "untuned_first_l2", "dense_dot"} <= report.figures.keys()
    again = run_recipe(recipe, data=data, model=trained_model("bier-toy-int8"))
    assert again.reports[0]["sparse"] > 0.8


def test_few_labelled_mentions_are_enough_for_a_typing_model(data: Path) -> None:
    (report,) = run_recipe(labels_recipe("low-supervision", "bier-toy"), data=data).reports
    assert report["sparse_5"] > 0.8
    assert {"frozen_all", "trigrams_200", "dense_75"} <= report.figures.keys()


@pytest.mark.parametrize("start", ["bier-toy", ""])
def test_a_classifier_is_fine_tuned_from_either_encoder(data: Path, home: Path, start: str) -> None:
    shape = {} if start else {"longest": 24, "mention_tokens": 6, "encoder": str(home / "bert")}
    settings = {
        **shape,
        "start": start,
        "least_steps": 60,
        "batch": 8,
        "learning_rate": 1e-3,
        "head_rate": 1e-2,
        "threads": 1,
    }
    recipe = Recipe(
        f"classifier-{start or 'untuned'}",
        "a classifier",
        train=Train("label classifier", on=("bionlp13cg train",), settings=settings),
        evaluate=Evaluate("label-classifier", corpus="bionlp13cg", split="test"),
    )
    # Made-up documents are alike: those that are measured would be all that there are.
    learned = replace(recipe, evaluate=None)
    train_recipe(learned, data=data, out=trained_model(recipe.name), report=lambda _line: None)
    (report,) = run_recipe(recipe, data=data).reports
    assert report["accuracy"] > (0.8 if start else 0.5), "one in three would be right by chance"


def test_types_that_agree_get_a_weight(data: Path) -> None:
    recipe = Recipe(
        "agreement",
        "agreement",
        train=Train(
            "type agreement",
            on=("bc5cdr train",),
            settings={"model": "bier-toy", "linker": "name-linker", "documents": 6},
        ),
        model=("name-linker", "agreement"),
        evaluate=Evaluate("strict", corpus="bc5cdr", split="dev"),
        kb=KbSpec(get="world"),
    )
    lines = list[str]()
    learned = replace(recipe, evaluate=None)
    train_recipe(learned, data=data, out=trained_model("agreement"), report=lines.append)
    assert "mean log-likelihood" in lines[-1]
    (report,) = run_recipe(recipe, data=data).reports
    assert report["accuracy_at_1"] == 1.0
    right = [FitCase((0.5, 0.4), (-3.0, 3.0), 1)] * 5
    assert fit_agreement(right).weight == 1.0
    wrong = [FitCase((0.5, 0.4), (-3.0, 3.0), 0)] * 5
    assert fit_agreement(wrong) == AgreementWeights(0.0)


def test_popular_answers_are_thinned() -> None:
    pair = (NamedCandidate("a", "a", "", "names", 5), NamedCandidate("b", "b", "", "names", 0))
    easy = [DisambiguationQuestion("test", "c", str(n), "a", 0, 1, pair, 0) for n in range(30)]
    hard = [DisambiguationQuestion("test", "c", str(n), "a", 0, 1, pair, 1) for n in range(3)]
    kept = thinned([*easy, *hard])
    assert len(kept) == 10
    assert sum(q.gold for q in kept) == 3
    assert thinned(hard) == hard


def test_questions_have_the_gold_entity_among_described_candidates(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    splits = {s: (("bc5cdr", s),) for s in ("test", "dev", "train")}
    monkeypatch.setattr(disambiguation_set, "CORPORA", splits)
    monkeypatch.setattr(disambiguation_set, "FEWEST", 1)
    monkeypatch.setattr(disambiguation_set, "thinned", list)  # all are popular where all are sure
    kb = open_kb("world")
    found = build_questions(kb, data=data, progress=ignore_progress)
    assert {q.split for q in found} == {"train", "dev", "test"}
    for question in found:
        answer = question.candidates[question.gold]
        assert IDS[question.text[question.start : question.end]] in kb.equivalents(answer.id)
        assert answer.description


def test_what_vocabularies_name_alike_is_one_candidate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = (
        Entry("MESH:D1", "Renal failure", types=("Disease",)),
        Entry("MESH:D2", "Renal failures", types=("Disease",)),
        Entry("MESH:D3", "Renal failure, acute", types=("Disease",)),
        Entry("MESH:D4", "Renal failure, chronic", types=("Disease",)),
    )
    build_kb(tmp_path / "kidneys", name="kidneys", parts=[(MESH, entries)])
    text = "He died of renal failure."
    mention = Mention.at(11, 24, "Disease", ids=("MESH:D1",))
    read = Document("1", text, mentions=(mention,))
    monkeypatch.setattr(disambiguation_set, "CORPORA", {"test": (("any", "test"),), "train": ()})
    monkeypatch.setattr(disambiguation_set, "load_corpus", lambda *_a, **_k: [read])
    monkeypatch.setattr(disambiguation_set, "thinned", list)
    kb = KnowledgeBase(tmp_path / "kidneys")
    (asked,) = build_questions(kb, data=tmp_path, progress=ignore_progress)
    assert [candidate.id for candidate in asked.candidates] == ["MESH:D1", "MESH:D3", "MESH:D4"]


def test_the_prior_decides_between_candidates_that_are_equally_near() -> None:
    pair = (NamedCandidate("a", "a", "", "names", 1), NamedCandidate("b", "b", "", "names", 3))
    question = DisambiguationQuestion("test", "c", "1", "a", 0, 1, pair, 1)
    assert question.prior.tolist() == [0.25, 0.75]
    one = np.ones((1, 2), np.float32)
    types, values = np.zeros((2, 1), np.int32), np.ones((2, 1), np.float32)
    asked = EncodedQuestions(
        [question],
        Encoded(one, SparseVectors(types[:1], values[:1], 1)),
        Encoded(one.repeat(2, axis=0), SparseVectors(types, values, 1)),
        np.array([0, 2]),
    )
    for form in ("sparse", "dense"):
        assert not asked.right(form, "cosine").any(), "the first of equals"
        assert asked.right(form, "cosine", prior=True).all()


def test_disambiguation_and_the_linkers_errors_are_diagnosed(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    splits = {s: (("bc5cdr", s),) for s in ("test", "dev", "train")}
    monkeypatch.setattr(disambiguation_set, "CORPORA", splits)
    monkeypatch.setattr(disambiguation_set, "FEWEST", 1)
    monkeypatch.setattr(disambiguation_set, "thinned", list)  # all are popular where all are sure
    recipe = Recipe(
        "ned",
        "ned",
        model=("bier-toy", "bier-toy-descriptions", "bier-toy-untuned"),
        evaluate=Evaluate("disambiguation", split="test"),
        kb=KbSpec(get="world"),
    )
    (report,) = run_recipe(recipe, data=data).reports
    assert {"sparse_cosine", "dense_dot", "popularity", "regression", "oracle"} <= {*report.figures}
    assert report.to_json()["n_test"] == report.counts["n_scored"]
    asked = DiagnoseRequest(
        "disambiguation",
        tmp_path / "ned.html",
        type_model="bier-toy",
        description_model="bier-toy-descriptions",
        kb="world",
        data=data,
    )
    assert run_diagnosis(asked, progress=ignore_progress).figures["n"] > 0
    linker = DiagnoseRequest(
        "linker",
        tmp_path / "linker.html",
        on="bc5cdr dev",
        type_model="bier-toy",
        kb="world",
        model="name-linker",
        data=data,
    )
    found = run_diagnosis(linker, progress=ignore_progress)
    assert found.figures["sparse"] == 1.0
    assert json.dumps(found.to_json())
    assert "Errors of the linker" in (tmp_path / "linker.html").read_text(encoding="utf-8")


def test_wrong_settings_are_said(data: Path) -> None:
    bad = Recipe("x", "x", train=Train("typing model", settings={**SETTINGS, "pooling": "last"}))
    with pytest.raises(UsageError, match="pooling = 'last'; it is first or mean"):
        train_recipe(bad, data=data, out=trained_model("x"), report=lambda _line: None)
    unbuilt = Recipe("x", "x", train=Train("typing model", settings={"types": "nowhere"}))
    with pytest.raises(UsageError, match="first `holdfast types build nowhere`"):
        train_recipe(unbuilt, data=data, out=trained_model("x"), report=lambda _line: None)
    with pytest.raises(UsageError, match="name a typing model and one of descriptions"):
        run_recipe(
            Recipe(
                "y",
                "y",
                model=("bier-toy",),
                evaluate=Evaluate("disambiguation", split="test"),
                kb=KbSpec(get="world"),
            ),
            data=data,
        )

"""What a multi-task model adds to documents, and what its evidence says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

from holdfast.document import NIL, Candidate, Document, Evidence, Mention  # noqa: E402
from holdfast.errors import ArtifactError, UsageError  # noqa: E402
from holdfast.kb import Entry  # noqa: E402
from holdfast.step import Each  # noqa: E402
from holdfast.systems.multitask.annotator import MultitaskAnnotator  # noqa: E402
from holdfast.systems.multitask.labels import LABELS  # noqa: E402
from holdfast.systems.multitask.model import MultitaskModel  # noqa: E402
from holdfast.systems.multitask.switch import Both, Switch, fit_switch  # noqa: E402
from holdfast.systems.multitask.training.export import export_multitask  # noqa: E402
from holdfast.systems.multitask.training.train import train_multitask  # noqa: E402
from small_kb import of_entries  # noqa: E402
from systems.multitask.training import toys  # noqa: E402


def silent(_: str) -> None:
    pass


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hierarchical model per entity that has learned its world."""
    place = tmp_path_factory.mktemp("model")
    model = toys.network()
    training = toys.examples(toys.documents(120))
    train_multitask(
        model, training, (), toys.labels(), toys.CONFIG, folder=place / "work", report=silent
    )
    export_multitask(
        model,
        toys.tokenizer(),
        toys.labels(),
        place / "model",
        reading=toys.READING,
        description={},
    )
    return place / "model"


def mentions(annotate: Any, count: int = 10) -> list[Mention]:
    found = annotate.pipe(toys.documents(count, seed=4))
    return [mention for document in found for mention in document.mentions]


def details(mention: Mention) -> str:
    return "; ".join(e.detail for c in mention.candidates[:1] for e in c.evidence)


def test_evidence_names_the_training_mentions_of_a_class(folder: Path, tmp_path: Path) -> None:
    kb = toys.knowledge_base(tmp_path / "kb")
    found = mentions(MultitaskAnnotator.open(folder, kb, top=3))
    assert found
    for mention in found:
        assert len(mention.candidates) == 3
        scores = [candidate.score for candidate in mention.candidates]
        assert scores == sorted(scores, reverse=True)
        assert "class of training mention “" in details(mention)
        assert mention.type in ("Disease", "Chemical")


def test_an_entity_that_the_knowledge_base_lacks_is_said_so(folder: Path, tmp_path: Path) -> None:
    entry = Entry(toys.IDS[0], "Asthma", types=("Disease",))
    other = Entry("OWN:1", "migraine", types=("Disease",), xrefs=(toys.IDS[1],))
    kb = of_entries(tmp_path / "kb", entry, other)
    found = mentions(MultitaskAnnotator.open(folder, kb))
    for mention in found:
        is_known = mention.ids[0] in (toys.IDS[0], "OWN:1")
        assert ("lacks" in details(mention)) != is_known
    ids = {mention.ids[0] for mention in found}
    assert "OWN:1" in ids  # by its cross-reference
    assert toys.IDS[1] not in ids


def test_only_some_types_can_be_asked_for(folder: Path, tmp_path: Path) -> None:
    types = [(toys.type_of(id),) for id in toys.IDS]
    kb = toys.knowledge_base(tmp_path / "kb", types)
    every = mentions(MultitaskAnnotator.open(folder, kb))
    some = mentions(MultitaskAnnotator.open(folder, kb, only=["Disease"]))
    assert {m.type for m in every} == {"Disease", "Chemical"}
    assert {m.type for m in some} == {"Disease"}
    assert len(some) == sum(m.type == "Disease" for m in every)
    for mention in some:
        kept = (kb.row_of(candidate.entity_id) for candidate in mention.candidates)
        assert all("Disease" in kb.types_of(row) for row in kept if row is not None)


def by_names(document: Document) -> Document:
    """A name linker that knows one entity and gives it for everything."""
    reason = (Evidence("exact", "is written so"),)
    best = Candidate("MESH:D9", "anything", 0.6, evidence=reason)
    return document.with_mentions(
        replace(m, ids=("MESH:D9",), candidates=(best,)) for m in document.mentions
    )


@pytest.mark.parametrize(("least", "who"), [(0.0, "class"), (1.01, "name")])
def test_the_switch_decides_who_answers(
    folder: Path, tmp_path: Path, least: float, who: str
) -> None:
    kb = toys.knowledge_base(tmp_path / "kb")
    model = MultitaskModel.open(folder, threads=1)
    annotate = MultitaskAnnotator(
        model, kb, names=Each(by_names, "names"), switch=Switch(least, 0.0)
    )
    assert annotate.digest == f"{model.digest}+names"
    for mention in mentions(annotate):
        assert (mention.ids == ("MESH:D9",)) == (who == "name")
        assert ("name linker answers" in details(mention)) == (who == "name")


def test_evidence_says_where_class_and_name_agree(folder: Path, tmp_path: Path) -> None:
    kb = toys.knowledge_base(tmp_path / "kb")
    model = MultitaskModel.open(folder, threads=1)
    by_class = MultitaskAnnotator(model, kb)

    def alike(document: Document) -> Document:
        return by_class(replace(document, mentions=()))

    annotate = MultitaskAnnotator(model, kb, names=Each(alike, "alike"), switch=Switch(1.01, 0.0))
    told = [details(mention) for mention in mentions(annotate) if mention.is_linked]
    assert told
    assert all("agree" in detail and "uncertain" not in detail for detail in told)


def test_names_answer_where_the_knowledge_base_lacks_the_class(
    folder: Path, tmp_path: Path
) -> None:
    kb = of_entries(tmp_path / "kb", Entry(toys.IDS[0], "Asthma", types=("Disease",)))
    annotate = MultitaskAnnotator(
        MultitaskModel.open(folder), kb, names=Each(by_names), switch=Switch(0.0, 0.0)
    )
    assert {mention.ids[0] for mention in mentions(annotate)} == {toys.IDS[0], "MESH:D9"}


def answer(id: str, score: float) -> Mention:
    if id == NIL:
        return Mention.at(0, 1, ids=(NIL,))
    mention = Mention.at(0, 1, ids=(id,))
    return replace(mention, candidates=(Candidate(id, "x", score),))


def test_the_switch_is_fitted_to_what_is_right() -> None:
    """Classes are right above 0.8; names are right wherever classes are not."""
    both = [
        Both(
            answer("A:1", share / 100),
            answer("B:1", 0.9),
            frozenset({"A:1"} if share > 80 else {"B:1"}),
        )
        for share in range(1, 100, 2)
    ]
    switch = fit_switch(both)
    right = sum(switch.takes_class(b.by_class, b.by_name) == (b.gold == {"A:1"}) for b in both)
    assert right == len(both)
    assert not Switch(0.0, 0.0).takes_class(answer(NIL, 0.0), answer("B:1", 0.1))


def test_a_damaged_model_is_one_line_that_names_the_file(folder: Path, tmp_path: Path) -> None:
    import shutil

    broken = tmp_path / "broken"
    shutil.copytree(folder, broken)
    (broken / LABELS).write_text("[]", encoding="utf-8")
    with pytest.raises(ArtifactError, match=LABELS.replace(".", r"\.")):
        MultitaskModel.open(broken)


def test_a_model_per_entity_is_read_by_recognition_alone(folder: Path) -> None:
    with pytest.raises(UsageError, match="recognition says where"):
        MultitaskModel.open(folder, read="linking")

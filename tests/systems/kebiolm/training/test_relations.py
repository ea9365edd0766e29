"""A relation model is trained, exported, and used as everybody does."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")
pytest.importorskip("transformers")

from command import call  # noqa: E402
from holdfast import artifacts  # noqa: E402
from holdfast.corpora import read_documents, write_documents  # noqa: E402
from holdfast.document import Argument, Document, Mention  # noqa: E402
from holdfast.errors import UsageError  # noqa: E402
from holdfast.experiments.recipe import Recipe  # noqa: E402
from holdfast.experiments.run import run_recipe  # noqa: E402
from holdfast.models import manifest_of  # noqa: E402
from holdfast.systems.kebiolm.relations.asked import ReadText, ask  # noqa: E402
from holdfast.systems.kebiolm.relations.excerpt import excerpt  # noqa: E402
from holdfast.systems.kebiolm.relations.model import RelationModel  # noqa: E402
from holdfast.systems.kebiolm.relations.pairs import questions_of  # noqa: E402
from holdfast.systems.kebiolm.relations.relater import (  # noqa: E402
    BOUNDED,
    Relater,
)
from holdfast.systems.kebiolm.relations.scores import score  # noqa: E402
from holdfast.systems.kebiolm.training.relations.data import (  # noqa: E402
    UNKNOWN,
    ReadingConfig,
    RelationBatch,
    examples_of,
    gold_pairs,
)
from holdfast.systems.kebiolm.training.relations.excerpts import excerpts_of  # noqa: E402
from holdfast.systems.kebiolm.training.relations.model import RelationNetwork  # noqa: E402
from holdfast.systems.kebiolm.training.relations.recipe import (  # noqa: E402
    RelationRecipeConfig,
    _documents,
    _given_fit,
    train_relation_recipe,
)
from holdfast.text.sentences import split_sentences  # noqa: E402
from holdfast.training.token_encoder import open_token_encoder  # noqa: E402
from systems.kebiolm.training import relation_toys as toys  # noqa: E402


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data, a knowledge base, an encoder, and the model that a recipe trained."""
    folder = tmp_path_factory.mktemp("relations")
    toys.place(folder)
    train_relation_recipe(recipe(folder), data=folder, out=folder / "model", report=lambda _: None)
    return folder


def recipe(folder: Path) -> Recipe:
    return toys.recipe(folder)


def test_it_learns_which_drug_causes_what(place: Path) -> None:
    for name in ("model", "model-int8"):
        (report,) = run_recipe(recipe(place), data=place, model=place / name).reports
        assert report["f1"] > 0.9
        every, near = (float(report.context[f"f1_{k}_pairs"] or 0) for k in ("all", "sentence"))
        assert 0.3 < every < near < 0.8
    assert manifest_of(place / "model").config["results"]
    sizes = [
        sum(e["size"] for e in manifest_of(place / n).files.values())
        for n in ("model", "model-int8")
    ]
    assert sizes[1] < sizes[0]


def test_a_relation_has_a_score_and_its_own_sentence_as_evidence(place: Path) -> None:
    relate = Relater.open(place / "model", toys.knowledge_base(place / "kb2"))
    for document in toys.documents(10, seed=9):
        found = relate(replace(document, relations=()))
        for relation in found.relations:
            (span,) = relation.evidence
            sentence = document.text[slice(*span)]
            drug, disease = (int(a.entity_id[6:]) for a in relation.arguments)
            assert relation.score is not None
            assert 0 < relation.score <= 1
            assert toys.DRUGS[drug] in sentence
            assert toys.DISEASES[disease] in sentence
    assert list(relate.pipe([])) == []


def test_where_no_sentence_mentions_both_there_are_two_as_evidence(place: Path) -> None:
    model = RelationModel.open(place / "model")
    text = "The aspirin is old. A word. The tremor came."
    mentions = (
        Mention.at(4, 11, "Chemical", ids=("MESH:C0",)),
        Mention.at(32, 38, "Disease", ids=("MESH:D5",)),
    )
    (judged,) = model.judge(Document("1", text, mentions=mentions)).judged
    assert [text[a:b] for a, b in judged.evidence] == ["The aspirin is old.", "The tremor came."]


def test_relations_that_are_there_stay_and_are_not_doubled(place: Path) -> None:
    relate = Relater.open(place / "model", None)
    document = next(d for d in toys.documents(20, seed=9) if d.relations)
    again = relate(document).relations
    assert again[: len(document.relations)] == document.relations
    pairs = [tuple(a.entity_id for a in r.arguments) for r in again]
    assert len(pairs) == len(set(pairs))


def test_numpy_and_torch_and_8_bits_agree(place: Path) -> None:
    shape = RelationModel.open(place / "model").shape
    torch.manual_seed(0)
    network = RelationNetwork(shape, open_token_encoder(str(place / "encoder")), hidden=16).eval()
    weights = {name: t.detach().numpy() for name, t in network.heads.state_dict().items()}
    model = RelationModel.open(place / "model")
    reading = ReadingConfig(window=7, overlap=2)  # several windows a document
    documents = toys.documents(6, seed=5)
    examples = list(examples_of(documents, model.encoder.reader, shape, reading))
    with torch.inference_mode():
        together = network(RelationBatch.of(examples)).numpy()
        rows = []
        for example in examples:
            batch = RelationBatch.of([example])
            states = network.states(batch).numpy()
            rows.append(score(states, example.asked, weights).of_tails)
    assert np.allclose(together, np.concatenate(rows), atol=1e-4)


def test_only_the_head_is_marked_as_the_head(place: Path) -> None:
    model = RelationModel.open(place / "model")
    document = toys.documents(1, seed=5)[0]
    text = ReadText.of(document, model.encoder.reader, model.shape)
    for question in questions_of(document, model.shape).questions:
        asked = ask(text, question)
        assert asked is not None
        words = [
            document.text[asked.tokens.starts[t] : asked.tokens.ends[t]]
            for t in np.flatnonzero(asked.marks[:, 0]).tolist()
        ]
        assert words == [toys.DRUGS[int(question.head.id[6:])]]
        assert asked.marks.sum(axis=1).max() == 1


def test_a_tail_is_read_beside_the_heads_mention_in_its_sentence(place: Path) -> None:
    model = RelationModel.open(place / "model")
    words = "The aspirin, tremor. The aspirin of a long list caused nausea. The aspirin is gone."
    spans = {w: [m.span() for m in re.finditer(w, words)] for w in ("aspirin", "tremor", "nausea")}
    ids = {"aspirin": "MESH:C0", "tremor": "MESH:D5", "nausea": "MESH:D3"}
    mentions = tuple(
        Mention.at(*span, "Chemical" if word == "aspirin" else "Disease", ids=(ids[word],))
        for word, own in spans.items()
        for span in own
    )
    document = Document("1", words, mentions=mentions)
    (question,) = questions_of(document, model.shape).questions
    asked = ask(ReadText.of(document, model.encoder.reader, model.shape), question)
    assert asked is not None
    assert [tail.id for tail in asked.judged] == ["MESH:D5", "MESH:D3"]
    assert asked.nearest.tolist() == [0, 1]


def test_a_disease_far_from_the_drug_is_judged_unless_the_text_is_very_long(place: Path) -> None:
    model = RelationModel.open(place / "model")
    for filling, is_judged in ((300, True), (1200, False)):
        text = "aspirin " + "the " * filling + "tremor"
        mentions = (
            Mention.at(0, 7, "Chemical", ids=("MESH:C0",)),
            Mention.at(len(text) - 6, len(text), "Disease", ids=("MESH:D5",)),
        )
        judgement = model.judge(Document("1", text, mentions=mentions))
        assert bool(judgement.judged) == is_judged


def test_a_pair_more_general_than_an_annotated_one_is_no_negative(place: Path) -> None:
    model = RelationModel.open(place / "model")
    document = next(d for d in toys.documents(30, seed=6) if len(d.relations) == 1)
    (cause,) = document.relations
    other = next(
        m
        for m in document.mentions
        if m.type == "Disease" and m.ids[0] != cause.arguments[1].entity_id
    )
    general = other.ids[0]
    kept, ignored = (
        [
            value
            for example in examples_of(
                [document], model.encoder.reader, model.shape, ReadingConfig(), above=above
            )
            if example.head == cause.arguments[0].entity_id
            for value in example.labels[:, 0].tolist()
        ]
        for above in (None, lambda _: frozenset([general]))
    )
    assert sorted(kept) == [0.0, 1.0]
    assert sorted(ignored) == [UNKNOWN, 1.0]


def test_a_pair_more_general_at_its_head_is_no_negative_either(place: Path) -> None:
    model = RelationModel.open(place / "model")
    document = next(d for d in toys.documents(30, seed=6) if len(d.relations) == 1)
    (cause,) = document.relations
    drug, disease = (argument.entity_id for argument in cause.arguments)
    (general,) = {m.ids[0] for m in document.mentions if m.type == "Chemical"} - {drug}
    labels = {
        (example.head, tail.id): label
        for example in examples_of(
            [document],
            model.encoder.reader,
            model.shape,
            ReadingConfig(),
            above=lambda one: frozenset([general]) if one == drug else frozenset(),
        )
        for tail, label in zip(example.asked.judged, example.labels[:, 0].tolist(), strict=True)
    }
    assert labels.pop((drug, disease)) == 1.0
    assert labels.pop((general, disease)) == UNKNOWN
    assert set(labels.values()) == {0.0}


def between_mentions(document: Document) -> Document:
    """The same relations, of mentions instead of entities, as brat and BioC have them."""
    mentions = tuple(replace(m, id=f"T{n}") for n, m in enumerate(document.mentions))
    of_entity = {m.ids[0]: m.id for m in mentions}
    relations = tuple(
        replace(
            r, arguments=tuple(Argument(mention_id=of_entity[a.entity_id]) for a in r.arguments)
        )
        for r in document.relations
    )
    return replace(document, mentions=mentions, relations=tuple(relations))


def test_relations_between_mentions_are_those_of_their_entities(place: Path) -> None:
    model = RelationModel.open(place / "model")
    document = next(d for d in toys.documents(30, seed=6) if len(d.relations) == 2)
    changed = between_mentions(document)
    assert gold_pairs(changed, model.shape) == gold_pairs(document, model.shape)
    first, _ = split_sentences(document.text)
    assert len(excerpt(changed, *first).relations) == 1
    again = Relater.open(place / "model", None)(changed).relations
    assert len(again) == len(Relater.open(place / "model", None)(document).relations)


def test_training_documents_without_a_relation_of_the_labels_are_refused(
    place: Path, tmp_path: Path
) -> None:
    settings = {**recipe(place).trained.settings, "labels": ["treats"]}
    asked = replace(recipe(place), train=replace(recipe(place).trained, settings=settings))
    with pytest.raises(UsageError, match=r"no training document relates .* by treats"):
        train_relation_recipe(asked, data=place, out=tmp_path / "model", report=lambda _: None)


def test_an_excerpt_has_its_own_mentions_and_the_relations_between_them() -> None:
    document = next(d for d in toys.documents(30, seed=6) if len(d.relations) == 2)
    first, second = split_sentences(document.text)
    part = excerpt(document, second.start, second.end)
    assert part.text == document.text[second.start : second.end]
    assert [part.text_of(m) for m in part.mentions] == [
        document.text_of(m) for m in document.mentions if m.start >= second.start
    ]
    assert part.relations == document.relations[1:]
    drawn = excerpts_of(document, 20, np.random.default_rng(0))
    assert {d.text for d in drawn} == {document.text[a:b] for a, b in (first, second)}


def test_related_entities_of_two_sentences_are_not_learned_from_an_excerpt(place: Path) -> None:
    model = RelationModel.open(place / "model")
    document = next(d for d in toys.documents(30, seed=6) if len(d.relations) == 1)
    (cause,) = document.relations
    drug, own = (argument.entity_id for argument in cause.arguments)
    diseases = [m.ids[0] for m in document.mentions if m.type == "Disease"]
    (other,) = (id for id in diseases if id != own)
    apart = replace(cause, arguments=(Argument(drug), Argument(other)))
    labels = {
        example.head: {
            tail.id: float(label)
            for tail, (label,) in zip(example.asked.judged, example.labels, strict=True)
        }
        for example in examples_of(
            [replace(document, relations=(cause, apart))],
            model.encoder.reader,
            model.shape,
            ReadingConfig(),
            are_excerpts=True,
        )
    }
    assert labels[drug] == {own: 1.0, other: UNKNOWN}


def test_a_stopped_training_goes_on_exactly(place: Path, tmp_path: Path) -> None:
    short = {**recipe(place).trained.settings, "steps": 12, "save_every": 4}
    asked = replace(recipe(place), train=replace(recipe(place).trained, settings=short))
    train_relation_recipe(asked, data=place, out=tmp_path / "whole", report=lambda _: None)

    def stop(line: str) -> None:
        if line.startswith("step 12"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_relation_recipe(asked, data=place, out=tmp_path / "stopped", report=stop)
    lines = list[str]()
    train_relation_recipe(asked, data=place, out=tmp_path / "stopped", report=lines.append)
    assert "going on from step 8" in lines
    whole, stopped = (manifest_of(tmp_path / n).files for n in ("whole", "stopped"))
    assert whole["model.onnx"] == stopped["model.onnx"]


def crowd(count: int) -> Document:
    """So many drugs and diseases, none of them known, in sentences of two."""
    text, mentions = "", list[Mention]()
    for n in range(count):
        for type, id in (("Chemical", f"MESH:X{n}"), ("Disease", f"MESH:Y{n}")):
            mentions.append(Mention.at(len(text), len(text) + 4, type, ids=(id,)))
            text += "word "
        text += "caused. "
    return Document("crowd", text, mentions=tuple(mentions))


def test_of_300_entities_a_bounded_number_of_pairs_is_judged_and_it_is_said(
    place: Path, tmp_path: Path
) -> None:
    path = tmp_path / "crowd.jsonl"
    write_documents([crowd(150)], path)
    options = ("--kb", place / "kb", "--model", place / "model-int8", "--linked")
    done = call("relate", path, *options, "--json")
    assert done.returncode == 0, done.stderr
    assert "2,000 of 22,500 pairs" in done.stderr
    (document,) = json.loads(done.stdout)["documents"]
    assert BOUNDED in dict(map(tuple, document["metadata"]))


@pytest.mark.parametrize(
    "text", ["", "Nothing is named here.", "Only asthma.", "L’asthme n’est pas causé par ça. 喘息"]
)
def test_texts_without_a_pair_have_no_relations(place: Path, text: str) -> None:
    relate = Relater.open(place / "model", None)
    start = text.find("asthma")
    mentions = (Mention.at(start, start + 6, "Disease", ids=("MESH:D0",)),) if start >= 0 else ()
    assert relate(Document("1", text, mentions=mentions)).relations == ()


@pytest.mark.parametrize("form", ["text", "json", "pubtator", "bioc"])
def test_relate_prints_every_format(place: Path, tmp_path: Path, form: str) -> None:
    options = ("--kb", place / "kb", "--model", place / "model-int8", "--linked")
    done = call("relate", place / "test.pubtator", *options, "--format", form)
    assert done.returncode == 0, done.stderr
    if form == "text":
        assert "The " in done.stdout
        assert "CID" in done.stdout
        return
    suffix = {"json": "json", "pubtator": "pubtator", "bioc": "bioc.json"}[form]
    path = tmp_path / f"out.{suffix}"
    if form == "json":
        found = [Document.from_json(d) for d in json.loads(done.stdout)["documents"]]
        assert json.loads(done.stdout)["documents"][0]["id"]
    else:
        path.write_text(done.stdout, encoding="utf-8")
        found = list(read_documents(path))
    related = [r for d in found for r in d.relations]
    assert related
    assert all(r.score is not None and r.evidence for r in related)


def test_a_model_that_relates_nothing_is_refused(place: Path) -> None:
    done = call("relate", "A drug.", "--kb", place / "kb", "--model", "linker")
    assert done.returncode == 2
    assert "--model linker: relates nothing" in done.stderr


def test_relate_finds_and_links_by_itself(place: Path) -> None:
    drug, disease = toys.DRUGS[0], toys.DISEASES[0]
    text = f"The {drug} caused the {disease}. The {toys.DRUGS[1]} spared the {toys.DISEASES[1]}."
    options = ("--kb", place / "kb", "--model", place / "model-int8", "--json")
    done = call("relate", text, *options, "--linker", "name-linker")
    assert done.returncode == 2
    assert "detector" in done.stderr
    parts = {"parts": ["dictionary-detector", "name-linker"]}
    (place / "plain").mkdir(exist_ok=True)
    artifacts.write_manifest(place / "plain", kind="pipeline", version=1, config=parts)
    done = call("relate", text, *options, "--linker", place / "plain")
    assert done.returncode == 0, done.stderr
    (relation,) = json.loads(done.stdout)["relations"]
    assert [a["entity_id"] for a in relation["arguments"]] == ["MESH:C0", "MESH:D0"]
    assert relation["evidence"][0]["text"].startswith(f"The {drug} caused")


def test_wrong_use_is_said_in_one_line(place: Path) -> None:
    for arguments, reason in (
        (("relate",), "name a text"),
        (("relate", "x", "--format", "tsv"), "tsv"),
        (("relate", "x", "--min-score", "2"), "between 0 and 1"),
        (("relate", "x", "--kb", place / "kb", "--linked", "--model", "linker"), "relates nothing"),
    ):
        done = call(*arguments)
        assert done.returncode == 2
        assert reason in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1


def test_a_recipe_without_a_split_to_choose_by_needs_thresholds(place: Path) -> None:
    bare = replace(recipe(place), train=replace(recipe(place).trained, select=""))
    with pytest.raises(UsageError, match="fitted_by"):
        train_relation_recipe(bare, data=place, out=place / "other", report=lambda _: None)


def test_documents_to_choose_by_can_be_held_out_of_training(place: Path) -> None:
    bare = replace(recipe(place), train=replace(recipe(place).trained, select=""))
    lines = list[str]()
    learned, chosen = _documents(bare, 0.3, data=place, report=lines.append)
    every, none = _documents(bare, 0.0, data=place, report=lines.append)
    assert not none
    assert 5 < len(chosen) < 30
    assert len(learned) + len(chosen) == len(every)
    assert not {d.id for d in learned} & {d.id for d in chosen}
    assert any("chosen by" in line for line in lines)
    assert _given_fit(RelationRecipeConfig(chosen_share=0.3), "", "toys") is None

"""A relation model that judges each sentence by itself and does not read names."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")
pytest.importorskip("transformers")

from holdfast.document import Document, Mention  # noqa: E402
from holdfast.experiments.recipe import Recipe  # noqa: E402
from holdfast.experiments.run import run_recipe  # noqa: E402
from holdfast.models import manifest_of  # noqa: E402
from holdfast.systems.kebiolm.relations.asked import ReadText  # noqa: E402
from holdfast.systems.kebiolm.relations.model import RelationModel  # noqa: E402
from holdfast.systems.kebiolm.relations.relater import Relater  # noqa: E402
from holdfast.systems.kebiolm.training.relations.recipe import (  # noqa: E402
    train_relation_recipe,
)
from systems.kebiolm.training import relation_toys as toys  # noqa: E402

_SETTINGS = {"within": "sentence", "hides_names": True, "masked_mentions": 0.0}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data, a knowledge base, an encoder, and the model that a recipe trained."""
    folder = tmp_path_factory.mktemp("sentences")
    toys.place(folder)
    train_relation_recipe(recipe(folder), data=folder, out=folder / "model", report=lambda _: None)
    return folder


def recipe(folder: Path) -> Recipe:
    return toys.recipe(folder, **_SETTINGS)


def sentences(*words: tuple[str, str, str]) -> Document:
    """The first word of each is a drug, the last a disease; their ids are their names."""
    text, mentions = "", list[Mention]()
    for drug, verb, disease in words:
        mentions.append(Mention.at(len(text) + 4, len(text) + 4 + len(drug), "Drug", ids=(drug,)))
        text += f"The {drug} {verb} the "
        mentions.append(Mention.at(len(text), len(text) + len(disease), "Disease", ids=(disease,)))
        text += f"{disease}. "
    return Document("1", text, mentions=tuple(mentions))


def found(place: Path, document: Document, model: str = "model") -> set[tuple[str, ...]]:
    relations = Relater.open(place / model, None)(document).relations
    return {tuple(argument.entity_id for argument in r.arguments) for r in relations}


def test_it_learns_and_says_so_in_its_manifest(place: Path) -> None:
    for name in ("model", "model-int8"):
        (report,) = run_recipe(recipe(place), data=place, model=place / name).reports
        assert report["f1"] > 0.9
        config = manifest_of(place / name).config
        assert (config["within"], config["hides_names"]) == ("sentence", True)
        assert "single sentences" in config["about"]


def test_names_that_it_has_never_seen_are_related_like_others(place: Path) -> None:
    asked = [("zyxomab forte", "caused", "great itch"), ("foo", "spared", "bar")]
    for name in ("model", "model-int8"):
        assert found(place, sentences(*asked), name) == {("zyxomab forte", "great itch")}


def test_a_sentence_does_not_depend_on_its_neighbours(place: Path) -> None:
    model = RelationModel.open(place / "model")
    asked = [("aspirin", "caused", "tremor"), ("lithium", "spared", "nausea")]
    alone = [model.judge(sentences(pair)).judged[0].probability for pair in asked]
    together = model.judge(sentences(*asked)).judged
    assert [judged.head for judged in together] == ["aspirin", "lithium"]
    assert [judged.probability for judged in together] == pytest.approx(alone)


def test_of_several_sentences_the_clearest_is_the_evidence(place: Path) -> None:
    asked = [("aspirin", "spared", "tremor"), ("aspirin", "caused", "tremor")]
    document = sentences(*asked, ("aspirin", "spared", "tremor"))
    (relation,) = Relater.open(place / "model", None)(document).relations
    (span,) = relation.evidence
    assert document.text[slice(*span)] == "The aspirin caused the tremor."


def test_one_blank_stands_for_a_name_and_other_types_are_read(place: Path) -> None:
    model = RelationModel.open(place / "model")
    text = "The lithium nausea tremor caused tremor."
    mentions = (
        Mention.at(4, 18, "Chemical", ids=("MESH:C3",)),
        Mention.at(12, 25, "Disease"),  # overlaps it, and is not linked
        Mention.at(33, 39, "CellLine", ids=("CVCL:1",)),
    )
    read = ReadText.of(Document("1", text, mentions=mentions), model.encoder.reader, model.shape)
    spans = zip(read.tokens.starts.tolist(), read.tokens.ends.tolist(), strict=True)
    words = [text[start:end] for start, end in spans]
    assert words[0] == "The"
    assert words[1] == "lithium nausea tremor"
    assert words[2:4] == ["caused", "tremor"]
    blank = model.encoder.reader.blank
    assert [int(id) == blank for id in read.tokens.ids[:4]] == [False, True, False, False]
    assert list(read.places) == ["MESH:C3"]
    assert (read.places["MESH:C3"][0].first, read.places["MESH:C3"][0].last) == (1, 1)
    assert read.tokens.words.tolist() == list(range(len(words)))

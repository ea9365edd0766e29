"""What the collective encoder is compared with, and recipes from training to figures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

from holdfast.experiments.collective_run import bm25_retriever  # noqa: E402

from holdfast import artifacts  # noqa: E402
from holdfast.bench.collective import (  # noqa: E402
    Systems,
    bench_collective,
    render_collective_speed,
)
from holdfast.bench.training_curves import times_faster, training_curves  # noqa: E402
from holdfast.corpora import dumps  # noqa: E402
from holdfast.document import Document  # noqa: E402
from holdfast.errors import UsageError  # noqa: E402
from holdfast.experiments.recipe import KbSpec, Recipe, read_recipe, shipped  # noqa: E402
from holdfast.experiments.run import COLLECTIVE, model_folder, run_recipe  # noqa: E402
from holdfast.kb import KnowledgeBase  # noqa: E402
from holdfast.models import list_models  # noqa: E402
from holdfast.systems.collective.cross import CrossEncoderModel, PairReader  # noqa: E402
from holdfast.systems.collective.entities import Nearest  # noqa: E402
from holdfast.systems.collective.training import recipe as collective_recipe  # noqa: E402
from holdfast.systems.collective.training import start as collective_start  # noqa: E402
from holdfast.systems.collective.training.cross import (  # noqa: E402
    CrossConfig,
    CrossEncoder,
    cases_of,
    export_cross_encoder,
    train_cross_encoder,
)
from holdfast.systems.collective.training.recipe import read_settings, train_collective  # noqa: E402
from systems.collective.training import toys  # noqa: E402

CROSS = CrossConfig(
    steps=80,
    batch=8,
    candidates=6,
    learning_rate=3e-3,
    head_rate=3e-3,
    context=20,
    longest_context=8,
    longest_name=6,
    look_every=40,
    threads=1,
)
SETTINGS: dict[str, Any] = {
    "steps": 40,
    "align_steps": 0,
    "batch": 8,
    "learning_rate": 3e-3,
    "head_rate": 3e-3,
    "encoded": 6,
    "refresh_every": 20,
    "window": 40,
    "overlap": 8,
    "threads": 1,
    "select": "bc5cdr dev",
}


def silent(_: str) -> None:
    pass


@pytest.fixture
def kb(tmp_path: Path) -> KnowledgeBase:
    return toys.knowledge_base(tmp_path / "kb")


def pair_reader() -> PairReader:
    return PairReader.of(toys.tokenizer(), context=20, longest_context=8, longest_name=6)


def every(document: Document) -> list[list[tuple[str, str]]]:
    """All entities as candidates of every mention."""
    names = [(id, called[0]) for id, called in zip(toys.IDS, toys.CALLED, strict=True)]
    return [names for _ in document.mentions]


def trained_cross(folder: Path) -> CrossEncoder:
    torch.manual_seed(5)
    model = CrossEncoder(toys.transformer(toys.tokenizer()))
    reader = pair_reader()
    cases = cases_of(toys.documents(3), reader, every)
    history = train_cross_encoder(model, cases, cases, reader, CROSS, folder=folder, report=silent)
    assert history[-1]["accuracy"] > 0.6
    assert history[-1]["loss"] < 0.6 * history[0]["loss"]
    return model


def test_a_cross_encoder_learns_and_its_export_ranks_as_it_does(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    model = trained_cross(tmp_path / "work")
    export_cross_encoder(model, toys.tokenizer(), tmp_path / "model", config=CROSS, description={})
    opened = CrossEncoderModel.open(tmp_path / "model", threads=1)
    document = toys.documents(1)[0]
    reader = pair_reader()
    (case, *_) = cases_of([document], reader, every)
    pairs = [reader.pair(case.mention, name) for name in case.names]
    with torch.inference_mode():
        tokens = torch.tensor([id for pair in pairs for id in pair])
        scores = model(tokens, torch.tensor([len(pair) for pair in pairs]))
    np.testing.assert_allclose(opened.score(pairs), scores.numpy(), atol=1e-4)
    near = [[Nearest(e, int(kb.first_name[e]), 0.0) for e in range(len(kb))]] * 3
    ranked = opened.rerank(document, near, kb)
    found = [kb.id_at(candidates[0].entity) for candidates in ranked]
    assert sum([id] == list(m.ids) for id, m in zip(found, document.mentions, strict=True)) >= 2
    assert opened.rerank(document, [[], [], []], kb) == [[], [], []]


def test_a_pair_marks_the_mention_and_keeps_what_is_near() -> None:
    reader = pair_reader()
    document = toys.documents(1)[0]
    own = reader.mention_tokens(document, document.mentions[1])
    assert own.count(reader.markers[0]) == own.count(reader.markers[1]) == 1
    assert own.index(reader.markers[0]) <= 8
    assert len(own) - own.index(reader.markers[1]) - 1 <= 8
    assert reader.pair([1], [2]) == [1, reader.frame[1], 2]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """BC5CDR's layout with documents of the toy world."""
    folder = tmp_path / "data" / "corpora" / "bc5cdr"
    folder.mkdir(parents=True)
    for seed, (split, count) in enumerate((("train", 80), ("dev", 6), ("test", 6))):
        documents = [
            replace(d, id=str(1000 * seed + n), mentions=tuple(_typed(d)))
            for n, d in enumerate(toys.documents(count, seed=seed))
        ]
        (folder / f"{split}.pubtator.txt").write_text(
            dumps(documents, "pubtator"), encoding="utf-8"
        )
    rows = (
        f"{id}\t{called[0]}\t{called[1]}\tDisease\n"
        for id, called in zip(toys.IDS, toys.CALLED, strict=True)
    )
    text = "id\tname\tsynonyms\ttype\n" + "".join(rows)
    (tmp_path / "data" / "terms.tsv").write_text(text, encoding="utf-8")
    return tmp_path / "data"


def _typed(document: Document) -> list[Any]:
    return [replace(mention, type="Disease") for mention in document.mentions]


@pytest.fixture(autouse=True)
def _small_encoders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Recipes name pretrained encoders; the toy world has its own."""
    monkeypatch.setattr(collective_recipe, "open_tokenizer", lambda _: toys.tokenizer())
    monkeypatch.setattr(
        collective_recipe,
        "DualEncoder",
        lambda shape: toys.dual_encoder(mention=shape.mention, detection=shape.detection),
    )
    monkeypatch.setattr(
        collective_recipe,
        "open_cross_encoder",
        lambda _: CrossEncoder(toys.transformer(toys.tokenizer())),
    )


def recipe(name: str, linker: str, **options: Any) -> Recipe:
    settings = options.pop("settings", SETTINGS)
    return Recipe(
        name=name,
        title=name,
        protocol=options.pop("protocol", "ranked"),
        corpus="bc5cdr",
        split="test",
        linker=linker,
        fit=options.pop("fit", ("bc5cdr train",)),
        kb=KbSpec(reader="table", path="terms.tsv"),
        settings=settings,
        **options,
    )


def measured(chosen: Recipe, data: Path) -> Any:
    if chosen.fit:
        train_collective(chosen, data=data, out=model_folder(chosen.name), report=silent)
    return run_recipe(chosen, data=data).reports


def test_recipes_train_and_measure_every_row_of_the_tables(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (collective,) = measured(recipe("collective", "collective"), data)
    assert collective["accuracy_at_1"] > 0.8
    (small,) = measured(recipe("collective-int8", "collective", fit=(), settings={}), data)
    assert small["accuracy_at_1"] > 0.7
    around = {**SETTINGS, "context": 20, "batch": 24}
    alone = recipe("single", "single", settings=around)
    monkeypatch.setattr(collective_start, "read_recipe", {"single": alone}.__getitem__)
    (single,) = measured(alone, data)
    assert single["accuracy_at_1"] > 0.8
    (bm25,) = measured(recipe("bm25", "bm25", fit=(), settings={}), data)
    assert 0.2 < bm25["accuracy_at_1"] < 0.8  # half of the wordings are names
    pairs = {"steps": 10, "context": 20, "threads": 1, "select": "bc5cdr dev", "fit_documents": 9}
    told = {**pairs, "retriever": "single"}
    (blink,) = measured(recipe("blink", "blink", settings=told), data)
    assert blink["recall_at_10"] == 1.0  # of six entities, ten were retrieved
    (cross,) = measured(recipe("cross", "cross", settings=pairs), data)
    assert cross["recall_at_10"] == pytest.approx(bm25["recall_at_10"])
    added = {"gold_added": True}
    (dagger,) = measured(recipe("dagger", "cross", fit=(), model="cross", settings=added), data)
    assert dagger["recall_at_10"] == 1.0
    speed = bench_collective(
        Systems("collective", "single", "blink"),
        toys.knowledge_base(data / "kb"),
        toys.documents(2),
        threads=1,
        rounds=1,
        progress=lambda _what, _done: None,
    )
    assert speed["mentions"] == 6
    assert "times BLINK with 10 candidates" in render_collective_speed(speed)


def test_an_end_to_end_recipe_finds_and_links(data: Path) -> None:
    settings = {**SETTINGS, "mention": "mean", "detection": "spans", "steps": 100}
    strong, partial = measured(
        recipe("joint", "collective", protocol="strong", also=("partial",), settings=settings),
        data,
    )
    assert partial["f1"] >= strong["f1"] > 0.7
    listed = {model.name: model for model in list_models()}
    chosen = "6 documents of bc5cdr dev, when it was chosen: "
    assert {*listed["joint"].results} == {
        chosen + "given mentions right",
        chosen + "F1 of mentions found and linked",
    }
    assert not listed["joint-int8"].results


def test_a_run_begins_with_no_encoder_that_has_learned_what_it_is_measured_on(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = replace(recipe("first", "collective"), split="dev")
    measured(first, data)
    monkeypatch.setattr(collective_start, "read_recipe", {"first": first}.__getitem__)
    further = {**SETTINGS, "start": "first", "steps": 2, "refresh_every": 1}
    (report,) = measured(recipe("second", "collective", settings=further), data)
    assert report["accuracy_at_1"] > 0.8  # two steps teach little: it is what the first knew
    train, test = (data / "corpora" / "bc5cdr" / f"{s}.pubtator.txt" for s in ("train", "test"))
    known = train.read_text(encoding="utf-8").split("\n\n")[0]
    with test.open("a", encoding="utf-8") as file:
        file.write(known + "\n\n")
    with pytest.raises(UsageError, match="'first', which it begins with or uses, has learned 1 of"):
        measured(recipe("third", "collective", settings=further), data)
    swapped = replace(recipe("fourth", "collective", settings=further), split="train")
    with pytest.raises(UsageError, match="has learned bc5cdr train, which it is measured on"):
        measured(swapped, data)
    unfinished = replace(first, name="unfinished")
    monkeypatch.setattr(collective_start, "read_recipe", {"unfinished": unfinished}.__getitem__)
    missing = replace(recipe("fifth", "collective"), split="dev")
    missing = replace(missing, settings={**further, "start": "unfinished"})
    with pytest.raises(UsageError, match="first `holdfast train unfinished`"):
        measured(missing, data)


@pytest.mark.parametrize("name", [n for n in shipped() if read_recipe(n).linker in COLLECTIVE])
def test_the_settings_of_every_shipped_recipe_are_known(name: str) -> None:
    chosen = read_recipe(name)
    if chosen.linker in ("collective", "single"):
        settings = read_settings(chosen)
        assert bool(settings.reading.context) == (chosen.linker == "single" and bool(chosen.fit))
    if chosen.fit:
        assert chosen.settings["select"].endswith(" dev")


def test_what_cannot_be_trained_or_measured_is_said() -> None:
    with pytest.raises(UsageError, match="no setting is called 'stepps'"):
        read_settings(recipe("x", "collective", settings={"stepps": 3}))
    with pytest.raises(UsageError, match="trains nothing"):
        train_collective(recipe("x", "bm25", fit=()), data=Path(), out=Path("x"), report=silent)
    with pytest.raises(UsageError, match="first `holdfast train"):
        Systems("no", "such", "thing").folders()


def test_curves_are_of_runs_that_were_made_for_them() -> None:
    systems, home = Systems("collective", "single", "blink"), artifacts.home() / "models"
    (home / "collective-curve").mkdir(parents=True)
    assert systems.curves() == {}
    (home / "single-curve").mkdir()
    assert [*systems.curves().values()] == [home / "collective-curve", home / "single-curve"]
    (home / "single-curve-wide").mkdir()
    assert [*systems.curves().values()][2:] == [home / "single-curve-wide"]


def test_times_faster_compares_where_both_were() -> None:
    quick = [{"seconds": 10.0, "accuracy": 0.4}, {"seconds": 20.0, "accuracy": 0.9}]
    slow = [{"seconds": 40.0, "accuracy": 0.4}, {"seconds": 80.0, "accuracy": 0.6}]
    assert times_faster(quick, slow) == pytest.approx(80 / 14)
    assert times_faster(quick, []) is times_faster([], slow) is None
    assert training_curves({}) == {"curves": {}, "times_faster": {}}
    known = [{"seconds": 0.0, "accuracy": 0.4}, *slow[1:]]  # both knew something at the start
    sooner = [{"seconds": 0.0, "accuracy": 0.4}, *quick[1:]]
    assert times_faster(sooner, known) == pytest.approx(80 / 8)


def test_bm25_retrieves_by_the_words_of_a_mention(kb: KnowledgeBase) -> None:
    document = toys.documents(1)[0]
    found = bm25_retriever(kb)(document, 3)
    assert [kb.id_at(near[0].entity) for near in found] == [m.ids[0] for m in document.mentions]

"""Recipes of dual encoders and of what they are compared with, from training to figures."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

from holdfast import artifacts  # noqa: E402
from holdfast.bench.collective import (  # noqa: E402
    Systems,
    bench_collective,
    render_collective_speed,
)
from holdfast.corpora import dumps  # noqa: E402
from holdfast.document import Document  # noqa: E402
from holdfast.errors import UsageError  # noqa: E402
from holdfast.experiments.recipe import (  # noqa: E402
    Evaluate,
    KbSpec,
    Recipe,
    Train,
    read_recipe,
    shipped,
)
from holdfast.experiments.run import run_recipe  # noqa: E402
from holdfast.link.ranking.ranker import KIND as RANKER  # noqa: E402
from holdfast.link.ranking.ranker import VERSION as RANKER_VERSION  # noqa: E402
from holdfast.models import list_models, manifest_of, trained_model  # noqa: E402
from holdfast.systems.collective.model import NAMES, NAMES_KIND  # noqa: E402
from holdfast.systems.collective.training import recipe as collective_recipe  # noqa: E402
from holdfast.systems.collective.training.cross import CrossEncoder  # noqa: E402
from holdfast.systems.collective.training.joined import WEIGHTS, train_joined  # noqa: E402
from holdfast.systems.collective.training.recipe import train_collective  # noqa: E402
from holdfast.systems.collective.training.settings import read_settings  # noqa: E402
from holdfast.training import starts as training_starts  # noqa: E402
from shipped import LINKER  # noqa: E402
from systems.collective.training import toys  # noqa: E402

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
}
KB = KbSpec(reader="table", path="terms.tsv")
DUAL, CROSS = "dual encoder", "cross-encoder"


def silent(_: str) -> None:
    pass


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
        lambda shape, *, encodes_names: toys.dual_encoder(
            mention=shape.mention, detection=shape.detection, encodes_names=encodes_names
        ),
    )
    monkeypatch.setattr(
        collective_recipe,
        "open_cross_encoder",
        lambda _: CrossEncoder(toys.transformer(toys.tokenizer())),
    )


def is_trained_here(recipe: Recipe) -> bool:
    return recipe.train is not None and recipe.train.kind in (DUAL, CROSS)


def recipe(
    name: str,
    kind: str = DUAL,
    *,
    settings: Mapping[str, Any] = SETTINGS,
    split: str = "test",
    protocol: str = "ranked",
    also: tuple[str, ...] = (),
    parts: tuple[str, ...] = (),
) -> Recipe:
    """A recipe that trains a model and measures it, or itself among `parts`."""
    return Recipe(
        name=name,
        title=name,
        train=Train(kind, on=("bc5cdr train",), select="bc5cdr dev", settings=settings),
        model=parts,
        evaluate=Evaluate(protocol, "bc5cdr", split, also=also, top=10),
        kb=KB,
    )


def measuring(*parts: str, gold_added: bool = False) -> Recipe:
    """A recipe that measures what is there."""
    evaluate = Evaluate("ranked", "bc5cdr", "test", top=10, gold_added=gold_added)
    return Recipe("measuring", "", model=parts, evaluate=evaluate, kb=KB)


def measured(chosen: Recipe, data: Path) -> Any:
    if chosen.train:
        train_collective(chosen, data=data, out=trained_model(chosen.name), report=silent)
    return run_recipe(chosen, data=data).reports


def test_recipes_train_and_measure_every_row_of_the_tables(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (collective,) = measured(recipe("whole"), data)
    assert collective["accuracy_at_1"] > 0.8
    (small,) = measured(measuring("whole-int8"), data)
    assert small["accuracy_at_1"] > 0.7
    alone = recipe("single", settings={**SETTINGS, "context": 20, "batch": 24})
    monkeypatch.setattr(training_starts, "shipped", lambda: ["single"])
    monkeypatch.setattr(training_starts, "read_recipe", {"single": alone}.__getitem__)
    (single,) = measured(alone, data)
    assert single["accuracy_at_1"] > 0.8
    (bm25,) = measured(measuring("bm25-linker"), data)
    assert 0.2 < bm25["accuracy_at_1"] < 0.8  # half of the wordings are names
    pairs = {"steps": 10, "context": 20, "threads": 1, "fit_documents": 9}
    settings = {**pairs, "retriever": "single"}
    (blink,) = measured(recipe("blink", CROSS, settings=settings, parts=("single", "blink")), data)
    assert blink["recall_at_10"] == 1.0  # of six entities, ten were retrieved
    settings = {**pairs, "retriever": "bm25-linker"}
    (cross,) = measured(
        recipe("cross", CROSS, settings=settings, parts=("bm25-linker", "cross")), data
    )
    assert cross["recall_at_10"] == pytest.approx(bm25["recall_at_10"])
    (dagger,) = measured(measuring("bm25-linker", "cross", gold_added=True), data)
    assert dagger["recall_at_10"] == 1.0
    speed = bench_collective(
        Systems("whole", "single", "blink"),
        toys.knowledge_base(data / "kb"),
        toys.documents(2),
        threads=1,
        rounds=1,
        progress=lambda _what, _done: None,
    )
    assert speed["mentions"] == 6
    assert "times BLINK with 10 candidates" in render_collective_speed(speed)


def test_two_linkers_are_joined_by_a_weight_chosen_on_dev_and_measured(data: Path) -> None:
    measured(recipe("read"), data)
    folder = trained_model("named")
    shutil.copytree(LINKER, folder)
    config = {**manifest_of(folder).config, "training_data": []}
    artifacts.write_manifest(folder, kind=RANKER, version=RANKER_VERSION, config=config)
    train = Train("joined linkers", select="bc5cdr dev", settings={"linkers": ("named", "read")})
    both = replace(recipe("both"), train=train)
    lines = list[str]()
    train_joined(both, data=data, out=trained_model("both"), report=lines.append)
    written = manifest_of(trained_model("both")).config
    assert written["weight"] in WEIGHTS
    assert written["training_data"] == ["bc5cdr train"]
    assert any("18 mentions" in line for line in lines)
    (joined,) = run_recipe(both, data=data).reports
    (alone,) = run_recipe(measuring("named"), data=data).reports
    assert joined["accuracy_at_1"] > max(0.8, alone["accuracy_at_1"])  # half have no such name
    assert written["weight"] > 0
    learned = replace(both, train=replace(train, select="bc5cdr train"))
    with pytest.raises(UsageError, match="bc5cdr train cannot be trained on and evaluated at once"):
        train_joined(learned, data=data, out=trained_model("learned"), report=silent)
    with pytest.raises(UsageError, match="takes no --encoder"):
        train_joined(both, data=data, out=Path("x"), report=silent, encoder=Path("x"))


def test_an_end_to_end_recipe_finds_and_links(data: Path) -> None:
    settings = {**SETTINGS, "mention": "mean", "detection": "spans", "steps": 100}
    joint = recipe("joint", protocol="strong", also=("partial",), settings=settings)
    strong, partial = measured(joint, data)
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
    first = recipe("first", split="dev")
    measured(first, data)
    monkeypatch.setattr(training_starts, "shipped", lambda: ["first", "unfinished"])
    monkeypatch.setattr(training_starts, "read_recipe", {"first": first}.__getitem__)
    further = {**SETTINGS, "start": "first", "steps": 2, "refresh_every": 1}
    (report,) = measured(recipe("second", settings=further), data)
    assert report["accuracy_at_1"] > 0.8  # two steps teach little: it is what the first knew
    train, test = (data / "corpora" / "bc5cdr" / f"{s}.pubtator.txt" for s in ("train", "test"))
    known = train.read_text(encoding="utf-8").split("\n\n")[0]
    with test.open("a", encoding="utf-8") as file:
        file.write(known + "\n\n")
    with pytest.raises(UsageError, match="'first', which it begins with or uses, has learned 1 of"):
        measured(recipe("third", settings=further), data)
    swapped = recipe("fourth", settings=further, split="train")
    with pytest.raises(UsageError, match="has learned bc5cdr train, which it is measured on"):
        measured(swapped, data)
    unfinished = replace(first, name="unfinished")
    monkeypatch.setattr(training_starts, "read_recipe", {"unfinished": unfinished}.__getitem__)
    missing = recipe("fifth", split="dev", settings={**further, "start": "unfinished"})
    with pytest.raises(UsageError, match="first `holdfast train unfinished`"):
        measured(missing, data)


def test_a_network_of_names_serves_another_model_as_it_is(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = recipe("first", split="dev")
    measured(first, data)
    folder = trained_model("names-alone")
    folder.mkdir()
    shutil.copyfile(trained_model("first-int8") / NAMES, folder / NAMES)
    artifacts.write_manifest(folder, kind=NAMES_KIND, version=1, config={"recipes": ["first"]})
    monkeypatch.setattr(training_starts, "shipped", lambda: ["first"])
    monkeypatch.setattr(training_starts, "read_recipe", {"first": first}.__getitem__)
    settings = {**SETTINGS, "names_model": "names-alone", "fixed_names": True}
    (report,) = measured(recipe("second", settings=settings), data)
    assert report["accuracy_at_1"] > 0.8
    written = manifest_of(trained_model("second"))
    assert NAMES not in written.files
    assert written.config["recipes"] == ["first", "second"]
    swapped = recipe("third", settings=settings, split="train")
    with pytest.raises(UsageError, match="has learned bc5cdr train, which it is measured on"):
        measured(swapped, data)
    with pytest.raises(UsageError, match="set fixed_names = true"):
        measured(recipe("fourth", settings={**SETTINGS, "names_model": "names-alone"}), data)


@pytest.mark.parametrize("name", [n for n in shipped() if is_trained_here(read_recipe(n))])
def test_shipped_recipes_choose_on_dev_and_single_ones_read_a_mention_alone(name: str) -> None:
    chosen = read_recipe(name)
    assert chosen.trained.select.endswith(" dev")
    if chosen.trained.kind == DUAL:
        settings = read_settings(chosen)
        assert bool(settings.reading.context) == (name.split("-")[0] in ("single", "blink"))


def test_what_cannot_be_trained_or_measured_is_said() -> None:
    with pytest.raises(UsageError, match="no setting is called 'stepps'"):
        read_settings(recipe("x", settings={"stepps": 3}))
    with pytest.raises(UsageError, match="trains nothing"):
        train_collective(measuring("bm25-linker"), data=Path(), out=Path("x"), report=silent)
    nothing = replace(recipe("x"), train=Train(DUAL))
    with pytest.raises(UsageError, match="nothing to train `on`"):
        train_collective(nothing, data=Path(), out=Path("x"), report=silent)
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

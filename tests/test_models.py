"""Models by name, by recipe and by folder."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Collection
from pathlib import Path

import pytest
from holdfast.link.ranking.shipped import LINKER
from holdfast.registry import Model, Step

import holdfast
from command import call
from holdfast import artifacts, models, registry
from holdfast.document import Mention
from holdfast.errors import ArtifactError, UsageError
from holdfast.kb import KnowledgeBase
from holdfast.models import choose_model, list_models
from small_kb import make_kb

TEXT = "A heart attack after lithium carbonate; TNF rose."


@pytest.fixture
def kb(tmp_path: Path) -> KnowledgeBase:
    return make_kb(tmp_path / "kb")


def train(name: str) -> Path:
    """As if a linker had been trained under this name: the one that ships."""
    folder = artifacts.home() / "models" / name
    shutil.copytree(LINKER, folder)
    return folder


def test_the_default_is_a_model_of_the_table(kb: KnowledgeBase) -> None:
    default = registry.MODELS["default"]
    named = holdfast.load(kb, detector=default.detector, linker=default.linker or "")
    assert holdfast.load(kb)(TEXT) == named(TEXT)


def test_models_with_one_detector_find_the_same_and_link_otherwise(kb: KnowledgeBase) -> None:
    ranked, plain = (holdfast.load(kb, model=name)(TEXT) for name in ("dictionary", "names"))
    assert [m.spans for m in ranked.mentions] == [m.spans for m in plain.mentions]
    assert ranked != plain


def test_a_detector_or_linker_of_one_s_own_stands_in_for_the_model_s(kb: KnowledgeBase) -> None:
    mixed = holdfast.load(kb, model="dictionary", linker="names")
    assert mixed(TEXT) == holdfast.load(kb, model="names")(TEXT)


def test_a_trained_linker_is_chosen_by_its_recipe_or_its_folder(kb: KnowledgeBase) -> None:
    folder = train("mine")
    expected = holdfast.load(kb, model="dictionary")(TEXT)
    for model in ("mine", folder):
        assert holdfast.load(kb, model=model)(TEXT) == expected


@pytest.mark.parametrize(
    ("kind", "config", "finds_and_links"),
    [
        ("detector", {}, False),
        ("dual encoder", {"detection": ""}, False),
        ("dual encoder", {"detection": "spans"}, True),
    ],
)
def test_folders_of_other_kinds_take_their_place_in_the_flow(
    kb: KnowledgeBase, tmp_path: Path, kind: str, config: dict[str, str], finds_and_links: bool
) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    artifacts.write_manifest(folder, kind=kind, version=1, config=config)
    chosen = choose_model(folder)
    assert (chosen.linker is None) is finds_and_links
    usual = registry.DETECTORS[registry.MODELS["default"].detector]
    assert (chosen.detector is usual) is (kind == "dual encoder" and not finds_and_links)
    with pytest.raises(ArtifactError, match="other"):  # it is this folder that is opened
        holdfast.load(kb, model=folder)


def test_an_unknown_model_is_wrong_use_that_says_what_there_is(kb: KnowledgeBase) -> None:
    train("mine")
    with pytest.raises(UsageError, match=r"no model is called 'magic'; there is: default, .*mine$"):
        holdfast.load(kb, model="magic")
    done = call("link", TEXT, "--kb", kb.folder, "--model", "magic")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "'magic'" in done.stderr


def test_a_folder_that_cannot_link_or_is_damaged_is_one_line(tmp_path: Path) -> None:
    encoder = next(m for m in list_models() if m.kind == "name encoder")
    with pytest.raises(UsageError, match="holds a name encoder, which cannot link by itself"):
        choose_model(encoder.folder)
    folder = train("mine")
    (folder / "ranker.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ArtifactError, match=r"ranker\.json: damaged"):
        holdfast.load(make_kb(tmp_path / "kb"), model="mine")


def test_a_model_that_finds_and_links_at_once_needs_no_linker(
    kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def whole(kb: KnowledgeBase, *, only: Collection[str] | None, top: int = 1) -> Step:
        assert len(kb) > 0
        assert only is None
        return lambda d: d.with_mentions([Mention.at(0, top, "Gene", ["X:1"])])

    monkeypatch.setitem(registry.DETECTORS, "whole", whole)
    monkeypatch.setitem(registry.ANNOTATORS, "whole", whole)
    monkeypatch.setitem(registry.MODELS, "joint", Model("whole", None, "all at once"))
    for named in ("", "whole"):
        link = holdfast.load(kb, model="joint", detector=named, top=3)
        assert link(TEXT).mentions == (Mention.at(0, 3, "Gene", ["X:1"]),)
    for detector in (None, "dictionary"):
        with pytest.raises(UsageError, match="'joint' links only what it finds itself"):
            holdfast.load(kb, model="joint", detector=detector)


def test_the_command_line_links_with_the_model_it_is_told(kb: KnowledgeBase) -> None:
    done = call("link", TEXT, "--kb", kb.folder, "--json", "--model", "names")
    assert json.loads(done.stdout) == holdfast.load(kb, model="names")(TEXT).to_json()


def test_the_plain_model_makes_no_vectors_of_names(kb: KnowledgeBase) -> None:
    call("link", TEXT, "--kb", kb.folder, "--model", "names")
    assert not (artifacts.home() / "dense").exists()
    call("link", TEXT, "--kb", kb.folder)
    assert (artifacts.home() / "dense").exists()


def test_the_list_has_what_ships_and_what_was_trained_here() -> None:
    folder = train("mine")
    (folder.parent / ".building-mine-1-x").mkdir()
    shutil.copy(folder / artifacts.MANIFEST, folder.parent / ".building-mine-1-x")
    said = json.loads(call("models", "--json").stdout)
    assert [model["name"] for model in said["models"]] == list(registry.MODELS)
    shipped = {f["name"]: f for f in said["folders"] if f["shipped"]}
    assert {"names", "linker"} <= set(shipped)
    manifest = json.loads((models.WEIGHTS / "names" / artifacts.MANIFEST).read_text("utf-8"))
    assert shipped["names"]["parameters"] == manifest["config"]["parameters"] > 0
    assert shipped["names"]["megabytes"] > 1
    assert "bc5cdr train" in shipped["linker"]["training_data"]
    (trained,) = (f for f in said["folders"] if not f["shipped"])
    assert (trained["name"], trained["kind"]) == ("mine", "name ranker")


def test_measured_results_in_a_manifest_are_shown() -> None:
    folder = train("mine")
    manifest = json.loads((folder / artifacts.MANIFEST).read_text("utf-8"))
    config = {**manifest["config"], "results": {"BC5CDR dev, strong F1": 0.8125}}
    artifacts.write_manifest(
        folder, kind=manifest["kind"], version=manifest["version"], config=config
    )
    said = json.loads(call("models", "--json").stdout)
    assert said["folders"][-1]["results"] == {"BC5CDR dev, strong F1": 0.8125}
    assert "BC5CDR dev, strong F1 81.2" in call("models").stdout


def test_models_that_ship_say_what_was_measured_and_checkpoints_are_not_listed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shutil.copytree(models.WEIGHTS / "linker", tmp_path / "linker")
    shutil.copytree(models.WEIGHTS / "linker", tmp_path / "linker-checkpoints")
    monkeypatch.setattr(models, "WEIGHTS", tmp_path)
    (tmp_path / models.MEASURED).write_text('{"linker": {"BioRED dev": 0.5}}', encoding="utf-8")
    assert [(m.name, m.results) for m in list_models()] == [("linker", {"BioRED dev": 0.5})]
    (tmp_path / models.MEASURED).write_text("{", encoding="utf-8")
    with pytest.raises(ArtifactError, match="install holdfast again"):
        list_models()


def test_a_damaged_folder_does_not_hide_the_others() -> None:
    folder = train("bad")
    train("good")
    (folder / artifacts.MANIFEST).write_text("{", encoding="utf-8")
    listed = {m.name: m.kind for m in list_models() if not m.is_shipped}
    assert listed == {"bad": "damaged", "good": "name ranker"}
    assert "good" in call("models").stdout


def test_every_model_of_the_table_is_documented() -> None:
    page = (Path(__file__).parents[1] / "docs/cli.md").read_text("utf-8")
    section = page.partition("### Models\n")[2].partition("\n#")[0]
    assert re.findall(r"^\| `(\w+)`", section, re.MULTILINE) == list(registry.MODELS)

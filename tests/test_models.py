"""Models by name, by recipe and by folder."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

import holdfast
from command import call
from holdfast import artifacts, models
from holdfast.errors import ArtifactError, UsageError
from holdfast.kb import KnowledgeBase
from holdfast.kinds import KINDS
from holdfast.models import PIPELINE, WEIGHTS, find_model, list_models, parts_of
from holdfast.parts import Models, model_parts
from shipped import DETECTOR, ENCODER, LINKER
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


def pipeline(folder: Path, *parts: str) -> Path:
    folder.mkdir(parents=True)
    config = {"parts": list(parts)}
    artifacts.write_manifest(folder, kind=PIPELINE, version=models.VERSION, config=config)
    return folder


def test_the_default_is_a_folder_of_parts(kb: KnowledgeBase) -> None:
    assert parts_of(find_model("default")) == [DETECTOR, LINKER]
    assert holdfast.load(kb)(TEXT) == holdfast.load(kb, model=["detector", "linker"])(TEXT)


def test_models_with_one_detector_find_the_same_and_link_otherwise(kb: KnowledgeBase) -> None:
    ranked, plain = (holdfast.load(kb, model=name)(TEXT) for name in ("dictionary", "names"))
    assert [m.spans for m in ranked.mentions] == [m.spans for m in plain.mentions]
    assert ranked != plain


def test_parts_may_be_put_together_anew(kb: KnowledgeBase) -> None:
    mixed = holdfast.load(kb, model=["dictionary-detector", "name-linker"])
    assert mixed(TEXT) == holdfast.load(kb, model="names")(TEXT)


def test_a_trained_linker_is_chosen_by_its_recipe_or_its_folder(kb: KnowledgeBase) -> None:
    folder = train("mine")
    expected = holdfast.load(kb)(TEXT)
    for model in ("mine", folder):
        assert holdfast.load(kb, model=model)(TEXT) == expected


@pytest.mark.parametrize(
    ("kind", "config", "parts"),
    [
        ("detector", {}, ["other", "linker"]),
        ("dual encoder", {"detection": ""}, ["detector", "other"]),
        ("dual encoder", {"detection": "spans"}, ["other"]),
        ("cross-encoder", {}, ["detector", "linker", "other"]),
        ("name linker", {}, ["detector", "other"]),
    ],
)
def test_a_folder_alone_takes_its_place_among_the_parts_of_the_default(
    tmp_path: Path, kind: str, config: dict[str, str], parts: list[str]
) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    artifacts.write_manifest(folder, kind=kind, version=1, config=config)
    assert [part.name for part in model_parts(folder)] == parts
    assert model_parts([folder]) == [folder]


@pytest.mark.parametrize("kind", ["detector", "dual encoder", "cross-encoder"])
def test_it_is_the_chosen_folder_that_is_opened(
    kb: KnowledgeBase, tmp_path: Path, kind: str
) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    artifacts.write_manifest(folder, kind=kind, version=1, config={})
    with pytest.raises(ArtifactError, match="other"):
        holdfast.load(kb, model=folder)


def test_a_part_is_looked_for_beside_the_pipeline_first(tmp_path: Path) -> None:
    chosen = pipeline(tmp_path / "mine", "dictionary-detector", "name-linker")
    usual = parts_of(chosen)
    own = tmp_path / "name-linker"
    shutil.copytree(models.WEIGHTS / "name-linker", own)
    assert parts_of(chosen) == [usual[0], own]


def test_an_unknown_model_is_wrong_use_that_says_what_there_is(kb: KnowledgeBase) -> None:
    train("mine")
    expected = r"no model is called 'magic'; there is: collective, default, .*; `holdfast models`"
    with pytest.raises(UsageError, match=expected):
        holdfast.load(kb, model="magic")
    with pytest.raises(UsageError, match=r"no model is called 'minne'; there is: mine"):
        holdfast.load(kb, model="minne")
    done = call("link", TEXT, "--kb", kb.folder, "--model", "magic")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "'magic'" in done.stderr


def test_a_pipeline_whose_part_is_missing_says_which_and_how_to_make_it(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    folder = pipeline(tmp_path / "mine", "detector", "gone")
    chosen: tuple[Models, ...] = (folder, [folder], ["detector", folder])
    for model in chosen:
        with pytest.raises(
            UsageError,
            match=r"'mine' has a part 'gone', which is not here; .*`holdfast train gone`",
        ):
            holdfast.load(kb, model=model)
    done = call("link", TEXT, "--kb", kb.folder, "--model", folder)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


@pytest.mark.parametrize("parts", [[], "detector", [3]])
def test_a_pipeline_without_a_list_of_names_is_damaged(tmp_path: Path, parts: object) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    artifacts.write_manifest(folder, kind=PIPELINE, version=1, config={"parts": parts})
    with pytest.raises(ArtifactError, match=r"manifest\.json: `parts` must list"):
        parts_of(folder)


def test_a_pipeline_of_a_newer_holdfast_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    config = {"parts": ["detector", "linker"]}
    artifacts.write_manifest(folder, kind=PIPELINE, version=models.VERSION + 1, config=config)
    with pytest.raises(ArtifactError, match="written by a newer Holdfast"):
        parts_of(folder)


def test_a_folder_that_cannot_link_or_is_damaged_is_one_line(kb: KnowledgeBase) -> None:
    for model in ("encoder", ENCODER, ["detector", "encoder"]):
        with pytest.raises(UsageError, match="a name encoder 'encoder', which cannot link by"):
            holdfast.load(kb, model=model)
    folder = train("mine")
    (folder / "ranker.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ArtifactError, match=r"ranker\.json: damaged"):
        holdfast.load(kb, model="mine", marked=True)


def test_a_folder_of_an_unknown_kind_says_which_there_are(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    artifacts.write_manifest(tmp_path, kind="oracle", version=1, config={})
    with pytest.raises(ArtifactError, match=r"holds a oracle, .* there is: dictionary detector, "):
        holdfast.load(kb, model=tmp_path)


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
    listed = json.loads(call("models", "--json").stdout)["models"]
    shipped = {model["name"]: model for model in listed if model["shipped"]}
    kinds = [model["kind"] for model in shipped.values()]
    assert kinds == sorted(kinds, key=lambda kind: kind != PIPELINE)  # what `--model` takes first
    assert {"default", "dictionary", "names", "encoder", "linker"} <= set(shipped)
    assert shipped["default"]["parts"] == ["detector", "linker"]
    assert shipped["default"]["about"]
    manifest = json.loads((ENCODER / artifacts.MANIFEST).read_text("utf-8"))
    assert shipped["encoder"]["parameters"] == manifest["config"]["parameters"] > 0
    assert shipped["encoder"]["megabytes"] > 1
    assert "bc5cdr train" in shipped["linker"]["training_data"]
    assert {model["kind"] for model in shipped.values()} <= {PIPELINE, *KINDS}
    (trained,) = (model for model in listed if not model["shipped"])
    assert (trained["name"], trained["kind"]) == ("mine", "name ranker")


def test_the_list_for_people_has_the_parts_of_every_pipeline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    printed = call("models").stdout
    rows = {line.split()[0]: line for line in printed.splitlines() if line.strip()}
    for model in list_models():
        if model.kind == PIPELINE:
            assert ", ".join(model.parts) in rows[model.name]
        else:
            assert f"{model.name}: {model.kind}" in printed


def test_measured_results_in_a_manifest_are_shown() -> None:
    folder = train("mine")
    manifest = json.loads((folder / artifacts.MANIFEST).read_text("utf-8"))
    config = {**manifest["config"], "results": {"BC5CDR dev, strong F1": 0.8125}}
    artifacts.write_manifest(
        folder, kind=manifest["kind"], version=manifest["version"], config=config
    )
    said = json.loads(call("models", "--json").stdout)
    assert said["models"][-1]["results"] == {"BC5CDR dev, strong F1": 0.8125}
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


def test_every_model_that_ships_is_whole() -> None:
    """Its manifest is sealed, its kind is known, and so are its parts, but what is offered."""
    for model in list_models():
        if model.is_shipped:
            manifest = models.manifest_of(model.folder)
            assert "sha256" in json.loads((model.folder / artifacts.MANIFEST).read_text("utf-8"))
            artifacts.verify(model.folder, manifest)
            assert model.kind in (PIPELINE, *KINDS)


def test_every_pipeline_is_documented() -> None:
    page = (Path(__file__).parents[1] / "docs/cli.md").read_text("utf-8")
    section = page.partition("### Models\n")[2].partition("\n#")[0]
    documented = re.findall(r"^\| `([\w-]+)`", section, re.MULTILINE)
    shipped = [m.name for m in list_models() if m.is_shipped and m.kind == PIPELINE]
    assert sorted(documented) == sorted(shipped)


def test_a_folder_called_like_a_model_does_not_stand_in_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(WEIGHTS / "names", tmp_path / "default")
    assert find_model("default") == WEIGHTS / "default"
    assert find_model("./default").samefile(tmp_path / "default")
    (tmp_path / "default").rename("own")
    assert find_model("own").samefile(tmp_path / "own")


def test_a_model_that_only_its_recipe_is_here_of_is_to_be_trained() -> None:
    with pytest.raises(
        UsageError, match="not trained here yet; `holdfast train bier-descriptions`"
    ):
        find_model("bier-descriptions-int8")

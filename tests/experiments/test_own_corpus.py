"""A linker is trained from the command line on files of one's own, and used like any other."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from command import call
from holdfast import artifacts
from holdfast.corpora import read_documents, write_documents
from holdfast.document import Document, Mention
from holdfast.link.ranking.used_names import FILE as USED_NAMES

KELP: Final = Path(__file__).parents[1] / "data" / "kelp"
TRAIN, DEV = KELP / "train.pubtator", KELP / "dev.pubtator"
UNSEEN: Final = "Divers met ghost blades again, and a red stain test was made on board."


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a knowledge base `kb`, a linker `linker` and what training it said."""
    folder = tmp_path_factory.mktemp("own")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOLDFAST_HOME", str(folder / "home"))
        done = call("kb", "build", "kelp", "--table", KELP / "terms.csv", "--out", folder / "kb")
        assert done.returncode == 0, done.stderr
        done = call(
            *("train", "linker", "--corpus", TRAIN, "--dev", DEV),
            *("--kb", folder / "kb", "--out", folder / "linker"),
        )
    assert done.returncode == 0, done.stderr
    (folder / "told").write_text(done.stderr, encoding="utf-8")
    unseen = Document(
        "u1", UNSEEN, mentions=tuple(marked(UNSEEN, "ghost blades", "red stain test"))
    )
    write_documents([unseen], folder / "unseen.pubtator")
    return folder


def marked(text: str, *wordings: str) -> Iterator[Mention]:
    for wording in wordings:
        yield Mention.at(text.index(wording), text.index(wording) + len(wording), "")


def train(place: Path, out: Path, *options: str | Path, what: str = "linker") -> Any:
    return call("train", what, "--kb", place / "kb", "--out", out, *options)


def linked(place: Path, *options: str | Path) -> list[list[str]]:
    """The ids of the mentions that unseen.pubtator marks."""
    done = call(
        "link", "--mentions", place / "unseen.pubtator", "--kb", place / "kb", "--json", *options
    )
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    (document,) = document.get("documents", [document])
    return [mention["ids"] for mention in document["mentions"]]


def test_a_wording_of_the_corpus_that_is_no_name_is_linked_in_unseen_text(place: Path) -> None:
    assert linked(place, "--model", place / "linker") == [["KELP:0001"], ["KELP:0023"]]
    assert ["KELP:0001"] not in linked(place)


def test_the_linker_is_completed_by_the_usual_detector(place: Path) -> None:
    done = call(
        "link", "Frond bleaching was seen.", "--kb", place / "kb", "--model", place / "linker",
        "--format", "tsv",
    )  # fmt: skip
    assert "KELP:0001" in done.stdout, done.stderr


def test_what_cannot_be_learned_is_counted_and_told(place: Path) -> None:
    told = (place / "told").read_text("utf-8")
    for line in (
        "--corpus: 12 documents, 46 mentions",
        "--corpus: types: Disease 23, assay 11, Chemical 9, growth 3",
        "--corpus: types that neither Holdfast nor 'kelp' knows: growth 3",
        "--corpus: ids that 'kelp' does not have: 3 of 46 (7 %), KELP:0099 3",
        "--dev: 4 documents, 12 mentions",
    ):
        assert line in told.splitlines()


def test_the_new_linker_is_measured_beside_the_one_that_ships(place: Path) -> None:
    (model,) = json.loads(call("models", "--model", place / "linker", "--json").stdout)["models"]
    assert model["kind"] == "name ranker"
    assert model["training_data"] == ["train.pubtator"]
    assert model["licence"] == "your own"
    assert model["recipes"] == ["linker", "your own corpus"]
    results = model["results"]
    new, old = (
        results[f"dev.pubtator{which}, strict accuracy"] for which in ("", ", 'linker' before")
    )
    assert new > old
    told = (place / "told").read_text("utf-8")
    assert f"dev.pubtator: {100 * new:.1f} % of 12 mentions right" in told
    shown = call("models", "--model", place / "linker").stdout
    assert f"dev.pubtator, strict accuracy {100 * new:.1f}" in " ".join(shown.split())


def test_a_recipe_that_names_files_measures_the_folder(place: Path, tmp_path: Path) -> None:
    recipe = tmp_path / "mine.toml"
    recipe.write_text(
        f'title = "Kelp"\n[evaluate]\nprotocol = "strict"\ncorpus = "{DEV}"\n'
        f'[kb]\nget = "{place / "kb"}"\n',
        encoding="utf-8",
    )
    done = call("evaluate", recipe, "--model", place / "linker", "--json")
    assert done.returncode == 0, done.stderr
    config = artifacts.read_manifest(place / "linker", kind="name ranker", version=99).config
    measured = json.loads(done.stdout)
    found = measured["accuracy_at_1"] if "accuracy_at_1" in measured else measured["figures"]
    assert round(found, 4) == config["results"]["dev.pubtator, strict accuracy"]


def test_a_recipe_that_names_files_trains(place: Path, tmp_path: Path) -> None:
    recipe = tmp_path / "mine.toml"
    recipe.write_text(
        f'title = "Kelp"\n[train]\nkind = "name ranker"\non = ["{TRAIN}"]\nnames_of = ["{TRAIN}"]\n'
        f'encoder = "encoder"\n[kb]\nget = "{place / "kb"}"\n',
        encoding="utf-8",
    )
    done = call("train", recipe, "--out", tmp_path / "model")
    assert done.returncode == 0, done.stderr
    assert linked(place, "--model", tmp_path / "model")[0] == ["KELP:0001"]


@pytest.mark.parametrize("format", ["train.bioc.xml", "train.jsonl", "folder"])
def test_the_format_of_the_corpus_changes_nothing(place: Path, tmp_path: Path, format: str) -> None:
    corpus = tmp_path / format
    documents = list(read_documents(TRAIN))
    if format == "folder":
        corpus.mkdir()
        write_documents(documents[:5], corpus / "a.pubtator")
        write_documents(documents[5:], corpus / "b.bioc.json")
    else:
        write_documents(documents, corpus)
    out = tmp_path / "model"
    assert train(place, out, "--corpus", corpus).returncode == 0
    for name in (USED_NAMES, "ranker.json"):
        assert (out / name).read_bytes() == (place / "linker" / name).read_bytes()


def test_several_files_are_one_corpus(place: Path, tmp_path: Path) -> None:
    documents = list(read_documents(TRAIN))
    write_documents(documents[:6], tmp_path / "a.pubtator")
    write_documents(documents[6:], tmp_path / "b.pubtator")
    files = ("--corpus", tmp_path / "a.pubtator", "--corpus", tmp_path / "b.pubtator")
    assert train(place, tmp_path / "model", *files).returncode == 0
    names = (tmp_path / "model" / USED_NAMES).read_bytes()
    assert names == (place / "linker" / USED_NAMES).read_bytes()


def test_of_few_mentions_the_names_are_remembered_and_the_ranking_stays(
    place: Path, tmp_path: Path
) -> None:
    few = tmp_path / "few.pubtator"
    write_documents(list(read_documents(TRAIN))[:1], few)
    done = train(place, tmp_path / "model", "--corpus", few)
    assert "ranking: that of 'linker' stays" in done.stderr
    assert linked(place, "--model", tmp_path / "model")[0] == ["KELP:0001"]


def test_documents_of_dev_are_not_learned(place: Path, tmp_path: Path) -> None:
    both = tmp_path / "both.pubtator"
    shared = list(read_documents(DEV))[:1]
    write_documents([*read_documents(TRAIN), *shared], both)
    done = train(place, tmp_path / "model", "--corpus", both, "--dev", DEV)
    assert "both.pubtator: 1 documents are left out, since --dev has them too" in done.stderr
    assert "--corpus: 12 documents, 46 mentions" in done.stderr
    names = (tmp_path / "model" / USED_NAMES).read_bytes()
    assert names == (place / "linker" / USED_NAMES).read_bytes()


def test_a_model_that_is_there_is_replaced_only_by_force(place: Path, tmp_path: Path) -> None:
    out = tmp_path / "model"
    shutil.copytree(place / "linker", out)
    refused = train(place, out, "--corpus", TRAIN)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "already a model" in refused.stderr
    assert "--force" in refused.stderr
    before = (out / artifacts.MANIFEST).read_bytes()
    assert train(place, out, "--corpus", TRAIN, "--force").returncode == 0
    assert (out / artifacts.MANIFEST).read_bytes() != before
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("mine", encoding="utf-8")
    refused = train(place, tmp_path / "full", "--corpus", TRAIN, "--force")
    assert "something else than a model" in refused.stderr
    assert (tmp_path / "full" / "thesis.txt").exists()


PUBTATOR: Final = {
    "bare": "1|t|Nothing is marked here.\n1|a|Nor here.\n",
    "foreign": "1|t|Gout\n1|a|was seen.\n1\t0\t4\tGout\tDisease\tMESH:D006073\n",
    "unlinked": "1|t|Gout\n1|a|was seen.\n1\t0\t4\tGout\tDisease\t\n",
}


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("bare", "--corpus: no mentions in 1 documents"),
        (
            "foreign",
            "--corpus: no mention has an id that 'kelp' has; is --kb the right vocabulary?",
        ),
        ("unlinked", "--corpus: no mention has an id that 'kelp' has"),
    ],
)
def test_a_corpus_without_anything_to_learn_is_refused_in_one_line(
    place: Path, tmp_path: Path, name: str, says: str
) -> None:
    path = tmp_path / f"{name}.pubtator"
    path.write_text(PUBTATOR[name], encoding="utf-8")
    done = train(place, tmp_path / "model", "--corpus", path)
    assert done.returncode == 2
    assert f"holdfast: {says}" in done.stderr.splitlines()[-1]
    assert not (tmp_path / "model").exists()
    on_dev = train(place, tmp_path / "model", "--corpus", TRAIN, "--dev", path)
    assert says.replace("--corpus", "--dev") in on_dev.stderr.splitlines()[-1]


def test_mentions_without_an_id_are_counted(place: Path, tmp_path: Path) -> None:
    path = tmp_path / "some.pubtator"
    path.write_text(TRAIN.read_text("utf-8") + "\n" + PUBTATOR["unlinked"], encoding="utf-8")
    done = train(place, tmp_path / "model", "--corpus", path)
    assert "--corpus: mentions without an id: 1" in done.stderr.splitlines()


def test_all_documents_in_dev_too_leave_nothing(place: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.pubtator"
    shutil.copy(TRAIN, copy)
    done = train(place, tmp_path / "model", "--corpus", TRAIN, "--dev", copy)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "holdfast: --corpus: no document is left"
    same = train(place, tmp_path / "model", "--corpus", TRAIN, "--dev", TRAIN)
    assert "train.pubtator cannot be trained on and evaluated at once" in same.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["linker", "--corpus", "gone.pubtator", "--out", "o"], "gone.pubtator: there is no such"),
        (["linker", "--corpus", TRAIN, "--dev", "gone.txt", "--out", "o"], "gone.txt: there is no"),
        (["linker", "--corpus", TRAIN], "name the model folder to write with --out"),
        (["linker", "--corpus", TRAIN, "--out", "o", "--kb", "nowhere"], "'nowhere'"),
        (["linker", "--corpus", TRAIN, "--out", "o", "--data", "."], "--data is for recipes"),
        (
            ["linker", "--corpus", TRAIN, "--out", "o", "--passes", "3"],
            "--passes is for a detector",
        ),
        (["encoder", "--corpus", TRAIN, "--out", "o"], "'encoder' is not trained on your own"),
        (["linker", "--dev", DEV], "--dev is for your own --corpus"),
        (["linker", "--kb", "open"], "--kb is for your own --corpus"),
        (["linker", "--force"], "--force is for your own --corpus"),
        (["detector", "--passes", "3"], "--passes is for your own --corpus"),
    ],
)
def test_wrong_use_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str | Path], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = call("train", *words)
    assert done.returncode in (1, 2)
    assert done.stderr.startswith("holdfast: ")
    assert done.stderr.count("\n") == 1
    assert says in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_without_a_corpus_linker_is_the_recipe_of_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "corpora").mkdir()
    monkeypatch.setattr("holdfast.experiments.train.train_recipe", seen := Seen())
    done = call("train", "linker", "--data", tmp_path, "--out", tmp_path / "model")
    assert done.returncode == 0, done.stderr
    assert seen.recipe == "linker"
    assert "bc5cdr train" in seen.on


class Seen:
    """Stands for the training of a recipe."""

    recipe = ""
    on: tuple[str, ...] = ()

    def __call__(self, recipe: Any, **_options: object) -> None:
        self.recipe, self.on = recipe.name, recipe.trained.on


def test_models_are_joined_to_one(place: Path, tmp_path: Path) -> None:
    joined = tmp_path / "joined"
    done = call("models", "join", joined, "dictionary-detector", place / "linker")
    assert done.returncode == 0, done.stderr
    assert linked(place, "--model", joined) == [["KELP:0001"], ["KELP:0023"]]
    shown = call("models", "--model", joined).stdout
    assert "dictionary-detector" in shown
    again = call("models", "join", joined, "dictionary-detector", place / "linker")
    assert "already a model" in again.stderr
    lacking = call("models", "join", tmp_path / "other", place / "linker")
    assert "needs mentions; add a detector" in lacking.stderr
    assert not (tmp_path / "other").exists()

"""A kind of one's own from training to links, and what parts need of each other."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

import holdfast
from command import call
from holdfast import artifacts
from holdfast.document import Candidate, Document, Mention
from holdfast.errors import UsageError
from holdfast.experiments.recipe import Recipe
from holdfast.experiments.settings import read_config
from holdfast.kb import KnowledgeBase
from holdfast.kinds import KINDS
from holdfast.models import PIPELINE, trained_model
from holdfast.parts import Models
from holdfast.progress import Progress
from holdfast.step import LINKS, MENTIONS, RELATIONS, Each, Options, Roles, Step, roles
from small_kb import make_kb

TEXT = "A heart attack after lithium carbonate; TNF rose."
KIND, VERSION, FILE = "echo", 1, "echo.json"


@dataclass(frozen=True, slots=True)
class Tone:
    """A setting inside the settings."""

    loud: bool = False


@dataclass(frozen=True, slots=True)
class EchoConfig:
    """The settings of the dummy's [train]."""

    word: str = ""
    tone: Tone = field(default_factory=Tone)


def train_echo(
    recipe: Recipe,
    *,
    data: Path,
    out: Path,
    report: Callable[[str], None],
    encoder: Path | None = None,
) -> None:
    """Learns by heart which word to find, and which entity it is."""
    assert encoder is None
    config = read_config(EchoConfig, recipe)
    word = config.word.upper() if config.tone.loud else config.word
    id = (data / "answer.txt").read_text(encoding="utf-8").strip()
    with artifacts.publish(out) as scratch:
        (scratch / FILE).write_text(json.dumps({"word": word, "id": id}), encoding="utf-8")
        described = {"training_data": list(recipe.trained.on), "about": "an echo"}
        artifacts.write_manifest(scratch, kind=KIND, version=VERSION, config=described)
    report(f"learned {word}")


@dataclass(frozen=True, slots=True)
class Echo:
    """Finds one word and links it to one entity."""

    word: str
    id: str
    digest: str

    def __call__(self, document: Document) -> Document:
        at = document.text.find(self.word)
        if at < 0:
            return document
        found = Mention.at(at, at + len(self.word), "Disease", [self.id])
        found = replace(found, candidates=(Candidate(self.id, self.word, 1.0),))
        return document.with_mentions([*document.mentions, found])

    def pipe(self, documents: Iterable[Document]) -> Iterator[Document]:
        return map(self, documents)


class EchoKind:
    """A joint model: one line in the table, and all else follows."""

    name = KIND
    trainer = "test_kinds:train_echo"

    def roles(self, config: Mapping[str, Any]) -> Roles:  # noqa: ARG002
        return roles(adds=[MENTIONS, LINKS])

    def prepare(self, folder: Path, kb: KnowledgeBase, progress: Progress) -> None:
        """It needs nothing."""

    def open(self, folder: Path, kb: KnowledgeBase, options: Options) -> Step:  # noqa: ARG002
        manifest = artifacts.read_manifest(folder, kind=KIND, version=VERSION)
        artifacts.verify(folder, manifest)
        learned = json.loads((folder / FILE).read_text(encoding="utf-8"))
        return Echo(**learned, digest=manifest.digest)


@pytest.fixture
def kb(tmp_path: Path) -> KnowledgeBase:
    return make_kb(tmp_path / "kb")


@pytest.fixture
def _echo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, KIND, EchoKind())


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with one test document and a vocabulary."""
    folder = tmp_path / "data"
    (folder / "corpora/bc5cdr").mkdir(parents=True)
    (folder / "corpora/bc5cdr/test.pubtator.txt").write_text(
        "1|t|Zibbling rose.\n1|a|x\n1\t0\t8\tZibbling\tDisease\tD000001\n\n", encoding="utf-8"
    )
    table = "id\tname\ttype\nMESH:D000001\tHeart attack\tDisease\n"
    (folder / "terms.tsv").write_text(table, encoding="utf-8")
    (folder / "answer.txt").write_text("MESH:D000001\n", encoding="utf-8")
    return folder


RECIPE = """
title = "An echo"

[train]
kind = "echo"
on = ["bc5cdr train"]
word = "Zibbling"

[evaluate]
protocol = "strong"
corpus = "bc5cdr"
split = "test"

[kb]
reader = "table"
path = "terms.tsv"
"""


@pytest.mark.usefixtures("_echo")
def test_a_kind_of_one_s_own_is_trained_listed_linked_evaluated_and_refused_when_damaged(
    tmp_path: Path, data: Path, kb: KnowledgeBase
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(RECIPE, encoding="utf-8")
    before = call("evaluate", path, "--data", data)
    assert before.returncode == 2
    assert "first `holdfast train mine`" in before.stderr

    trained = call("train", path, "--data", data)
    assert trained.returncode == 0, trained.stderr
    assert "learned Zibbling" in trained.stderr
    assert trained.stdout == f"{trained_model('mine')}: trained\n"

    listed = {m["name"]: m for m in json.loads(call("models", "--json").stdout)["models"]}
    assert (listed["mine"]["kind"], listed["mine"]["about"]) == (KIND, "an echo")
    assert listed["mine"]["training_data"] == ["bc5cdr train"]
    assert f"mine: {KIND}" in call("models").stdout

    given = ("link", "What is Zibbling?", "--kb", kb.folder, "--json")
    linked = call(*given, "--model", "mine")
    assert linked.returncode == 0, linked.stderr
    (mention,) = Document.from_json(json.loads(linked.stdout)).mentions
    assert (mention.start, mention.end, mention.ids) == (8, 16, ("MESH:D000001",))

    measured = json.loads(call("evaluate", path, "--data", data, "--json").stdout)
    assert (measured["f1"], measured["n_scored"], measured["model"]) == (1.0, 1, ["mine"])
    assert measured["model_digest"] == holdfast.load(kb, model="mine").digest

    file = trained_model("mine") / FILE
    file.write_text(file.read_text(encoding="utf-8").replace("Zib", "Zob"), encoding="utf-8")
    for arguments in ((*given, "--model", "mine"), ("evaluate", path, "--data", data)):
        refused = call(*arguments)
        assert (refused.returncode, refused.stdout) == (1, "")
        assert refused.stderr.count("\n") == 1
        assert f"{FILE}: damaged" in refused.stderr


@pytest.mark.usefixtures("_echo")
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("wort = 1", "recipe 'mine': no setting is called 'wort'"),
        (
            "[train.tone]\nlaut = true",
            "recipe 'mine', [train.tone]: no setting is called 'laut'",
        ),
    ],
)
def test_a_setting_that_its_trainer_does_not_have_is_one_line(
    tmp_path: Path, data: Path, line: str, said: str
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        RECIPE.replace('word = "Zibbling"', f'word = "Zibbling"\n{line}'), encoding="utf-8"
    )
    done = call("train", path, "--data", data)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert said in done.stderr


@pytest.mark.usefixtures("_echo")
def test_settings_inside_settings_reach_the_trainer(tmp_path: Path, data: Path) -> None:
    path = tmp_path / "mine.toml"
    tone = 'word = "Zibbling"\n[train.tone]\nloud = true'
    path.write_text(RECIPE.replace('word = "Zibbling"', tone), encoding="utf-8")
    assert "learned ZIBBLING" in call("train", path, "--data", data).stderr


@pytest.mark.parametrize("kind", ["nothing", "name linker"])
def test_what_nothing_trains_is_one_line(tmp_path: Path, data: Path, kind: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(RECIPE.replace('"echo"', f'"{kind}"'), encoding="utf-8")
    done = call("train", path, "--data", data)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"nothing trains a {kind!r}; there is: detector, name ranker" in done.stderr


@dataclass(frozen=True, slots=True)
class Placed:
    """A kind that does nothing in a given place of the flow."""

    name: str
    placed: Roles
    trainer: str = ""

    def roles(self, config: Mapping[str, Any]) -> Roles:  # noqa: ARG002
        return self.placed

    def prepare(self, folder: Path, kb: KnowledgeBase, progress: Progress) -> None:
        """Nothing."""

    def open(self, folder: Path, kb: KnowledgeBase, options: Options) -> Step:  # noqa: ARG002
        return Each(lambda document: document)


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mapping[str, Path]:
    """Model folders that do nothing, each in its place of the flow."""
    places = {
        "joint": roles(adds=[MENTIONS, LINKS]),
        "flat": roles(adds=[MENTIONS]),
        "anew": roles(needs=[LINKS], adds=[LINKS]),
        "relate": roles(needs=[LINKS], adds=[RELATIONS]),
        "nothing": Roles(),
    }
    folders = {}
    for name, place in places.items():
        monkeypatch.setitem(KINDS, f"{name} kind", Placed(f"{name} kind", place))
        folders[name] = tmp_path / name
        folders[name].mkdir()
        artifacts.write_manifest(folders[name], kind=f"{name} kind", version=1, config={})
    return folders


@pytest.mark.parametrize(
    ("model", "options", "message"),
    [
        (["name-linker"], {}, "the name linker 'name-linker' needs mentions; add a detector"),
        (
            ["name-linker", "dictionary-detector"],
            {},
            "the name linker 'name-linker' needs mentions; add a detector before it",
        ),
        (["anew"], {}, "the anew kind 'anew' needs links; add a linker before it"),
        (["anew"], {"marked": True}, "the anew kind 'anew' needs links; add a linker before it"),
        (
            ["dictionary-detector", "relate", "name-linker"],
            {},
            "the relate kind 'relate' needs links; add a linker before it",
        ),
        ("joint", {"marked": True}, "the joint kind 'joint' links only what it finds itself"),
        (
            ["joint", "anew"],
            {"marked": True},
            "the joint kind 'joint' links only what it finds itself",
        ),
        (["flat", "name-linker"], {"nested": True}, "'flat' finds no mentions inside others"),
        ("joint", {"nested": True}, "'joint' finds no mentions inside others"),
        (["name-linker"], {"nested": True, "marked": True}, "nested mentions are found by a det"),
        ("nothing", {}, "a nothing kind 'nothing', which cannot link by itself"),
        (["dictionary-detector", "nothing"], {}, "'nothing', which cannot link by itself"),
        ([], {}, "a model has at least one part"),
        (["dictionary-detector"], {"marked": True}, "'dictionary-detector' only finds mentions"),
        ("dictionary-detector", {"marked": True}, "'dictionary-detector' only finds mentions"),
    ],
)
def test_a_part_that_lacks_something_says_what_in_one_line(
    kb: KnowledgeBase,
    parts: Mapping[str, Path],
    model: str | list[str],
    options: dict[str, bool],
    message: str,
) -> None:
    found: Models
    if isinstance(model, str):
        found = parts.get(model, Path(model))
    else:
        found = [parts.get(name, Path(name)) for name in model]
    with pytest.raises(UsageError, match=message) as caught:
        holdfast.load(kb, model=found, **options)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


def test_parts_in_the_right_order_are_a_pipeline(
    kb: KnowledgeBase, parts: Mapping[str, Path]
) -> None:
    usual = holdfast.load(kb, model="names")(TEXT)
    assert usual.mentions
    chosen: Models = ["dictionary-detector", "name-linker", parts["anew"], parts["relate"]]
    assert holdfast.load(kb, model=chosen)(TEXT) == usual
    marked: Models = ["name-linker", parts["anew"]]
    blank = usual.with_mentions(replace(m, ids=(), candidates=()) for m in usual.mentions)
    assert holdfast.load(kb, model=marked, marked=True)(blank) == usual


@pytest.mark.parametrize(
    ("alone", "whole"),
    [
        ("dictionary-detector", ["dictionary-detector", "linker"]),
        ("name-linker", ["detector", "name-linker"]),
        ("relate", ["detector", "linker", "relate"]),
    ],
)
def test_a_part_alone_is_completed_by_those_of_the_default(
    kb: KnowledgeBase, parts: Mapping[str, Path], alone: str, whole: list[str]
) -> None:
    found = holdfast.load(kb, model=parts.get(alone, Path(alone)))
    expected = holdfast.load(kb, model=[parts.get(name, Path(name)) for name in whole])
    assert found.digest == expected.digest
    assert found(TEXT) == expected(TEXT)
    assert found(TEXT).mentions


def test_a_joint_model_needs_no_other_part(kb: KnowledgeBase, parts: Mapping[str, Path]) -> None:
    assert holdfast.load(kb, model=parts["joint"])(TEXT).mentions == ()


def test_a_pipeline_folder_may_have_a_part_that_is_a_folder_beside_it(
    kb: KnowledgeBase, tmp_path: Path, parts: Mapping[str, Path]
) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    config = {"parts": ["dictionary-detector", "name-linker", parts["anew"].name]}
    artifacts.write_manifest(folder, kind=PIPELINE, version=1, config=config)
    assert holdfast.load(kb, model=folder)(TEXT) == holdfast.load(kb, model="names")(TEXT)


def test_every_kind_has_the_name_that_it_is_listed_under() -> None:
    assert all(kind.name == name for name, kind in KINDS.items())
    assert PIPELINE not in KINDS

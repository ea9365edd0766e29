"""Recipes of the multi-task system: trained, measured, and joined with a name linker."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")
transformers = pytest.importorskip("transformers")

from holdfast import artifacts  # noqa: E402
from holdfast.corpora import dumps  # noqa: E402
from holdfast.document import Document, Mention  # noqa: E402
from holdfast.errors import UsageError  # noqa: E402
from holdfast.experiments.own_corpus import OwnCorpus, train_own  # noqa: E402
from holdfast.experiments.recipe import Evaluate, KbSpec, Recipe, Train, read_recipe, shipped  # noqa: E402
from holdfast.experiments.run import run_recipe  # noqa: E402
from holdfast.experiments.train import train_recipe  # noqa: E402
from holdfast.kinds import KINDS, roles_of  # noqa: E402
from holdfast.models import manifest_of, trained_model  # noqa: E402
from holdfast.pipeline import load  # noqa: E402
from holdfast.systems.multitask.shape import MULTITASK, MultitaskShape  # noqa: E402
from holdfast.systems.multitask.training.fit import (  # noqa: E402
    MultitaskData,
    MultitaskSettings,
    train_on_documents,
)
from holdfast.systems.multitask.training.recipe import read_settings  # noqa: E402
from systems.multitask.training import toys  # noqa: E402

OWN = [name for name in shipped() if name.startswith("multitask-")]


def silent(_: str) -> None:
    pass


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_HOME", str(tmp_path / "home"))


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small Hugging Face model, with random weights."""
    folder = tmp_path_factory.mktemp("bert")
    tokenizer = toys.tokenizer()
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=48,
        max_position_embeddings=64,
        initializer_range=0.2,
    )
    transformers.BertModel(config).save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a corpus of the toy world, and a vocabulary of it."""
    folder = tmp_path_factory.mktemp("data")
    for seed, (split, count) in enumerate((("train", 120), ("dev", 12), ("test", 12))):
        documents = toys.documents(count, seed=seed)
        write_corpus(folder, f"bc5cdr/{split}", documents, first=1000 * (seed + 1))
    rows = (
        f"{id}\t{called[0]}\t{called[1]}\t{toys.type_of(id)}\n"
        for id, called in zip(toys.IDS, toys.CALLED, strict=True)
    )
    text = "id\tname\tsynonyms\ttype\n" + "".join(rows)
    (folder / "terms.tsv").write_text(text, encoding="utf-8")
    return folder


def write_corpus(folder: Path, name: str, documents: list[Document], *, first: int) -> None:
    """A split of a corpus; `first` is the id of its first document."""
    path = folder / "corpora" / f"{name}.pubtator.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    numbered = [replace(d, id=str(first + n)) for n, d in enumerate(documents)]
    path.write_text(dumps(numbered, "pubtator"), encoding="utf-8")


def recipe(name: str, bert: Path, **settings: Any) -> Recipe:
    told = {
        "encoder": str(bert),
        "lstm_width": 16,
        "dropout": 0.0,
        "window": 40,
        "overlap": 8,
        "steps": 120,
        "batch": 8,
        "learning_rate": 3e-3,
        "head_rate": 1e-2,
        "sampled_classes": 100,
        "evaluate_every": 60,
        "threads": 1,
        **settings,
    }
    return Recipe(
        name=name,
        title=name,
        train=Train(MULTITASK, ("bc5cdr train",), (), "bc5cdr dev", told),
        evaluate=Evaluate("strong", "bc5cdr", "test", also=("mention", "typed", "per-token")),
        kb=KbSpec(reader="table", path="terms.tsv"),
    )


def trained(chosen: Recipe, data: Path) -> Path:
    folder = trained_model(chosen.name)
    train_recipe(chosen, data=data, out=folder, report=silent)
    return folder


def test_a_recipe_is_trained_and_measured_in_32_and_8_bits(data: Path, bert: Path) -> None:
    pieces = toys.tokenizer().get_vocab_size() - 3
    chosen = recipe("joint", bert, steps=240, pieces=pieces)
    folder = trained(chosen, data)
    assert roles_of(folder).adds == {"mentions", "types", "links"}
    for model in (folder, folder.with_name("joint-int8")):
        reports = run_recipe(chosen, data=data, model=model).reports
        assert [report.protocol for report in reports] == [
            "strong",
            "mention",
            "typed",
            "per-token",
        ]
        assert min(report["f1"] for report in reports) > 0.85
    config = artifacts.read_manifest(folder, kind=MULTITASK, version=1).config
    assert config["training_data"] == ["bc5cdr train"]
    assert any("linking F1" in key for key in config["results"])
    tokenizer = Tokenizer.from_file(str(folder.with_name("joint-int8") / "tokenizer.json"))
    assert tokenizer.get_vocab_size() <= pieces


def test_a_model_per_token_is_also_read_by_each_task(data: Path, bert: Path) -> None:
    chosen = recipe("tags", bert, setup="token", layout="multi", read="linking")
    folder = trained(chosen, data)
    assert run_recipe(chosen, data=data).reports[0]["f1"] > 0.8
    for task, protocol in (("recognition", "mention"), ("typing", "typed")):
        part = folder.with_name(f"tags-{task}")
        measured = replace(chosen, evaluate=Evaluate(protocol, "bc5cdr", "test"))
        report = run_recipe(measured, data=data, model=part).reports[0]
        assert report["f1"] > 0.8


def test_single_tasks_stand_one_after_the_other(data: Path, bert: Path) -> None:
    single = {"layout": "single", "lstm_width": 128}
    trained(recipe("finds", bert, setup="token", tasks=("recognition",), **single), data)
    links = recipe("links", bert, tasks=("linking",), recogniser="finds", **single)
    folder = trained(links, data)
    assert roles_of(folder).needs == {"mentions"}
    chain = replace(links, model=("finds", "links"))
    assert run_recipe(chain, data=data).reports[0]["f1"] > 0.9


def test_names_answer_for_what_training_never_saw(data: Path, bert: Path, tmp_path: Path) -> None:
    """Of six entities two are never seen in training; the name linker knows them all."""
    hidden = set(toys.IDS[:1] + toys.IDS[5:])
    few = tmp_path / "few"
    (few / "corpora").mkdir(parents=True)
    (few / "terms.tsv").write_bytes((data / "terms.tsv").read_bytes())
    seen = [_without_ids(document, hidden) for document in toys.documents(150)]
    write_corpus(few, "bc5cdr/train", seen, first=1000)
    write_corpus(few, "bc5cdr/dev", toys.documents(12, seed=1), first=2000)
    write_corpus(few, "bc5cdr/test", toys.documents(40, seed=2), first=3000)
    write_corpus(few, "biored/dev", toys.documents(80, seed=3), first=4000)
    for number, name in enumerate(("biored/train", "ncbi_disease/train", "ncbi_disease/dev")):
        write_corpus(few, name, [Document("", "Nothing to see.")], first=5000 + number)
    network = recipe("network", bert)
    trained(network, few)
    both = replace(
        network,
        name="both",
        train=Train(
            "multi-task model with names",
            (),
            (),
            "biored dev",
            {"model": "network", "linker": "linker"},
        ),
    )
    fitted = manifest_of(trained(both, few)).config["switch"]
    apart = {"model": "network-int8", "fit_model": "network", "linker": "linker"}
    twin = replace(both, name="twin", train=replace(both.trained, settings=apart))
    config = manifest_of(trained(twin, few)).config
    assert (config["model"], config["switch"]) == ("network-int8", fitted)
    assert config["recipes"] == ["network", "linker", "twin"]
    alone, joined = (run_recipe(one, data=few).reports[0]["f1"] for one in (network, both))
    assert alone < 0.85
    assert joined > alone + 0.05
    annotate = load(tmp_path / "home" / "recipes" / _only_kb(tmp_path), model="both")
    found = [m for d in annotate.pipe(toys.documents(10, seed=5)) for m in d.mentions]
    told = {e.detail for m in found for c in m.candidates[:1] for e in c.evidence}
    assert any("class of training mention" in detail for detail in told)
    assert any("name linker answers" in detail for detail in told)


def _without_ids(document: Document, hidden: set[str]) -> Document:
    def shown(mention: Mention) -> Mention:
        return replace(mention, ids=("NIL",)) if set(mention.ids) & hidden else mention

    return document.with_mentions(map(shown, document.mentions))


def _only_kb(home: Path) -> str:
    (folder,) = (path for path in (home / "home" / "recipes").iterdir() if path.is_dir())
    return folder.name


def test_a_model_can_be_trained_on_documents_of_ones_own(bert: Path, tmp_path: Path) -> None:
    settings = MultitaskSettings(
        MultitaskShape(encoder=str(bert), lstm_width=16),
        replace(toys.CONFIG, steps=240),
        toys.READING,
    )
    material = MultitaskData(toys.documents(120), toys.documents(12, seed=1))
    train_on_documents(material, settings, out=tmp_path / "own", report=silent)
    kb = toys.knowledge_base(tmp_path / "kb")
    gold = toys.documents(10, seed=2)
    found = load(kb, model=tmp_path / "own").pipe(replace(d, mentions=()) for d in gold)
    right = sum(
        (m.start, m.end, m.ids) in {(o.start, o.end, o.ids) for o in other.mentions}
        for one, other in zip(gold, found, strict=True)
        for m in one.mentions
    )
    assert right >= 25  # of 30
    with pytest.raises(UsageError, match="nothing to learn"):
        train_on_documents(MultitaskData([Document("d", "x")]), settings, out=tmp_path / "none")


def test_a_corpus_of_ones_own_needs_no_recipe(bert: Path, tmp_path: Path) -> None:
    kb = toys.knowledge_base(tmp_path / "kb")
    files = [tmp_path / f"{name}.pubtator" for name in ("train", "dev")]
    for seed, (path, count) in enumerate(zip(files, (120, 12), strict=True)):
        documents = toys.documents(count, seed=seed)
        numbered = [replace(d, id=str(1000 * (seed + 1) + n)) for n, d in enumerate(documents)]
        path.write_text(dumps(numbered, "pubtator"), encoding="utf-8")
    lines = list[str]()
    train_own(
        "multitask",
        OwnCorpus((files[0],), files[1], str(kb.folder)),
        out=tmp_path / "own",
        encoder=bert,
        settings={"passes": 16.0, "batch": 8, "lstm_width": 16, "learning_rate": 3e-3}
        | {"head_rate": 1e-2, "window": 40, "overlap": 8, "threads": 1, "dropout": 0.0},
        report=lines.append,
    )
    assert any(line.startswith("step 240 of 240") for line in lines)  # 16 times 120 documents by 8
    config = manifest_of(tmp_path / "own").config
    (found,) = (value for key, value in config["results"].items() if "linking F1" in key)
    assert found > 0.8
    bare = tmp_path / "bare.pubtator"
    bare.write_text(re.sub(r"\t[A-Z]+:\S+$", "", files[0].read_text("utf-8"), flags=re.M))
    unlinked = OwnCorpus((bare,), None, str(kb.folder))
    with pytest.raises(UsageError, match="no mention has an id"):
        train_own("multitask", unlinked, out=tmp_path / "none", report=silent)


def test_an_unknown_setting_is_an_error_that_names_it(data: Path, bert: Path) -> None:
    with pytest.raises(UsageError, match="'windows'"):
        trained(recipe("wrong", bert, windows=3), data)
    with pytest.raises(UsageError, match="read"):
        trained(recipe("wrong", bert, read="typing"), data)


@pytest.mark.parametrize("name", OWN)
def test_the_settings_of_every_shipped_recipe_are_known(name: str) -> None:
    chosen = read_recipe(name)
    if chosen.train and chosen.train.kind == MULTITASK:
        settings, _ = read_settings(chosen)
        assert settings.train.steps > 0
    assert chosen.train is None or chosen.train.kind in KINDS
    for part in (*chosen.model, *_parts(chosen)):
        base = part.removesuffix("-int8")
        for task in ("recognition", "typing", "linking"):
            base = base if base in shipped() else base.removesuffix(f"-{task}")
        assert base in {*shipped(), "linker"}, part


def _parts(chosen: Recipe) -> list[str]:
    settings = chosen.train.settings if chosen.train else {}
    keys = ("model", "linker", "recogniser", "detector")
    return [settings[key] for key in keys if settings.get(key)]

"""A small typing model is really trained, exported, and used from the outside."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'holdfast[train]'")

import torch

import holdfast
from command import run
from holdfast.document import Document, Mention, Span
from holdfast.encoders.tokens import TokenReader
from holdfast.errors import ArtifactError, UsageError
from holdfast.experiments.recipe import Recipe, Train
from holdfast.kb import open_kb
from holdfast.models import trained_model
from holdfast.systems.bier.adder import TypeAdder
from holdfast.systems.bier.agreement import AgreementWeights, TypeAgreement
from holdfast.systems.bier.model import TypingModel
from holdfast.systems.bier.reading import Shape, row_of, rows_of
from holdfast.systems.bier.stored import read_represented
from holdfast.systems.bier.training.build import Filter
from holdfast.systems.bier.training.command import BuildRequest, build_types
from holdfast.systems.bier.training.dataset import TypedExample
from holdfast.systems.bier.training.model import TypingNetwork, type_loss
from holdfast.systems.bier.training.recipe import train_typing_recipe
from holdfast.systems.bier.training.start import open_start
from holdfast.training.token_encoder import open_token_encoder, open_tokenizer
from systems.bier.toys import OF_TYPE, SENTENCES, documents, write_texts
from systems.bier.training.conftest import SETTINGS

pytestmark = pytest.mark.usefixtures("_trained_home")


def model(name: str = "bier-toy") -> TypingModel:
    return TypingModel.open(trained_model(name))


def top_names(found: Document) -> list[set[str]]:
    return [{t.name for t in mention.types if t.score > 0.5} for mention in found.mentions]


def test_it_learns_what_mentions_are_also_in_8_bits() -> None:
    for name in ("bier-toy", "bier-toy-int8"):
        own = model(name)
        figures = own.config["results"]
        learned = figures["development triples, macro F1"]
        assert learned > 0.75
        assert learned > 0.1 + figures["development triples, macro F1 of the commonest types"]
        found = TypeAdder(own, top=8)(documents(1, seed=9)[0])
        expected = {"Disease": "Neoplasms", "Chemical": "Drugs", "Anatomy": "Organs"}
        for mention, names in zip(found.mentions, top_names(found), strict=True):
            assert expected[mention.type] in names


def test_context_tells_what_an_unknown_word_is() -> None:
    text = SENTENCES["Disease"].format("qqq")
    start = text.index("qqq")
    document = Document("1", text, mentions=(Mention.at(start, start + 3),))
    assert "Neoplasms" in top_names(TypeAdder(model(), top=8)(document))[0]


def test_the_exported_network_agrees_with_torch(home: Path) -> None:
    own = model()
    (row,) = own.rows_of(documents(1)[0].text, [documents(1)[0].mentions[0].spans])
    from safetensors.torch import load_file

    from holdfast.training.word_pieces import prune_encoder, pruned_tokenizer

    tokenizer = open_tokenizer(str(home / "bert"))
    pieces = set(own.reader._tokenizer.get_vocab())
    counts = np.zeros(tokenizer.get_vocab_size(), dtype=np.int64)
    for piece, id in tokenizer.get_vocab().items():
        counts[id] = piece in pieces
    again, kept = pruned_tokenizer(tokenizer, counts, pieces=len(pieces))
    assert again.get_vocab() == own.reader._tokenizer.get_vocab()
    network = TypingNetwork(
        prune_encoder(open_token_encoder(str(home / "bert")), kept), len(own.types)
    )
    network.load_state_dict(load_file(home / "models/bier-toy-checkpoints/best.safetensors"))
    network.eval()
    example = TypedExample(row.astype(np.int32), np.zeros(0, dtype=np.int32))
    with torch.inference_mode():
        expected = network([example]).numpy()
    assert np.allclose(own.logits(own.dense([row])), expected, atol=1e-4)


def test_the_loss_is_binary_cross_entropy_over_all_types() -> None:
    logits = torch.randn(3, 7, generator=torch.Generator().manual_seed(0))
    kinds = [np.array([0, 3], np.int32), np.array([6], np.int32), np.zeros(0, np.int32)]
    examples = [TypedExample(np.zeros(1, np.int32), types) for types in kinds]
    targets = torch.zeros(3, 7)
    for row, types in enumerate(kinds):
        targets[row, types] = 1
    whole = torch.nn.functional.binary_cross_entropy_with_logits(logits, targets, reduction="sum")
    assert torch.isclose(type_loss(logits, examples), whole)


def test_a_stopped_run_goes_on_and_a_changed_one_is_refused(home: Path) -> None:
    settings = {**SETTINGS, "steps": 20, "save_every": 10, "encoder": str(home / "bert")}
    recipe = Recipe("again", "again", train=Train("typing model", settings=settings))
    lines = list[str]()
    out = trained_model("again")
    train_typing_recipe(recipe, data=home, out=out, report=lines.append)
    first = TypingModel.open(out).digest
    train_typing_recipe(recipe, data=home, out=out, report=lines.append)
    assert TypingModel.open(out).digest == first
    changed = replace(recipe, train=Train("typing model", settings={**settings, "longest": 20}))
    with pytest.raises(Exception, match="longest"):
        train_typing_recipe(changed, data=home, out=out, report=lines.append)


def test_all_mentions_of_a_text_are_rows_of_one_length(home: Path) -> None:
    reader = TokenReader.of(open_tokenizer(str(home / "bert")))
    shape = Shape(longest=20, mention_tokens=4)
    for document in documents(5):
        rows = rows_of(reader, document.text, [m.spans for m in document.mentions], shape)
        assert {len(row) for row in rows} == {18}
        for row, mention in zip(rows, document.mentions, strict=True):
            own = reader.read(document.text_of(mention)).ids
            assert row[: len(own)].tolist() == own.tolist()
            assert set(own.tolist()) <= set(row[len(own) + 1 :].tolist()), "the context has it too"
    tokens = reader.read("glioma")
    assert len(row_of(tokens, (Span(0, 6),), shape, separator=reader.last)) == 3


def test_link_tells_types_and_other_formats_stay_as_they_were(home: Path) -> None:
    text = home / "one.txt"
    text.write_text(documents(1, seed=3)[0].text, encoding="utf-8")
    asked = ("link", text, "--kb", "world", "--model", "dictionary")
    typed = (*asked, "--types", "--type-model", "bier-toy")
    found = json.loads(run(*typed, "--json").stdout)
    plain = json.loads(run(*asked, "--json").stdout)
    for one, other in zip(found["mentions"], plain["mentions"], strict=True):
        assert one.pop("types")[0]["score"] > 0.5
        assert one == other
    assert run(*typed, "--format", "pubtator").stdout == run(*asked, "--format", "pubtator").stdout
    assert "Neoplasms" in run(*typed).stdout
    assert Document.from_json(json.loads(run(*typed, "--json").stdout)).mentions[0].types


def test_a_missing_typing_model_and_one_that_is_none_are_said() -> None:
    asked = ("link", "Glioma.", "--kb", "world", "--model", "dictionary")
    done = run(*asked, "--types", "--type-model", "nowhere")
    assert done.returncode == 2
    assert "no model is called 'nowhere'" in done.stderr
    done = run(*asked, "--types", "--type-model", "name-linker")
    assert "'name-linker' is a name linker; take a typing model" in done.stderr
    done = run(*asked, "--type-model", "bier-toy")
    assert "give that too" in done.stderr
    with pytest.raises(UsageError, match="take a typing model"):
        holdfast.load("world", model="dictionary", types="bier-toy-descriptions")


def test_a_list_that_does_not_fit_the_head_is_refused(tmp_path: Path) -> None:
    import shutil

    from holdfast import artifacts
    from holdfast.models import manifest_of

    folder = tmp_path / "broken"
    shutil.copytree(trained_model("bier-toy"), folder)
    lines = (folder / "types.tsv").read_text(encoding="utf-8").splitlines()
    (folder / "types.tsv").write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")
    config = manifest_of(folder).config
    artifacts.write_manifest(folder, kind="typing model", version=1, config=config)
    with pytest.raises(ArtifactError, match=r"its list has \d+ types and its head \d+ rows"):
        TypingModel.open(folder)


def test_represented_mentions_are_found_again_by_their_types(tmp_path: Path) -> None:
    source = write_texts(tmp_path / "t.jsonl", 20, seed=5)
    out = tmp_path / "vectors.arrow"
    options = ("--kb", "world", "--model", "dictionary", "--type-model", "bier-toy")
    done = run("represent", source, "--out", out, *options)
    assert done.returncode == 0, done.stderr
    stored = read_represented(out)
    assert len(stored) == 60
    assert stored.dense is not None
    assert stored.dense.shape == (60, 64)
    asked = ("neighbours", "sarcoma", "--vectors", out, "--type-model", "bier-toy", "--k", "3")
    found = json.loads(run(*asked, "--json").stdout)
    assert all(one["ids"][0].startswith("MESH:D") for one in found["neighbours"])
    assert "Neoplasms" in {s["type"] for s in found["neighbours"][0]["shared"]}
    off = tmp_path / "off.tsv"
    off.write_text("Neoplasms\n", encoding="utf-8")
    switched = json.loads(run(*asked, "--json", "--weights", off).stdout)
    assert "Neoplasms" not in {s["type"] for s in switched["neighbours"][0]["shared"]}
    off.write_text("Unicorns\n", encoding="utf-8")
    assert "the model has no type 'Unicorns'" in run(*asked, "--weights", off).stderr
    assert "near because of" in run(*asked).stdout


def test_agreement_prefers_the_candidate_whose_types_the_context_has() -> None:
    from holdfast.document import Candidate

    text = SENTENCES["Disease"].format("qqq")
    start = text.index("qqq")
    both = (Candidate("MESH:C10", "cisplatin", 0.5), Candidate("MESH:D11", "myeloma", 0.4))
    mention = replace(Mention.at(start, start + 3), candidates=both, ids=("MESH:C10",))
    document = Document("1", text, mentions=(mention,))
    step = TypeAgreement(open_kb("world"), model(), AgreementWeights(1.0))
    (found,) = step(document).mentions
    assert found.ids == ("MESH:D11",)
    assert sum(c.score for c in found.candidates) <= 1.0001
    assert found.candidates[0].evidence[-1].kind == "types"
    (same,) = TypeAgreement(open_kb("world"), model(), AgreementWeights(0.0))(document).mentions
    assert same.ids == ("MESH:C10",)


def test_a_pruned_vocabulary_still_reads_everything() -> None:
    own = model()
    assert set(OF_TYPE["Disease"]) <= set(own.reader._tokenizer.get_vocab())
    assert len(own.reader._tokenizer.get_vocab()) <= 70
    assert len(own.reader.read("An odd xylophone.").ids) > 0


def test_a_model_that_begins_with_another_keeps_its_rows_of_types() -> None:
    rows = open_start("bier-toy").head
    assert torch.equal(open_start("bier-toy-descriptions").head, rows)
    assert model("bier-toy-descriptions").config["start"] == "bier-toy"


def test_a_model_over_other_types_cannot_be_begun_with(home: Path, tmp_path: Path) -> None:
    other = BuildRequest(
        "few",
        texts=(write_texts(tmp_path / "texts.jsonl", 60),),
        kb="world",
        model="dictionary",
        filter=Filter(least_count=40),
    )
    build_types(other, report=lambda _line: None)
    settings = {**SETTINGS, "types": "few", "reads": "descriptions", "start": "bier-toy"}
    recipe = Recipe("other", "other", train=Train("typing model", settings=settings))
    with pytest.raises(UsageError, match=r"'bier-toy' has .* types, and the type system"):
        train_typing_recipe(
            recipe, data=home, out=trained_model("other"), report=lambda _line: None
        )


def test_the_description_model_types_entities_by_their_definitions() -> None:
    own = model("bier-toy-descriptions")
    row = own.row_of_texts("sarcoma", "A sarcoma is one of the MESH:D1.")
    names = {own.types.names[t] for t in own.encode([row]).sparse.types[0][:4].tolist()}
    assert "Neoplasms" in names

"""Name encoders from three kinds of token embeddings, trained and measured in small."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from safetensors.torch import save_file  # noqa: E402

from command import call  # noqa: E402
from holdfast.errors import UsageError  # noqa: E402
from holdfast.systems.rescnn.training.probing.differences import CORPORA, MINILM, STAGES, STARTS  # noqa: E402
from holdfast.systems.rescnn.training.probing.embedding_comparison import compare_embeddings  # noqa: E402
from holdfast.systems.rescnn.training.probing.embedding_training import ComparisonConfig  # noqa: E402
from holdfast.systems.rescnn.training.vocabulary import build_tokenizer  # noqa: E402
from holdfast.training.abstracts import read_abstracts  # noqa: E402

ORGANS = [("renal", "kidney"), ("hepatic", "liver"), ("cardiac", "heart"), ("dermal", "skin")]
DISORDERS = [("failure", "insufficiency"), ("cancer", "tumour"), ("pain", "ache")]
DISEASES = [
    [f"{organ} {word}" for organ in organs for word in words]
    for organs in ORGANS
    for words in DISORDERS
]
TEXTS = [" ".join(pair) for pair in (*ORGANS, *DISORDERS)]
SMALL = ComparisonConfig(align_steps=4, tune_steps=60, pairs=12, seeds=2, threads=1)
WIDTH = 16


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each disease's first name is a mention of train, its second of dev; the others are known.

    One train document is of dev too, and the dictionary of dev has one mention more.
    """
    data = tmp_path_factory.mktemp("data")
    for folder in ("ncbi_disease/biosyn", "bc5cdr/biosyn_disease"):
        place = data / "corpora" / folder
        place.mkdir(parents=True)
        for number, split in enumerate(("train", "dev")):
            rows = ["doc\tspans\ttype\tmention\tids"]
            for i, names in enumerate(DISEASES):
                document = "dev0" if i == 0 else f"{split}{i}"
                rows.append(f"{document}\t0|9\tDisease\t{names[number]}\tD{i}")
            (place / f"{split}.concept.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
            known = [f"D{i}||{name}" for i, names in enumerate(DISEASES) for name in names[2:]]
            known += [f"D3||{DISEASES[3][1]}"] if split == "dev" else []
            dictionary = "\n".join(known) + "\n"
            (place / f"{split}_dictionary.txt").write_text(dictionary, encoding="utf-8")
    return data


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pretrained encoder, as far as its embeddings go."""
    folder = tmp_path_factory.mktemp("encoder")
    tokenizer = build_tokenizer(TEXTS * 5, size=120)
    tokenizer.save(str(folder / "tokenizer.json"))
    rows = torch.randn(
        tokenizer.get_vocab_size(), WIDTH, generator=torch.Generator().manual_seed(9)
    )
    save_file({"embeddings.word_embeddings.weight": rows}, folder / "model.safetensors")
    return folder


@pytest.fixture(scope="module")
def measured(data: Path, encoder: Path) -> dict[str, Any]:
    return compare(data, encoder)


def compare(data: Path, encoder: Path) -> dict[str, Any]:
    return compare_embeddings(
        SMALL,
        data=data,
        encoder=encoder,
        tokenizer=encoder / "tokenizer.json",
        texts=iter(TEXTS),
        work=data / "work",
        progress=lambda _what, _done: None,
    )


def test_every_kind_is_measured_after_each_stage_with_each_seed(measured: dict[str, Any]) -> None:
    assert [(row["seed"], row["embeddings"], row["stage"]) for row in measured["rows"]] == [
        (seed, start, stage) for seed in range(2) for start in STARTS for stage in STAGES
    ]
    assert len({json.dumps(row["losses"]) for row in measured["rows"]}) == len(measured["rows"])
    assert measured["texts"] == len(TEXTS)
    assert measured["n_scored"] == dict.fromkeys(CORPORA, len(DISEASES))
    assert 0 < measured["pieces_in_texts"] < measured["pieces"]  # padding is in no text


def test_every_kind_learns_words_that_only_a_corpus_uses(measured: dict[str, Any]) -> None:
    for start in STARTS:
        aligned, tuned = (
            mean(
                row[corpus]["accuracy_at_1"]
                for row in measured["rows"]
                for corpus in CORPORA
                if (row["embeddings"], row["stage"]) == (start, stage)
            )
            for stage in STAGES
        )
        assert aligned < 0.75 < tuned  # no name of the dictionary says "renal"


def test_a_difference_is_that_of_the_rows(measured: dict[str, Any]) -> None:
    assert len(measured["differences"]) == len(STAGES) * (len(STARTS) - 1) * len(CORPORA)
    for gain in measured["differences"]:
        means = {
            start: mean(
                row[gain["corpus"]]["accuracy_at_1"]
                for row in measured["rows"]
                if (row["stage"], row["embeddings"]) == (gain["stage"], start)
            )
            for start in STARTS
        }
        assert gain["difference"] == pytest.approx(means[gain["embeddings"]] - means[MINILM])
        assert gain["low"] <= gain["difference"] <= gain["high"]


def test_documents_of_dev_are_not_trained_on(measured: dict[str, Any]) -> None:
    assert measured["training_mentions"] == len(DISEASES) - 1


def test_new_mentions_are_those_that_no_name_equals(measured: dict[str, Any]) -> None:
    assert measured["n_new"] == dict.fromkeys(CORPORA, len(DISEASES) - 1)


def test_what_is_trained_is_not_trained_again(
    data: Path, encoder: Path, measured: dict[str, Any]
) -> None:
    kept = {path: path.stat().st_mtime_ns for path in (data / "work").rglob("model.safetensors")}
    assert len(kept) == SMALL.seeds * len(STARTS) * len(STAGES)
    assert compare(data, encoder) == measured
    assert kept == {path: path.stat().st_mtime_ns for path in kept}


def test_a_folder_that_is_not_there_is_wrong_use(data: Path, encoder: Path) -> None:
    with pytest.raises(UsageError, match="no such data folder"):
        compare(data / "nowhere", encoder)


def test_text_that_is_not_there_is_wrong_use_before_anything_is_fetched(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"abstracts\.jsonl\.gz: not there"):
        next(read_abstracts(tmp_path))


def test_the_command_prints_json_alone_and_stores_it(
    data: Path, encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (data / "text" / "elife").mkdir(parents=True, exist_ok=True)
    with gzip.open(data / "text" / "elife" / "abstracts.jsonl.gz", "wt") as stream:
        stream.writelines(json.dumps({"title": t, "abstract": t}) + "\n" for t in TEXTS)
    monkeypatch.setattr("holdfast.models.find_model", lambda _name: encoder)  # of few word pieces
    monkeypatch.setattr("holdfast.training.abstracts.fetch", lambda _package: None)
    monkeypatch.setattr("holdfast.training.abstracts.MEDLINE_FILES", ())
    usual: tuple[str | Path, ...] = (
        *("probe", "embeddings", "--data", data, "--encoder", encoder, "--align-steps", "2"),
        *("--tune-steps", "2", "--seeds", "1", "--threads", "1"),
        *("--results", tmp_path / "results"),
    )
    done = call(*usual, "--json")
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    stored = (tmp_path / "results" / "probe-embeddings.json").read_text(encoding="utf-8")
    assert printed == json.loads(stored)
    assert (printed["align_steps"], printed["seeds"], printed["texts"]) == (2, 1, len(TEXTS))
    assert set(printed["texts_sha256"]) >= {"abstracts.jsonl.gz"}
    assert printed["machine"]
    shown = call(*usual).stdout  # the encoders are trained by now
    for start in STARTS:
        assert sum(start in line for line in shown.splitlines()) >= len(STAGES), start

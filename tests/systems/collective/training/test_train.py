"""The dual encoder learns, its parts count what they say, and its export computes the same."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

import holdfast  # noqa: E402
from holdfast import artifacts  # noqa: E402
from holdfast.document import Document, Mention  # noqa: E402
from holdfast.encoders.tokens import TokenReader  # noqa: E402
from holdfast.errors import InvalidValueError, UsageError  # noqa: E402
from holdfast.models import find_model, manifest_of, trained_model  # noqa: E402
from holdfast.pipeline import load, prepare_kb  # noqa: E402
from holdfast.systems.collective.linker import CollectiveAnnotator, CollectiveLinker  # noqa: E402
from holdfast.systems.collective.model import DualEncoderModel, span_probabilities  # noqa: E402
from holdfast.systems.collective.spans import spans_of_words  # noqa: E402
from holdfast.systems.collective.training.data import (  # noqa: E402
    SegmentBatch,
    SegmentConfig,
    joined_names,
    segments_of,
)
from holdfast.systems.collective.training.detection import is_mention, word_tags  # noqa: E402
from holdfast.systems.collective.training.export import export_dual_encoder  # noqa: E402
from holdfast.systems.collective.training.model import DualEncoderShape, link_loss, means, shape_of  # noqa: E402
from holdfast.systems.collective.training.negatives import Negatives, choose_candidates  # noqa: E402
from holdfast.systems.collective.training.select import (  # noqa: E402
    encode_mentions,
    encode_table,
    linking_scores,
)
from holdfast.systems.collective.training.start import start_from  # noqa: E402
from holdfast.systems.collective.training.train import (  # noqa: E402
    full_loss,
    train_dual_encoder,
)
from holdfast.training.loop import best_entry  # noqa: E402
from holdfast.training.token_encoder import open_token_encoder  # noqa: E402
from systems.collective.training import toys  # noqa: E402


def answers(documents: Iterable[Document]) -> list[list[tuple[int, int, tuple[str, ...]]]]:
    return [[(m.start, m.end, m.ids) for m in document.mentions] for document in documents]


def silent(_: str) -> None:
    pass


@pytest.fixture
def kb(tmp_path: Path) -> Any:
    return toys.knowledge_base(tmp_path / "kb")


@pytest.mark.parametrize("kind", ["transformer", "rescnn"])
def test_a_collective_encoder_learns_to_link(kb: Any, tmp_path: Path, kind: str) -> None:
    model = toys.dual_encoder(kind)
    history = train_dual_encoder(
        model, toys.material(kb), toys.CONFIG, folder=tmp_path / "work", report=silent
    )
    assert history[-1]["accuracy"] == 1.0
    assert history[-1]["loss"] < 0.5 * history[0]["loss"]
    assert history[-1]["seconds"] > history[0]["seconds"] > 0


def test_a_single_mention_encoder_learns_from_its_characters(kb: Any, tmp_path: Path) -> None:
    material = toys.material(kb, reading=SegmentConfig(window=40, context=12))
    assert all(len(segment.spans) == 1 for segment in material.training)
    config = replace(toys.CONFIG, batch=12)
    history = train_dual_encoder(
        toys.dual_encoder(), material, config, folder=tmp_path / "work", report=silent
    )
    assert history[-1]["accuracy"] == 1.0


def test_synonyms_alone_teach_most_of_it(kb: Any, tmp_path: Path) -> None:
    model = toys.dual_encoder(mention="mean")
    config = replace(toys.CONFIG, steps=0, align_steps=60, synonyms=16)
    history = train_dual_encoder(
        model, toys.material(kb), config, folder=tmp_path / "work", report=silent
    )
    assert history[-1]["accuracy"] > 0.6


@pytest.mark.parametrize("detection", ["bio", "spans"])
def test_found_and_linked_in_one_pass(
    kb: Any, tmp_path: Path, detection: Literal["bio", "spans"]
) -> None:
    model = toys.dual_encoder(mention="mean", detection=detection)
    history = train_dual_encoder(
        model, toys.material(kb), toys.LONGER, folder=tmp_path / "work", report=silent
    )
    best = best_entry(history, "f1")
    assert best["f1"] == max(entry["f1"] for entry in history) > 0.9
    export_dual_encoder(
        model,
        toys.tokenizer(),
        tmp_path / "model",
        reading=toys.READING,
        threshold=best["threshold"],
        description={},
    )
    annotate = CollectiveAnnotator.open(tmp_path / "model", kb, threads=1)
    right = 0
    every = toys.documents(10, seed=2)
    for gold, found in zip(every, annotate.pipe(every), strict=True):
        assert answers([found]) == answers([annotate(gold)])
        wanted = {(m.start, m.end, m.ids) for m in gold.mentions}
        right += len(wanted & {(m.start, m.end, m.ids) for m in found.mentions})
        assert {m.type for m in found.mentions} <= {"Disease"}
    assert right >= 25  # of 30
    check_only_what_is_wanted_is_kept(tmp_path, every)


def check_only_what_is_wanted_is_kept(folder: Path, documents: list[Document]) -> None:
    """Of what is found without a wish, whatever else is near."""
    kinds: list[tuple[str, ...]] = [
        ("Chemical",),
        ("Disease", "Process"),
        (),
        ("Disease",),
        ("T1",),
    ]
    mixed = toys.knowledge_base(folder / "mixed", [kinds[at % 5] for at in range(len(toys.IDS))])
    every = [
        m
        for d in CollectiveAnnotator.open(folder / "model", mixed).pipe(documents)
        for m in d.mentions
    ]
    wanted = CollectiveAnnotator.open(folder / "model", mixed, only=("Process", "Chemical"), top=9)
    kept = [m for d in wanted.pipe(documents) for m in d.mentions]
    of_id = {id: kinds[at % 5] for at, id in enumerate(toys.IDS)}
    types = {("Chemical",): "Chemical", ("Disease", "Process"): "Process", (): ""}
    expected = [(m.start, m.end, m.ids) for m in every if of_id[m.ids[0]] in types]
    assert [(m.start, m.end, m.ids) for m in kept] == expected
    assert [m.type for m in kept] == [types[of_id[m.ids[0]]] for m in kept]
    assert all(of_id[c.entity_id] in types for m in kept for c in m.candidates)
    assert {*types.values()} == {m.type for m in kept}
    pipeline = holdfast.load(mixed, model=folder / "model", only=("t1",))
    own = [m for d in pipeline.pipe(documents) for m in d.mentions]
    expected = [(m.start, m.end, m.ids) for m in every if of_id[m.ids[0]] in (("T1",), ())]
    assert [(m.start, m.end, m.ids) for m in own] == expected
    assert {m.type for m in own} == {"T1", ""}


def test_an_interrupted_run_goes_on_where_it_was(kb: Any, tmp_path: Path) -> None:
    material = toys.material(kb)
    whole, halves = toys.dual_encoder(), toys.dual_encoder()
    train_dual_encoder(whole, material, toys.CONFIG, folder=tmp_path / "whole", report=silent)
    config = replace(toys.CONFIG, steps=40)
    train_dual_encoder(halves, material, config, folder=tmp_path / "halves", report=silent)
    said: list[str] = []
    done = train_dual_encoder(
        toys.dual_encoder(), material, toys.CONFIG, folder=tmp_path / "halves", report=said.append
    )
    assert said[0] == "going on from step 40"
    assert [entry["step"] for entry in done] == [20, 40, 60]
    assert done[-1]["accuracy"] == 1.0


def test_a_killed_run_goes_on_to_the_same_weights(kb: Any, tmp_path: Path) -> None:
    material = toys.material(kb)
    config = replace(toys.CONFIG, refresh_every=8, save_every=5)
    whole, again = toys.dual_encoder(), toys.dual_encoder()
    train_dual_encoder(whole, material, config, folder=tmp_path / "whole", report=silent)

    def killed(line: str) -> None:
        if line.startswith("step 24 "):
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        train_dual_encoder(
            toys.dual_encoder(), material, config, folder=tmp_path / "cut", report=killed
        )
    train_dual_encoder(again, material, config, folder=tmp_path / "cut", report=silent)
    for one, other in zip(whole.parameters(), again.parameters(), strict=True):
        assert torch.equal(one, other)


def test_seconds_count_steps_and_fresh_vectors_but_no_looks(
    kb: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0]

    def slow(function: Any, ticks: int) -> Any:
        def slowed(*arguments: Any) -> Any:
            clock[0] += ticks
            return function(*arguments)

        return slowed

    module = "holdfast.systems.collective.training.train"
    monkeypatch.setattr("holdfast.training.run.time.process_time", lambda: clock[0])
    monkeypatch.setattr(f"{module}.encode_table", slow(encode_table, 10))
    monkeypatch.setattr(f"{module}.SegmentBatch.of", slow(SegmentBatch.of, 1))
    monkeypatch.setattr(f"{module}.linking_scores", slow(linking_scores, 100))
    material = toys.material(kb)
    config = replace(toys.CONFIG, steps=8, refresh_every=4, look_every=2, save_every=3)
    train = partial(train_dual_encoder, material=material, report=silent)
    whole = train(toys.dual_encoder(), config=config, folder=tmp_path / "whole")
    # The vectors at the start, two steps; two more and fresh vectors; the last are a look's.
    looks = [(0, 10), (2, 12), (4, 24), (6, 26), (8, 28)]
    assert [(e["step"], e["seconds"]) for e in whole] == looks
    train(toys.dual_encoder(), config=replace(config, steps=3), folder=tmp_path / "cut")
    again = train(toys.dual_encoder(), config=config, folder=tmp_path / "cut")
    assert (again[-1]["step"], again[-1]["seconds"]) == (8, 28)
    config = replace(config, fixed_names=True)
    fixed = train(toys.dual_encoder(), config=config, folder=tmp_path / "fixed")
    assert [(e["step"], e["seconds"]) for e in fixed] == [(n, n) for n in (0, 2, 4, 6, 8)]


def test_a_run_may_begin_with_the_encoders_of_another(kb: Any, tmp_path: Path) -> None:
    first, second = toys.dual_encoder(), toys.dual_encoder(mention="mean", detection="bio")
    config = replace(toys.CONFIG, steps=20)
    train_dual_encoder(first, toys.material(kb), config, folder=tmp_path / "a", report=silent)
    assert second.tags is not None
    before = second.tags.weight.clone()
    start_from(second, tmp_path / "a")
    weights = first.state_dict()
    for name, value in second.documents.state_dict().items():
        torch.testing.assert_close(value, weights[f"documents.{name}"])
    torch.testing.assert_close(second.tags.weight, before)
    with pytest.raises(UsageError, match="another kind of encoder"):
        start_from(toys.dual_encoder("rescnn"), tmp_path / "a")
    with pytest.raises(UsageError, match="not there"):
        start_from(second, tmp_path / "b")


def test_every_name_of_an_entity_is_gold(kb: Any) -> None:
    table = toys.material(kb, names=2).table
    found = table.is_gold([(1,), (0, 2)])
    assert [table.owner[row].tolist() for row in found] == [[1, 1], [0, 0, 2, 2]]


def test_a_mentions_own_wording_is_hidden_where_another_name_is_right(kb: Any) -> None:
    table = toys.material(kb, names=2).table
    first, other = table.rows_of([1])
    own = table.is_own_wording([(1,), (1,), (0,)], [table.tokens[first], (0,), ()])
    assert [np.flatnonzero(row).tolist() for row in own] == [[first], [], []]
    assert not toys.material(kb).table.is_own_wording([(1,)], [table.tokens[first]]).any()
    homonym = np.flatnonzero(table.is_own_wording([(0,)], [table.tokens[first]])[0])
    assert homonym.tolist() == [first]  # a name of another entity, written like the mention
    cache = torch.nn.functional.one_hot(torch.arange(len(table))).float()
    wordings = [table.tokens[first]]
    near, far = 9.0 * cache[[first]], 9.0 * cache[[other]]
    alike = float(full_loss(near, [(1,)], wordings, table, cache))
    assert alike > 1 > float(full_loss(far, [(1,)], wordings, table, cache))


def test_wordings_are_the_tokens_of_mentions(kb: Any) -> None:
    segments = toys.material(kb).training[:3]
    batch = SegmentBatch.of(segments)
    expected = [s.ids[a : b + 1].tolist() for s in segments for a, b in s.spans.tolist()]
    assert batch.wordings() == expected


def test_names_that_are_fixed_keep_the_entity_vectors_of_the_model_before(
    kb: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = toys.dual_encoder(), toys.dual_encoder(mention="mean", detection="bio")
    material, config = toys.material(kb), replace(toys.CONFIG, steps=20)
    train_dual_encoder(first, material, config, folder=tmp_path / "a", report=silent)
    start_from(second, tmp_path / "a")
    fixed = replace(toys.LONGER, fixed_names=True)
    monkeypatch.delattr(
        "holdfast.systems.collective.training.train.choose_candidates"
    )  # all are compared
    history = train_dual_encoder(second, material, fixed, folder=tmp_path / "b", report=silent)
    assert best_entry(history, "f1")["f1"] > 0.9
    torch.testing.assert_close(
        encode_table(second, material.table), encode_table(first, material.table)
    )
    opened = list[DualEncoderModel]()
    for name, model in (("a", first), ("b", second)):
        folder = tmp_path / f"{name}-model"
        export_dual_encoder(model, toys.tokenizer(), folder, reading=toys.READING, description={})
        opened.append(DualEncoderModel.open(folder, threads=1))
        CollectiveLinker.open(folder, kb, threads=1)
    assert opened[0].names_digest == opened[1].names_digest
    assert opened[0].digest != opened[1].digest
    assert len(list((artifacts.home() / "entities").iterdir())) == 1
    shared = toys.dual_encoder()
    shared.own_names = None
    with pytest.raises(InvalidValueError, match="share one encoder"):
        shared.fix_names()


@pytest.mark.parametrize("kind", ["transformer", "rescnn"])
@pytest.mark.parametrize("mention", ["ends", "mean"])
@pytest.mark.parametrize("entity", ["first", "mean"])
def test_the_export_computes_what_torch_computes(
    tmp_path: Path, kind: str, mention: str, entity: str
) -> None:
    model = toys.dual_encoder(kind, mention=mention, entity=entity, detection="spans").eval()
    tokenizer = toys.tokenizer()
    export_dual_encoder(
        model,
        tokenizer,
        tmp_path / "model",
        reading=SegmentConfig(window=60, overlap=8),
        description={},
    )
    opened = DualEncoderModel.open(tmp_path / "model", threads=1)
    document = toys.documents(1)[0]
    reader = TokenReader.of(tokenizer)
    batch = SegmentBatch.of(
        list(segments_of([document], reader, SegmentConfig(window=60, overlap=8), rows={}))
    )
    tokens = reader.read(document.text)
    names = ["Asthma", "red spots", "head pain"]
    with torch.inference_mode():
        states = model.states(batch.tokens, batch.lengths)
        vectors = model.mentions(states, batch.spans)
        ids = [tokenizer.encode(name, add_special_tokens=False).ids for name in names]
        entities = model.entities(*joined_names(ids))
        spans = spans_of_words(tokens.words, len(tokens), longest=3)
        odds = model.span_scores(states, torch.from_numpy(spans))
    found = opened.states(tokens)
    np.testing.assert_allclose(found, states.numpy(), atol=2e-5)
    for given_states in (found, None):
        own = opened.mention_vectors(tokens, batch.spans.numpy(), given_states)
        np.testing.assert_allclose(own, vectors.numpy(), atol=2e-4)
    np.testing.assert_allclose(opened.encode_names(names), entities.numpy(), atol=2e-5)
    probabilities = span_probabilities(opened.detection_scores(found), spans)
    np.testing.assert_allclose(probabilities, odds.sigmoid().numpy(), atol=2e-5)


def test_eight_bits_stay_near_thirty_two(tmp_path: Path) -> None:
    model = toys.dual_encoder().eval()
    whole, small = (
        export_dual_encoder(
            model,
            toys.tokenizer(),
            tmp_path / name,
            reading=toys.READING,
            small=name == "small",
            description={},
        )
        for name in ("whole", "small")
    )
    assert small.files["model.onnx"]["size"] < whole.files["model.onnx"]["size"]
    names = [name for called in toys.CALLED for name in called]
    vectors = [
        DualEncoderModel.open(tmp_path / name, threads=1).encode_names(names)
        for name in ("whole", "small")
    ]
    assert (vectors[0] * vectors[1]).sum(axis=1).min() > 0.98


def test_the_linker_ranks_and_says_why(kb: Any, tmp_path: Path) -> None:
    model = toys.dual_encoder()
    train_dual_encoder(
        model, toys.material(kb), toys.CONFIG, folder=tmp_path / "work", report=silent
    )
    export_dual_encoder(
        model, toys.tokenizer(), tmp_path / "model", reading=toys.READING, description={}
    )
    link = CollectiveLinker.open(tmp_path / "model", kb, top=3, threads=1)
    document = toys.documents(1, seed=5)[0]
    blank = document.with_mentions(replace(m, ids=()) for m in document.mentions)
    linked = link(blank)
    assert [m.ids for m in linked.mentions] == [m.ids for m in document.mentions]
    for mention in linked.mentions:
        scores = [candidate.score for candidate in mention.candidates]
        assert len(scores) == 3
        assert scores == sorted(scores, reverse=True)
        assert sum(scores) <= 1.0002
        assert mention.candidates[0].evidence[0].kind == "collective"
    spaces = Document("x", "a   b", mentions=(Mention.at(2, 3),))
    several = [spaces, blank, Document("", ""), *toys.documents(20, seed=6)]
    assert answers(link.pipe(several)) == answers(link(document) for document in several)
    assert link(Document("", "")).mentions == ()
    assert link(spaces).mentions[0].is_nil
    with pytest.raises(UsageError, match="not to find them"):
        CollectiveAnnotator.open(tmp_path / "model", kb, threads=1)(blank)


def test_the_collective_model_takes_what_is_here_and_says_how_to_get_it(kb: Any) -> None:
    (part,) = manifest_of(find_model("collective")).config["parts"]
    hint = f"has a part '{part}', which is not here; `holdfast models get {part}`"
    with pytest.raises(UsageError, match=hint):
        load(kb, model="collective")
    model = toys.dual_encoder(mention="mean", detection="bio")
    export_dual_encoder(
        model, toys.tokenizer(), trained_model(part), reading=toys.READING, description={}
    )
    document = toys.documents(1)[0]
    bare = replace(document, mentions=())
    annotator = CollectiveAnnotator.open(trained_model(part), kb, top=2, threads=1)
    assert answers([load(kb, model="collective", top=2)(bare)]) == answers([annotator(bare)])
    chemicals = load(kb, model="collective", only=("Chemical",))(bare)
    assert chemicals.mentions == ()


def test_a_dual_encoder_links_what_is_marked(kb: Any) -> None:
    folder = trained_model("mine")
    export_dual_encoder(
        toys.dual_encoder(), toys.tokenizer(), folder, reading=toys.READING, description={}
    )
    document = toys.documents(1)[0]
    linked = load(kb, model="mine", marked=True, only=("Disease",), top=2)(document)
    assert [len(mention.candidates) for mention in linked.mentions] == [2, 2, 2]
    assert load(kb, model="mine", marked=True, only=("Disease",), top=2).digest


def test_entities_are_encoded_once_with_word_of_it_after_everything_was_checked(kb: Any) -> None:
    model = toys.dual_encoder(mention="mean", detection="bio")
    folder = trained_model("joint")
    export_dual_encoder(model, toys.tokenizer(), folder, reading=toys.READING, description={})
    said = list[str]()
    load_it = partial(load, kb, model="joint", progress=lambda what, _: said.append(what))
    with pytest.raises(UsageError, match="no type is called"):
        load_it(only=("desease",))
    with pytest.raises(UsageError, match="the dual encoder 'joint' links only what it finds"):
        load_it(marked=True)
    with pytest.raises(UsageError, match="the dual encoder 'joint' finds no mentions inside"):
        load_it(nested=True)
    assert said == []
    load_it()
    assert {*said} == {"encoding entities"}
    said.clear()
    load_it()
    assert said == []
    prepare_kb(kb, model="joint", progress=lambda what, _: said.append(what))
    assert said == []


@pytest.mark.parametrize("detection", ["bio", "spans"])
def test_odd_documents_have_right_offsets(kb: Any, tmp_path: Path, detection: str) -> None:
    model = toys.dual_encoder(mention="mean", detection=detection)
    with torch.no_grad():  # finds something in every text
        head = model.tags if detection == "bio" else model.span
        assert head is not None
        head.bias.copy_(torch.tensor([0.0, 9.0, 0.0]))
    folder = tmp_path / "model"
    export_dual_encoder(model, toys.tokenizer(), folder, reading=toys.READING, description={})
    annotate = CollectiveAnnotator.open(folder, kb, threads=1)
    for text in ("", " \r\n\t", "...", "flu\r\ngrippe", "a\u0301gue 🤒 flu\ud800", "flu " * 500):
        found = annotate(Document("odd", text)).mentions
        assert bool(found) == bool(text.strip())
        for mention in found:
            surface = text[mention.start : mention.end]
            assert surface == surface.strip() != ""


def test_a_long_document_is_linked_as_its_parts_are(kb: Any, tmp_path: Path) -> None:
    model = toys.dual_encoder(mention="mean", detection="spans")
    train_dual_encoder(
        model, toys.material(kb), toys.LONGER, folder=tmp_path / "work", report=silent
    )
    # Windows no longer than the documents it learned from: later positions mean nothing to it.
    export_dual_encoder(
        model,
        toys.tokenizer(),
        tmp_path / "model",
        reading=SegmentConfig(window=14, overlap=6),
        description={},
    )
    annotate = CollectiveAnnotator.open(tmp_path / "model", kb, threads=1)
    parts = toys.documents(30, seed=4)
    text = "\r\n".join(part.text for part in parts)
    found = annotate(Document("long", text))
    names = {name for called in toys.CALLED for name in called}
    assert len(found.mentions) >= 75  # of 90
    assert sum(found.text_of(m) in names for m in found.mentions) >= 0.9 * len(found.mentions)
    ends = [(m.start, m.end) for m in found.mentions]
    assert all(a[1] <= b[0] for a, b in pairwise(ends))


def test_segments_hold_every_mention_once_and_at_most_as_many_as_told() -> None:
    reader = TokenReader.of(toys.tokenizer())
    joined = documents_joined(12)
    rows = {id: at for at, id in enumerate(toys.IDS)}
    for reading in (
        SegmentConfig(window=30, overlap=6),
        SegmentConfig(window=30, overlap=6, mentions=4),
    ):
        segments = list(segments_of([joined], reader, reading, rows=rows))
        places = [place for segment in segments for place in segment.places]
        assert sorted(places) == [("all", number) for number in range(36)]
        assert max(len(segment.ids) for segment in segments) <= 30
        if reading.mentions:
            assert max(len(segment.spans) for segment in segments) == 4
            assert sum(len(s.ids) for s in segments) == len(reader.read(joined.text))


def documents_joined(count: int) -> Document:
    text, mentions = "", list[Mention]()
    for part in toys.documents(count):
        mentions += (
            Mention.at(m.start + len(text), m.end + len(text), ids=m.ids) for m in part.mentions
        )
        text += part.text
    return Document("all", text, mentions=tuple(mentions))


def test_tags_and_spans_name_the_same_mentions() -> None:
    reader = TokenReader.of(toys.tokenizer())
    (segment,) = segments_of([toys.documents(1)[0]], reader, SegmentConfig(), rows={})
    tags = word_tags(segment)
    assert (tags == 1).sum() == 3
    spans = spans_of_words(segment.words, len(segment.ids), longest=3)
    assert is_mention(spans, segment).sum() == 3
    begins = segment.words[np.flatnonzero(tags == 1)].tolist()
    assert sorted(begins) == sorted(segment.spans[:, 0].tolist())


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=6))
def test_means_are_those_of_numpy(lengths: list[int]) -> None:
    states = torch.randn(sum(lengths) + 1, 3)
    firsts = torch.tensor(np.cumsum([0, *lengths[:-1]]))
    found = means(states, firsts, torch.tensor(lengths))
    for row, first, length in zip(found, firsts.tolist(), lengths, strict=True):
        expected = states[first : first + length].mean(0) if length else torch.zeros(3)
        torch.testing.assert_close(row, expected)


def test_any_of_several_golds_will_do() -> None:
    scores = torch.tensor([[9.0, 0.0, -9.0]])
    one = link_loss(scores, torch.tensor([[False, True, False]]))
    two = link_loss(scores, torch.tensor([[True, True, False]]))
    assert float(two) < 0.01 < 8 < float(one)


def test_hard_negatives_score_above_the_gold_and_golds_are_always_encoded(kb: Any) -> None:
    table = toys.material(kb).table
    cache = torch.eye(len(table))
    mentions = torch.tensor([[0.5, 0.9, 0.7, 0.1, 0.2, 0.3]])
    found = choose_candidates(
        mentions,
        [(0,)],
        table=table,
        cache=cache,
        negatives=Negatives(hard=2, random=0, encoded=1),
        rng=np.random.default_rng(0),
    )
    assert found.rows.tolist() == [0, 1, 2]
    assert found.encoded == 1
    assert found.is_gold.tolist() == [[True, False, False]]


def test_an_entity_is_found_by_any_of_its_names(kb: Any, tmp_path: Path) -> None:
    material = toys.material(kb, names=3)
    assert len(material.table) == 3 * len(kb)
    model = toys.dual_encoder()
    history = train_dual_encoder(
        model, material, toys.CONFIG, folder=tmp_path / "work", report=silent
    )
    assert history[-1]["accuracy"] > 0.9
    cache = encode_table(model, material.table)
    assert encode_mentions(model, material.development).shape[1] == cache.shape[1]


def test_a_shape_refuses_what_it_does_not_know() -> None:
    with pytest.raises(InvalidValueError, match="mention = 'middle'"):
        DualEncoderShape(mention="middle")  # type: ignore[arg-type]
    with pytest.raises(InvalidValueError, match="'colour'"):
        shape_of({"colour": "blue"})
    with pytest.raises(UsageError, match="no encoder is called 'nobody'"):
        open_token_encoder("nobody")

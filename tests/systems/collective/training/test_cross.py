"""The cross-encoder learns to rank, and its export ranks as it does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

from holdfast.document import Candidate, Document  # noqa: E402
from holdfast.kb import KnowledgeBase  # noqa: E402
from holdfast.systems.collective.cross import (  # noqa: E402
    CrossEncoderModel,
    CrossEncoderRanker,
    PairReader,
)
from holdfast.systems.collective.training.cross import (  # noqa: E402
    CrossConfig,
    CrossEncoder,
    cases_of,
    export_cross_encoder,
    train_cross_encoder,
)
from systems.collective.training import toys  # noqa: E402

CROSS = CrossConfig(
    steps=80,
    batch=8,
    candidates=6,
    learning_rate=3e-3,
    head_rate=3e-3,
    context=20,
    longest_context=8,
    longest_name=6,
    look_every=40,
    threads=1,
)


def silent(_: str) -> None:
    pass


@pytest.fixture
def kb(tmp_path: Path) -> KnowledgeBase:
    return toys.knowledge_base(tmp_path / "kb")


def pair_reader() -> PairReader:
    return PairReader.of(toys.tokenizer(), context=20, longest_context=8, longest_name=6)


def every(document: Document) -> list[list[tuple[str, str]]]:
    """All entities as candidates of every mention."""
    names = [(id, called[0]) for id, called in zip(toys.IDS, toys.CALLED, strict=True)]
    return [names for _ in document.mentions]


def every_candidate(kb: KnowledgeBase) -> tuple[Candidate, ...]:
    return tuple(Candidate(kb.id_at(row), kb.label_at(row), 0.0) for row in range(len(kb)))


def trained_cross(folder: Path) -> CrossEncoder:
    torch.manual_seed(5)
    model = CrossEncoder(toys.transformer(toys.tokenizer()))
    reader = pair_reader()
    cases = cases_of(toys.documents(3), reader, every)
    history = train_cross_encoder(model, cases, cases, reader, CROSS, folder=folder, report=silent)
    assert history[-1]["accuracy"] > 0.6
    assert history[-1]["loss"] < 0.6 * history[0]["loss"]
    return model


def test_a_cross_encoder_learns_and_its_export_ranks_as_it_does(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    model = trained_cross(tmp_path / "work")
    export_cross_encoder(model, toys.tokenizer(), tmp_path / "model", config=CROSS, description={})
    opened = CrossEncoderModel.open(tmp_path / "model", threads=1)
    document = toys.documents(1)[0]
    reader = pair_reader()
    (case, *_) = cases_of([document], reader, every)
    pairs = [reader.pair(case.mention, name) for name in case.names]
    with torch.inference_mode():
        tokens = torch.tensor([id for pair in pairs for id in pair])
        scores = model(tokens, torch.tensor([len(pair) for pair in pairs]))
    np.testing.assert_allclose(opened.score(pairs), scores.numpy(), atol=1e-4)
    ranker = CrossEncoderRanker(opened)
    asked = document.with_mentions(
        replace(mention, ids=(), candidates=every_candidate(kb)) for mention in document.mentions
    )
    ranked = ranker(asked)
    pairs_of_ids = zip(ranked.mentions, document.mentions, strict=True)
    assert sum(found.ids == gold.ids for found, gold in pairs_of_ids) >= 2
    for mention in ranked.mentions:
        assert {c.entity_id for c in mention.candidates} == set(toys.IDS)
        shares = [c.score for c in mention.candidates]
        assert shares == sorted(shares, reverse=True)
        assert sum(shares) == pytest.approx(1, abs=1e-3)
        assert mention.candidates[0].evidence[-1].kind == "cross-encoder"
    without = document.with_mentions(replace(m, candidates=()) for m in document.mentions)
    assert ranker(without) == without
    assert list(ranker.pipe([asked, without])) == [ranked, without]


def test_a_pair_marks_the_mention_and_keeps_what_is_near() -> None:
    reader = pair_reader()
    document = toys.documents(1)[0]
    own = reader.mention_tokens(document, document.mentions[1])
    assert own.count(reader.markers[0]) == own.count(reader.markers[1]) == 1
    assert own.index(reader.markers[0]) <= 8
    assert len(own) - own.index(reader.markers[1]) - 1 <= 8
    assert reader.pair([1], [2]) == [1, reader.frame[1], 2]

"""The command asks a model that was pre-trained on what the triples say."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from command import call  # noqa: E402
from holdfast.kb import Entry  # noqa: E402
from holdfast.systems.kebiolm.knowledge.triples import SplitTriples, Triple, Triples  # noqa: E402
from holdfast.systems.kebiolm.knowledge.vectors import KnowledgeVectors  # noqa: E402
from holdfast.systems.kebiolm.training.pretraining.model import (  # noqa: E402
    KnowledgeNetwork,
    KnowledgeShape,
)
from holdfast.systems.kebiolm.training.pretraining.saved import Knowledge, save_knowledge  # noqa: E402
from holdfast.systems.kebiolm.training.probing.probe import (  # noqa: E402
    KnowledgeProbeConfig,
    queries_to_ask,
)
from holdfast.training.bert import pretrained_transformer  # noqa: E402
from holdfast.training.pretrained import pretrained_tokenizer  # noqa: E402
from small_kb import of_entries  # noqa: E402
from systems.kebiolm.training.pretraining import text_toys as toys  # noqa: E402


def test_probe_knowledge_reports_seen_and_held_out_and_goes_on(tmp_path: Path) -> None:
    encoder = toys.save_encoder(tmp_path / "encoder")
    model = KnowledgeNetwork(
        pretrained_transformer(encoder), KnowledgeShape(2, 4, 2), torch.randn(3, 4)
    )
    knowledge = Knowledge(model, pretrained_tokenizer(encoder), ("OWN:1", "OWN:2", "OWN:3"))
    save_knowledge(knowledge, tmp_path / "model", description={})
    of_entries(tmp_path / "kb", *(Entry(id, name) for id, name in toys.NAMES.items()))
    every = Triples.of(
        [
            Triple("OWN:1", "part_of", "OWN:2"),
            Triple("OWN:2", "part_of", "OWN:3"),
            Triple("OWN:3", "may_treat", "OWN:4"),
        ]
    )
    parts = [every.keeping(np.array(rows, dtype=np.int64)) for rows in ([0, 2], [1], [])]
    vectors = np.ones((4, 2), dtype=np.float32)
    KnowledgeVectors(SplitTriples(*parts), vectors, vectors[:2]).write(
        tmp_path / "transe", config={}
    )
    options: list[str | Path] = ["--model", tmp_path / "model", "--kb", tmp_path / "kb", "--json"]
    options += ("--triples", tmp_path / "transe", "--masks", "2", "--beam", "2")
    first = call("probe", "knowledge", *options, "--results", tmp_path / "results")
    assert first.returncode == 0, first.stderr
    measured = json.loads(first.stdout)
    assert measured["parts"]["seen"]["n_scored"] == 4
    assert measured["parts"]["held_out"]["n_scored"] == 2
    asked = {"green rash may treat [MASK]", "[MASK] may treat pale skin"}
    assert len({one["query"] for one in measured["examples"]} & asked) == 1
    again = json.loads(call("probe", "knowledge", *options).stdout)
    assert again["parts"] == measured["parts"]
    assert (tmp_path / "results" / "probe-knowledge-model.json").exists()


def test_held_out_triples_are_answered_by_held_out_triples_alone(tmp_path: Path) -> None:
    kb = of_entries(tmp_path / "kb", *(Entry(id, name) for id, name in toys.NAMES.items()))
    every = Triples.of(Triple(f"OWN:{n}", "part_of", "OWN:4") for n in (1, 2, 3))
    train, dev, test = (every.keeping(np.array([row])) for row in range(3))
    found = list(queries_to_ask(SplitTriples(train, dev, test), kb, KnowledgeProbeConfig()))
    answers = {part: query.answers for part, query in found if not query.is_tail}
    assert answers == {"seen": ("OWN:1",), "held_out": ("OWN:2", "OWN:3")}
    assert len({(part, query.text) for part, query in found}) == len(found) == 5
    few = list(queries_to_ask(SplitTriples(train, dev, test), kb, KnowledgeProbeConfig(most=1)))
    assert [part for part, _ in few] == ["seen", "held_out"]

"""What goes wrong in published code is right here: spans, masks, memory, losses, resuming."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from holdfast.encoders.tokens import TokenReader  # noqa: E402
from holdfast.systems.kebiolm.training.pretraining.data import (  # noqa: E402
    NO_ENTITY,
    TextBatch,
    TextSequence,
    sequences_of,
    spans_of_tags,
)
from holdfast.systems.kebiolm.training.pretraining.masking import (  # noqa: E402
    MaskConfig,
    mask,
    units_of,
)
from holdfast.systems.kebiolm.training.pretraining.model import (  # noqa: E402
    EntityMemory,
    KnowledgeNetwork,
    KnowledgeShape,
    add_entities,
    knowledge_losses,
)
from holdfast.training.bert import places_of, pretrained_transformer  # noqa: E402
from holdfast.training.pretrained import pretrained_tokenizer  # noqa: E402
from systems.kebiolm.training.pretraining import text_toys as toys  # noqa: E402


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return toys.save_encoder(tmp_path_factory.mktemp("encoder"))


def sequences(encoder: Path, count: int = 8, **options: int) -> list[TextSequence]:
    reader = TokenReader.of(pretrained_tokenizer(encoder))
    rows = {id: place for place, id in enumerate(toys.NAMES)}
    return list(sequences_of(toys.texts(count), reader, rows, **{"longest": 60, **options}))


def batch(*, spans: list[tuple[int, int]], entities: list[int]) -> TextBatch:
    """Two sequences of eight tokens, a word each but for the last two of a sequence."""
    words = [0, 1, 2, 3, 4, 5, 6, 6]
    return TextBatch(
        torch.arange(100, 116),
        torch.tensor([8, 8]),
        torch.tensor([*words, *(7 + w for w in words)]),
        torch.tensor(spans).reshape(-1, 2),
        torch.tensor(entities),
    )


def test_entity_state_goes_to_exactly_the_tokens_of_the_mention() -> None:
    lengths = torch.tensor([4, 3])
    states = torch.zeros(4 + 3 + 4, 2)
    spans, brought = (
        torch.tensor([[0, 0], [2, 3], [4, 5]]),
        torch.tensor([[1.0, 0], [2, 0], [4, 0]]),
    )
    found = add_entities(states, brought, spans, places_of(lengths), None)
    #         [CLS] a     b  c  d  [SEP] [CLS] e  f  g  [SEP]
    assert found[:, 0].tolist() == [0, 1, 0, 2, 2, 0, 0, 4, 4, 0, 0]


def test_a_mention_without_an_entity_receives_nothing() -> None:
    states, spans = torch.zeros(6, 2), torch.tensor([[0, 1], [2, 3]])
    known = torch.tensor([False, True])
    found = add_entities(states, torch.ones(2, 2), spans, places_of(torch.tensor([4])), known)
    assert found[:, 0].tolist() == [0, 0, 0, 1, 1, 0]
    none = torch.tensor([False, False])
    assert (
        add_entities(states, torch.ones(2, 2), spans, places_of(torch.tensor([4])), none).sum() == 0
    )


def test_the_network_changes_no_state_of_other_tokens(encoder: Path) -> None:
    """Before any fusion layer, only the mention's own tokens differ."""
    shape = KnowledgeShape(text_layers=1, entity_width=4, nearest=3)
    torch.manual_seed(0)
    model = KnowledgeNetwork(pretrained_transformer(encoder), shape, torch.randn(5, 4)).eval()
    for layer in list(model.network.layers)[1:]:
        layer.forward = lambda states, *_: states
    own = TextBatch.of(sequences(encoder, 2))
    with torch.inference_mode():
        plain = model(own.tokens, own.lengths, spans=torch.zeros((0, 2), dtype=torch.long))
        read = model(own.tokens, own.lengths, spans=own.spans[:2])
    changed = (plain.tokens != read.tokens).any(dim=1).nonzero()[:, 0].tolist()
    inside = [place for a, b in own.spans[:2].tolist() for place in range(a, b + 1)]
    assert changed == inside
    assert torch.equal(plain.texts, read.texts)


def test_without_fusion_layers_nothing_is_added_and_both_heads_still_learn(encoder: Path) -> None:
    torch.manual_seed(0)
    network = pretrained_transformer(encoder)
    plain = KnowledgeNetwork(network, KnowledgeShape(text_layers=2, knowledge=False), None)
    shape = KnowledgeShape(text_layers=2, entity_width=4, nearest=3)
    model = KnowledgeNetwork(network, shape, torch.randn(5, 4))
    own = TextBatch.of(sequences(encoder, 2))
    read = model(own.tokens, own.lengths, spans=own.spans)
    assert torch.equal(read.tokens, plain(own.tokens, own.lengths).tokens)
    assert read.links is not None
    assert read.tags is not None
    (read.links.sum() + read.tags.sum()).backward()
    assert model.memory is not None
    assert model.memory.query.weight.grad is not None


def test_a_mix_is_the_softmax_of_the_nearest_vectors() -> None:
    torch.manual_seed(0)
    memory = EntityMemory(3, torch.randn(6, 4), nearest=2)
    states, spans = torch.randn(5, 3), torch.tensor([[1, 3]])
    links = memory.links(states, spans)
    asked = memory.query(torch.cat([states[1], states[3]]))
    expected = torch.stack([asked @ vector for vector in memory.table.weight])
    assert torch.allclose(links[0], expected, atol=1e-5)
    best = expected.argsort(descending=True)[:2]
    shares = expected[best].softmax(0)
    mean = shares[0] * memory.table.weight[best[0]] + shares[1] * memory.table.weight[best[1]]
    assert torch.allclose(memory.mixed(links)[0], memory.project(mean), atol=1e-5)


def test_the_linking_loss_is_a_softmax_over_all_entities_of_linked_mentions(encoder: Path) -> None:
    shape = KnowledgeShape(text_layers=1, entity_width=4, nearest=2)
    torch.manual_seed(0)
    model = KnowledgeNetwork(pretrained_transformer(encoder), shape, torch.randn(4, 4)).eval()
    own = TextBatch.of(sequences(encoder, 1))
    own = replace(
        own, entities=torch.where(torch.arange(len(own.entities)) == 1, NO_ENTITY, own.entities)
    )
    with torch.inference_mode():
        read = model(own.tokens, own.lengths, spans=own.spans, known=own.entities != NO_ENTITY)
        losses = knowledge_losses(model, own, own.tokens, torch.tensor([0]), own.tokens[:1])
    assert read.links is not None
    every = [
        -read.links[m].log_softmax(0)[entity].item()
        for m, entity in enumerate(own.entities.tolist())
        if entity != NO_ENTITY
    ]
    assert losses["linking"].item() == pytest.approx(np.mean(every), rel=1e-4)
    assert set(losses) == {"masked", "detection", "linking"}


def test_masking_rates() -> None:
    count = 60_000
    long = TextBatch(
        torch.full((count,), 7),
        torch.tensor([count]),
        torch.arange(count),
        torch.zeros((0, 2), dtype=torch.long),
        torch.zeros(0, dtype=torch.long),
    )
    generator = torch.Generator().manual_seed(0)
    hidden = mask(long, MaskConfig(), mask_token=1, vocabulary=1000, generator=generator)
    masked = (hidden.tokens == 1).float().mean().item()
    changed = ((hidden.tokens != 7) & (hidden.tokens != 1)).float().mean().item()
    assert masked == pytest.approx(0.12, abs=0.004)
    assert changed == pytest.approx(0.015, abs=0.003)
    assert len(hidden.places) / count == pytest.approx(0.15, abs=0.005)
    assert set(hidden.labels.tolist()) == {7}


def test_an_entity_and_a_word_are_masked_as_a_whole() -> None:
    own = batch(spans=[(1, 3), (8, 9)], entities=[0, NO_ENTITY])
    units = units_of(own, whole_entities=True).tolist()
    assert len({units[1], units[2], units[3]}) == 1  # the entity
    assert units[6] == units[7]  # the word
    assert units[8] != units[9]  # a mention of no entity is words
    assert len(set(units)) == 12
    assert units_of(own, whole_entities=False).tolist() == own.words.tolist()
    for seed in range(40):
        generator = torch.Generator().manual_seed(seed)
        config = MaskConfig(chosen=0.5, masked=1.0, random=0.0)
        hidden = mask(own, config, mask_token=0, vocabulary=200, generator=generator)
        gone = (hidden.tokens == 0).tolist()
        assert gone[1] == gone[2] == gone[3]
        assert gone[6] == gone[7]


def test_a_word_that_an_entity_touches_is_masked_with_it() -> None:
    own = batch(spans=[(5, 6)], entities=[2])  # the word of tokens 6 and 7 begins inside
    units = units_of(own, whole_entities=True).tolist()
    assert units[5] == units[6] == units[7]


def test_a_batch_lies_where_torch_makes_tensors(encoder: Path) -> None:
    read = sequences(encoder, 2)
    with torch.device("meta"):
        elsewhere = TextBatch.of(read)
    own = TextBatch.of(read)
    for name in ("tokens", "lengths", "words", "spans", "entities"):
        assert getattr(elsewhere, name).device.type == "meta"
        assert getattr(own, name).device.type == "cpu"
        assert getattr(own, name).dtype == getattr(elsewhere, name).dtype == torch.int64


def test_tags_and_spans_are_inverse_and_stay_inside_a_sequence() -> None:
    own = batch(spans=[(0, 1), (2, 2), (7, 7), (8, 10)], entities=[0, 1, 2, 3])
    assert own.tags().tolist() == [1, 2, 1, 0, 0, 0, 0, 1, 1, 2, 2, 0, 0, 0, 0, 0]
    assert spans_of_tags(own.tags(), own.lengths).tolist() == own.spans.tolist()
    loose = torch.tensor([0, 2, 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 0, 0, 0])  # I without B
    assert spans_of_tags(loose, own.lengths).tolist() == [[1, 2], [7, 7], [8, 8]]


def test_sequences_part_neither_words_nor_mentions_and_bound_entities(encoder: Path) -> None:
    whole = sequences(encoder, 4, longest=60)
    cut = sequences(encoder, 4, longest=20)
    assert sum(len(s.tokens) for s in cut) >= 0.8 * sum(len(s.tokens) for s in whole)
    for sequence in cut:
        assert len(sequence.tokens) <= 20
        assert all(0 <= a <= b < len(sequence.tokens) for a, b in sequence.spans.tolist())
        assert all(b == a + 1 for a, b in sequence.spans.tolist())  # names of two words, whole
    assert all(len(s.spans) <= 2 for s in sequences(encoder, 4, most_entities=2))

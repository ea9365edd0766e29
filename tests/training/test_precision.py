"""Layers compute in bfloat16 only while training and where asked for, and nearly the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch.nn.utils.rnn import pad_sequence  # noqa: E402

import holdfast.training.precision as precision  # noqa: E402
from holdfast.errors import InvalidValueError, UsageError  # noqa: E402
from holdfast.training.bert import (  # noqa: E402
    PackedLayout,
    TransformerConfig,
    TransformerLinker,
)
from holdfast.training.loop import LoopConfig, train  # noqa: E402
from training.loop_task import CONFIG, LineTask, silent  # noqa: E402

LENGTHS = torch.tensor([3, 7, 1])


@pytest.fixture
def network() -> TransformerLinker:
    torch.manual_seed(0)
    shape = TransformerConfig(
        vocabulary=40, first=1, last=2, width=32, layers=2, heads=4, feed_forward=64, positions=16
    )
    return TransformerLinker(shape)


def _vectors(network: TransformerLinker) -> Any:
    return network(torch.arange(3, 14), LENGTHS)


def test_layers_round_their_products_within_the_context_alone(network: TransformerLinker) -> None:
    exact = _vectors(network)
    with precision.computed_in("bfloat16"):
        rounded = _vectors(network)
    assert rounded.dtype == torch.float32
    assert 0 < (rounded - exact).abs().max() < 0.02
    assert torch.equal(_vectors(network), exact)
    with precision.computed_in("float32"):
        assert torch.equal(_vectors(network), exact)


def test_gradients_in_bfloat16_point_where_the_exact_ones_do(network: TransformerLinker) -> None:
    def gradient() -> Any:
        network.zero_grad()
        _vectors(network)[:, 0].sum().backward()
        return torch.cat([p.grad.flatten() for p in network.layers.parameters()])

    exact = gradient()
    with precision.computed_in("bfloat16"):
        rounded = gradient()
    assert rounded.dtype == torch.float32
    assert torch.nn.functional.cosine_similarity(exact, rounded, dim=0) > 0.99


def test_a_processor_without_bfloat16_trains_in_float32_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(precision, "has_bfloat16", lambda _: False)
    lines = list[str]()
    config = LoopConfig(steps=2, precision="bfloat16")
    train(LineTask(), config, folder=tmp_path, report=lines.append)
    assert lines[0] == "this processor has no bfloat16: training in float32"


def test_a_precision_that_there_is_not_is_named(tmp_path: Path) -> None:
    config = LoopConfig(steps=1, precision="float16")  # type: ignore[arg-type]
    with pytest.raises(InvalidValueError, match="precision = 'float16'"):
        train(LineTask(), config, folder=tmp_path, report=silent)


def test_another_precision_makes_another_run(tmp_path: Path) -> None:
    train(LineTask(), CONFIG, folder=tmp_path, report=silent)
    other = replace(CONFIG, precision="bfloat16", steps=CONFIG.steps + 1)
    with pytest.raises(UsageError, match="precision"):
        train(LineTask(), other, folder=tmp_path, report=silent)


def test_rows_are_padded_as_torch_pads_them_and_packed_again() -> None:
    layout = PackedLayout.of(LENGTHS)
    states = torch.randn(11, 4, requires_grad=True)
    padded = layout.pad(states)
    assert torch.equal(padded, pad_sequence(states.split([3, 7, 1]), batch_first=True))
    assert torch.equal(layout.pack(padded), states)
    layout.pack(padded).sum().backward()
    assert torch.equal(states.grad, torch.ones_like(states))

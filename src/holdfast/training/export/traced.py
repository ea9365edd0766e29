"""Networks of transformers as ONNX, traced: for those whose layers are not written by hand."""

from __future__ import annotations

import io
import logging
import tempfile
import warnings
from pathlib import Path
from typing import Any

import onnx
import torch
from torch import Tensor, nn

from holdfast.encoders.tokens import INPUT, OUTPUT
from holdfast.training.export.graph import OPSET


class _Unpadded(nn.Module):
    """A network over texts of one length."""

    def __init__(self, network: Any) -> None:
        super().__init__()
        self.network = network

    def forward(self, tokens: Tensor) -> Tensor:
        """*Shape:* (texts, length) to (texts, length, width)."""
        found = self.network(input_ids=tokens, attention_mask=torch.ones_like(tokens))
        states: Tensor = found.last_hidden_state
        return states


def traced(network: nn.Module, *, token: int, quantised: bool) -> onnx.ModelProto:
    """From INPUT to OUTPUT, for any number of texts and any length.

    `token`: any that the network knows. `quantised`: products of matrices in 8 bits.
    """
    stream = io.BytesIO()
    axes = {0: "texts", 1: "length"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of tracing: what depends on a length is checked by tests
        torch.onnx.export(
            _Unpadded(network).eval(),
            (torch.full((2, 7), token),),
            stream,
            input_names=[INPUT],
            output_names=[OUTPUT],
            dynamic_axes={INPUT: axes, OUTPUT: axes},
            opset_version=OPSET,
            dynamo=False,  # the other way wants a package more
        )
    model = onnx.load_from_string(stream.getvalue())
    return _in_8_bits(model) if quantised else model


def _in_8_bits(model: onnx.ModelProto) -> onnx.ModelProto:
    from onnxruntime.quantization import quantize_dynamic  # imports much, and few need it

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "small.onnx"
        logging.disable(logging.WARNING)  # it advises to optimise first, which changes nothing here
        try:
            # Seven bits, and a scale per column: as our own graphs have them.
            quantize_dynamic(model, path, per_channel=True, reduce_range=True)
        finally:
            logging.disable(logging.NOTSET)
        return onnx.load(path)

"""Writes a BERT-base encoder as ONNX, to time a BERT linker without having one.

    python benchmarks/peers/make_bert_base.py DIR

Makes DIR/bert-base.onnx (float32) and DIR/bert-base-int8.onnx (dynamically quantised). The weights
are random: they cost as much time as trained ones. Needs torch, onnx, onnxruntime, transformers.

Inputs `tokens` and `mask`, int64 (names, length); output `vectors`, float32 (names, 768): the last
layer at the first token. Attention, GELU and layer norms are fused by onnxruntime's own optimiser,
so that BERT runs as fast as onnxruntime can make it.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
import onnxruntime
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.transformers.fusion_options import FusionOptions
from onnxruntime.transformers.optimizer import optimize_model
from transformers import BertConfig, BertModel

OPSET: Final = 17
SEED: Final = 13
TOLERANCE: Final = 1e-3  # of components that are about 1


class FirstToken(torch.nn.Module):  # type: ignore[misc]
    """BERT-base without its pooler: the vector of the first token."""

    def __init__(self) -> None:
        super().__init__()
        # Written-out attention is what onnxruntime recognises and fuses.
        config = BertConfig(attn_implementation="eager")
        self.bert: Any = BertModel(config, add_pooling_layer=False)

    def forward(self, tokens: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """*Shape:* (names, length) twice to (names, 768)."""
        states: torch.Tensor = self.bert(input_ids=tokens, attention_mask=mask).last_hidden_state
        return states[:, 0]


def export(model: FirstToken, path: Path) -> None:
    """The model as onnxruntime runs it best."""
    tokens = torch.ones((2, 8), dtype=torch.int64)
    axes = {0: "names", 1: "length"}
    with tempfile.TemporaryDirectory() as scratch:
        plain = str(Path(scratch) / "plain.onnx")
        torch.onnx.export(
            model,
            (tokens, torch.ones_like(tokens)),
            plain,
            input_names=["tokens", "mask"],
            output_names=["vectors"],
            dynamic_axes={"tokens": axes, "mask": axes, "vectors": {0: "names"}},
            opset_version=OPSET,
            dynamo=False,
        )
        options = FusionOptions("bert")
        fused = optimize_model(plain, "bert", 12, 768, optimization_options=options)
        fused.save_model_to_file(str(path))


def check(model: FirstToken, path: Path) -> None:
    """Stop unless the file gives torch's vectors, for another length and with padding."""
    tokens = torch.randint(5, 30_000, (3, 13))
    mask = (torch.arange(13) < torch.tensor([[13], [9], [2]])).long()
    with torch.no_grad():
        wanted = model(tokens, mask).numpy()
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    (found,) = session.run(None, {"tokens": tokens.numpy(), "mask": mask.numpy()})
    if np.abs(found - wanted).max() > TOLERANCE:
        raise SystemExit(
            f"{path}: its vectors differ from torch's by {np.abs(found - wanted).max()}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="Write a BERT-base encoder as ONNX.")
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    whole, small = folder / "bert-base.onnx", folder / "bert-base-int8.onnx"
    torch.manual_seed(SEED)
    model = FirstToken().eval()
    export(model, whole)
    check(model, whole)
    # Types of fused operators' outputs cannot be inferred, so they are told.
    told = {"DefaultTensorType": onnx.TensorProto.FLOAT}
    quantize_dynamic(str(whole), str(small), weight_type=QuantType.QInt8, extra_options=told)
    for path in (whole, small):
        print(f"{path}: {path.stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()

"""A typing model whose weights are set by hand: the first word of a mention decides its types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from holdfast import artifacts
from holdfast.encoders.tokens import INPUT, MODEL, TOKENIZER
from holdfast.systems.bier.model import DENSE, HEAD, TYPING, VERSION
from holdfast.systems.bier.reading import Shape
from holdfast.systems.bier.type_list import EntityType, TypeList

_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
_ABSENT = -6.0  # log-odds of a type that no word speaks for


def make_typing_model(folder: Path, words: Mapping[str, Mapping[str, float]]) -> Path:
    """Write a model folder; `words` gives the log-odds of types by the mention's first word."""
    onnx = pytest.importorskip("onnx", reason="making a network needs onnx, of the extra `train`")
    types = sorted({type for odds in words.values() for type in odds})
    vocabulary = {piece: i for i, piece in enumerate((*_SPECIAL, *words))}
    rows = np.zeros((len(vocabulary), len(types)), dtype=np.float32)
    rows[vocabulary["[CLS]"]] = _ABSENT
    for word, odds in words.items():
        for type, value in odds.items():
            rows[vocabulary[word], types.index(type)] = value - _ABSENT
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    config = {"width": len(types), "shape": asdict(Shape()), "types": len(types)}
    with artifacts.publish(folder) as scratch:
        onnx.save_model(_network(onnx, rows), str(scratch / MODEL))
        np.savez(scratch / HEAD, rows=np.eye(len(types), dtype=np.float32))
        TypeList(tuple(EntityType(name, 1, (name,)) for name in types)).write(scratch)
        (scratch / TOKENIZER).write_text(tokenizer.to_str(), encoding="utf-8")
        artifacts.write_manifest(scratch, kind=TYPING, version=VERSION, config=config)
    return folder


def _network(onnx, rows):  # type: ignore[no-untyped-def]
    """Tokens (texts, length) to the sum of the first two tokens' rows (texts, types)."""
    helper, numpy_helper, floats = onnx.helper, onnx.numpy_helper, onnx.TensorProto.FLOAT
    constants = {
        "rows": rows,
        "zero": np.array([0], dtype=np.int64),
        "two": np.array([2], dtype=np.int64),
        "axis": np.array([1], dtype=np.int64),
    }
    graph = helper.make_graph(
        [
            helper.make_node("Slice", [INPUT, "zero", "two", "axis"], ["read"]),
            helper.make_node("Gather", ["rows", "read"], ["found"]),
            helper.make_node("ReduceSum", ["found", "axis"], [DENSE], keepdims=0),
        ],
        "typing",
        [helper.make_tensor_value_info(INPUT, onnx.TensorProto.INT64, ["texts", "length"])],
        [helper.make_tensor_value_info(DENSE, floats, ["texts", rows.shape[1]])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)

"""A typing model whose weights are set by hand: the first word of a mention decides its types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
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
        (scratch / MODEL).write_bytes(_network(rows))
        np.savez(scratch / HEAD, rows=np.eye(len(types), dtype=np.float32))
        TypeList(tuple(EntityType(name, 1, (name,)) for name in types)).write(scratch)
        (scratch / TOKENIZER).write_text(tokenizer.to_str(), encoding="utf-8")
        artifacts.write_manifest(scratch, kind=TYPING, version=VERSION, config=config)
    return folder


def _network(rows: npt.NDArray[np.float32]) -> bytes:
    """Tokens (texts, length) to the sum of the first two tokens' rows (texts, types).

    It is written as ONNX's protocol buffers are, so that tests need no package for it.
    """
    int64 = np.array([0, 2, 1], dtype=np.int64)
    graph = [
        (1, _node("Slice", [INPUT, "zero", "two", "axis"], "read")),
        (1, _node("Gather", ["rows", "read"], "found")),
        (1, _node("ReduceSum", ["found", "axis"], DENSE, keepdims=0)),
        (2, b"typing"),
        (5, _tensor("rows", rows, _FLOAT)),
        *((5, _tensor(n, int64[i : i + 1], _INT64)) for i, n in enumerate(("zero", "two", "axis"))),
        (11, _value(INPUT, _INT64, [(2, b"texts"), (2, b"length")])),
        (12, _value(DENSE, _FLOAT, [(2, b"texts"), (1, rows.shape[1])])),
    ]
    return _message((1, 9), (7, _message(*graph)), (8, _message((1, b""), (2, 17))))


_FLOAT, _INT64 = 1, 7  # types of tensors


def _node(operator: str, inputs: list[str], output: str, **attributes: int) -> bytes:
    given = [(1, name.encode()) for name in inputs]
    named = [
        (5, _message((1, name.encode()), (3, value), (20, 2))) for name, value in attributes.items()
    ]
    return _message(*given, (2, output.encode()), (4, operator.encode()), *named)


def _tensor(name: str, values: npt.NDArray[Any], type: int) -> bytes:
    dimensions = [(1, size) for size in values.shape]
    return _message(*dimensions, (2, type), (8, name.encode()), (9, values.tobytes()))


def _value(name: str, type: int, dimensions: list[tuple[int, int | bytes]]) -> bytes:
    shape = _message(*((1, _message(dimension)) for dimension in dimensions))
    return _message((1, name.encode()), (2, _message((1, _message((1, type), (2, shape))))))


def _message(*fields: tuple[int, int | bytes]) -> bytes:
    """A message of protocol buffers: fields by number, each an integer or bytes."""
    written = bytearray()
    for number, value in fields:
        if isinstance(value, int):
            written += _varint(number << 3) + _varint(value)
        else:
            written += _varint(number << 3 | 2) + _varint(len(value)) + value
    return bytes(written)


def _varint(value: int) -> bytes:
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + _varint(rest) if rest else bytes([low])

"""A smaller vocabulary: the word pieces that the training text uses, and no others.

A word that loses its piece is read in shorter ones, so that no text becomes unreadable: single
characters, with and without the mark of a continuation, always stay.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any, Final

import numpy as np
import torch
from tokenizers import Tokenizer

from holdfast.errors import UsageError
from holdfast.training.bert import TransformerLinker
from holdfast.training.token_encoder import TokenEncoder, TransformerTokens

_CONTINUED: Final = "##"
_AT_ONCE: Final = 10_000  # texts


def tokenized(tokenizer: Tokenizer, texts: Iterable[str]) -> Iterator[np.ndarray[Any, Any]]:
    """The pieces of each text, without special tokens; read lazily to bound memory."""
    waiting = iter(texts)
    while some := list(islice(waiting, _AT_ONCE)):
        for found in tokenizer.encode_batch_fast(some, add_special_tokens=False):
            yield np.array(found.ids, dtype=np.int64)


def count_pieces(rows: Iterable[np.ndarray[Any, Any]], vocabulary: int) -> np.ndarray[Any, Any]:
    """How often each piece occurs. *Shape:* (vocabulary,)"""
    counts = np.zeros(vocabulary, dtype=np.int64)
    for row in rows:
        np.add.at(counts, row, 1)
    return counts


def pruned_tokenizer(
    tokenizer: Tokenizer, counts: np.ndarray[Any, Any], *, pieces: int
) -> tuple[Tokenizer, list[int]]:
    """The tokenizer with the commonest pieces alone, and the old id of each new one.

    Special tokens and single characters stay, however rare.
    """
    told = json.loads(tokenizer.to_str())
    if told["model"].get("type") != "WordPiece":
        raise UsageError(
            f"only a WordPiece vocabulary can be cut to {pieces:,} pieces, and this is "
            f"{told['model'].get('type')}; set pieces = 0"
        )
    vocabulary: dict[str, int] = told["model"]["vocab"]
    special = {token["content"] for token in told.get("added_tokens", ())}
    special |= {told["model"]["unk_token"], "[PAD]", "[CLS]", "[SEP]", "[MASK]"}
    needed = {
        id
        for piece, id in vocabulary.items()
        if piece in special or len(piece.removeprefix(_CONTINUED)) == 1
    }
    order = [int(id) for id in np.argsort(-counts, kind="stable") if counts[id] > 0]
    kept = sorted(needed | set([id for id in order if id not in needed][: pieces - len(needed)]))
    new = {old: number for number, old in enumerate(kept)}
    told["model"]["vocab"] = {p: new[id] for p, id in vocabulary.items() if id in new}
    for token in told.get("added_tokens", ()):
        token["id"] = new[token["id"]]
    _renumber(told.get("post_processor"), new)
    return Tokenizer.from_str(json.dumps(told)), kept


def _renumber(processor: object, new: dict[int, int]) -> None:
    """The ids that a template of special tokens names."""
    if not isinstance(processor, dict):
        return
    for token in processor.get("special_tokens", {}).values():
        token["ids"] = [new[id] for id in token["ids"]]
    for key in ("sep", "cls"):
        if key in processor:
            piece, id = processor[key]
            processor[key] = [piece, new[id]]


def prune_encoder(encoder: TokenEncoder, kept: list[int]) -> TokenEncoder:
    """The encoder with the embeddings of these pieces alone."""
    if not isinstance(encoder, TransformerTokens):
        raise UsageError("only a BERT's vocabulary can be cut; set pieces = 0")
    old = encoder.network
    new = {id: number for number, id in enumerate(kept)}
    config = replace(
        old.config,
        vocabulary=len(kept),
        first=new[old.config.first],
        last=new[old.config.last],
    )
    network = TransformerLinker(config)
    weights = dict(old.state_dict())
    weights["embedding.weight"] = weights["embedding.weight"][torch.tensor(kept)]
    network.load_state_dict(weights)
    return TransformerTokens(network)

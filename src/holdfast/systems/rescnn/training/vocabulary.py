"""Word pieces for names: a pretrained encoder's, or our own with its embeddings carried over.

Names are full of words that a general vocabulary cuts into five or six pieces. Pieces learned from
the names themselves make names shorter, hence encoding faster, and mean more each.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import torch
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from torch import Tensor

from holdfast.encoders.names import UNKNOWN
from holdfast.errors import ArtifactError
from holdfast.training.pretrained import pretrained_tokenizer, pretrained_weights

_EMBEDDINGS: Final = "embeddings.word_embeddings.weight"
_PREFIX: Final = "##"


def build_tokenizer(names: Iterable[str], *, size: int) -> Tokenizer:
    """At most `size` word pieces learned from plain names; row 0 is padding, row 1 unknown."""
    tokenizer = Tokenizer(models.WordPiece(unk_token=UNKNOWN))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.WordPieceTrainer(
        vocab_size=size,
        special_tokens=["[PAD]", UNKNOWN],
        continuing_subword_prefix=_PREFIX,
        min_frequency=3,
        limit_alphabet=200,
        show_progress=False,
    )
    tokenizer.train_from_iterator(names, trainer)
    return tokenizer


def pretrained_embeddings(encoder: Path, tokenizer: Tokenizer) -> Tensor:
    """A row for each piece of `tokenizer`: the mean over the encoder's own pieces of its text.

    The encoder's own tokenizer gets its own rows. *Shape:* (pieces, width).
    """
    weights = pretrained_weights(encoder)
    found = [name for name in sorted(weights) if name.endswith(_EMBEDDINGS)]
    if not found:
        raise ArtifactError(f"{encoder}: no tensor ends in {_EMBEDDINGS}")
    table = weights[found[0]]
    own = pretrained_tokenizer(encoder)
    rows = torch.zeros(tokenizer.get_vocab_size(), table.shape[1])
    for piece, row in tokenizer.get_vocab().items():
        known = own.token_to_id(piece)
        if known is None:
            text = piece.removeprefix(_PREFIX)
            ids = own.encode(text, add_special_tokens=False).ids
            rows[row] = table[ids].mean(dim=0) if ids else 0
        else:
            rows[row] = table[known]
    return rows

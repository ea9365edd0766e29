"""A small BERT with random weights that knows the words of some texts: a folder to train from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from holdfast.text.tokens import TOKEN


def save_small_bert(folder: Path, texts: Iterable[str], *, longest: int = 400) -> Path:
    """A Hugging Face folder. Making one needs torch and transformers."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
    from transformers import BertConfig, BertModel

    words = sorted({match[0].lower() for text in texts for match in TOKEN.finditer(text)})
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *".,;:-()?'", *words]
    vocabulary = {piece: place for place, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=64,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=longest,
        hidden_dropout_prob=0.0,
    )
    BertModel(config).save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder

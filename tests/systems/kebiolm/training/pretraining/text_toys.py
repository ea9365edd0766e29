"""Annotated texts of a few words, and a small network that reads them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from holdfast.systems.kebiolm.knowledge.annotated_text import AnnotatedText

NAMES = {"OWN:1": "red fever", "OWN:2": "blue cough", "OWN:3": "green rash", "OWN:4": "pale skin"}
FILLERS = ("the patient had a severe", "no sign of", "then came", "we saw")
WORDS = " ".join((*NAMES.values(), *FILLERS))


def texts(count: int, *, seed: int = 0, mentions: int = 6) -> list[AnnotatedText]:
    rng = np.random.default_rng(seed)
    found = []
    for number in range(count):
        text, starts, ends, ids = "", [], [], []
        for _ in range(mentions):
            text += str(rng.choice(FILLERS)) + " "
            id = str(rng.choice(list(NAMES)))
            starts.append(len(text))
            text += NAMES[id]
            ends.append(len(text))
            ids.append(id)
            text += ". "
        found.append(AnnotatedText(str(number), text, tuple(starts), tuple(ends), tuple(ids)))
    return found


def save_encoder(folder: Path) -> Path:
    """A Hugging Face folder with [MASK] in its vocabulary."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
    from transformers import BertConfig, BertModel

    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", *sorted(set(WORDS.split()))]
    pieces += ["##er", "##s"]
    vocabulary = {piece: place for place, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=80,
        hidden_dropout_prob=0.0,
    )
    BertModel(config).save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder

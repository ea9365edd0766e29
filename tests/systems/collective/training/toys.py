"""A world small enough to be learned in seconds: a few diseases, and documents about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from holdfast.document import Document, Mention
from holdfast.encoders.tokens import TokenReader
from holdfast.kb import Entry, KnowledgeBase
from holdfast.systems.collective.training.data import NameTable, SegmentConfig, segments_of
from holdfast.systems.collective.training.model import DualEncoder, DualEncoderShape
from holdfast.systems.collective.training.negatives import Negatives
from holdfast.systems.collective.training.train import DualEncoderData, DualEncoderTraining
from holdfast.training.bert import TransformerConfig, TransformerLinker
from holdfast.training.token_encoder import (
    ResCNNTokens,
    TokenEncoder,
    TransformerTokens,
)
from small_kb import of_entries

# How texts call each entity; the first is the knowledge base's name.
CALLED = (
    ("Asthma", "wheezing", "tight airways"),
    ("Migraine", "head pain", "aura attack"),
    ("Influenza", "flu", "grippe virus"),
    ("Anemia", "pale blood", "iron lack"),
    ("Gout", "sore toe", "uric joint"),
    ("Measles", "red spots", "morbilli rash"),
)
IDS = tuple(f"MESH:D{number}" for number in range(len(CALLED)))
_FILLERS = ("the patient had", "we saw", "no sign of", "treated for", "then came", "after")
READING = SegmentConfig(window=40, overlap=8)
CONFIG = DualEncoderTraining(
    steps=60,
    align_steps=0,
    batch=4,
    learning_rate=3e-3,
    head_rate=3e-3,
    negatives=Negatives(hard=3, random=3, encoded=6),
    refresh_every=20,
    save_every=20,
    threads=1,
)

LONGER = replace(CONFIG, steps=120, batch=8, refresh_every=40)


def documents(count: int, *, seed: int = 0) -> list[Document]:
    """Each names three diseases in other words than the knowledge base's."""
    rng = np.random.default_rng(seed)
    found = list[Document]()
    for number in range(count):
        text, mentions = "", list[Mention]()
        for entity in rng.choice(len(CALLED), size=3, replace=False).tolist():
            text += f"{_FILLERS[int(rng.integers(len(_FILLERS)))]} "
            name = CALLED[entity][1 + int(rng.integers(2))]
            mentions.append(Mention.at(len(text), len(text) + len(name), ids=(IDS[entity],)))
            text += f"{name}. "
        found.append(Document(f"{seed}-{number}", text, mentions=tuple(mentions)))
    return found


def knowledge_base(folder: Path, types: Sequence[tuple[str, ...]] = ()) -> KnowledgeBase:
    """`types` of each entity; by default they are diseases."""
    of_each = types or [("Disease",)] * len(IDS)
    entries = (
        Entry(id, names[0], synonyms=names[1:], types=own)
        for id, names, own in zip(IDS, CALLED, of_each, strict=True)
    )
    return of_entries(folder, *entries, source="MeSH")


def tokenizer() -> Tokenizer:
    """Every word is a piece, and every letter."""
    words = " ".join([*(name for names in CALLED for name in names), *_FILLERS]).lower().split()
    letters = sorted(set("".join(words)))
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[unused1]", "[unused2]", ".", ";"]
    pieces += [*letters, *(f"##{letter}" for letter in letters), *dict.fromkeys(words)]
    vocabulary = {piece: row for row, piece in enumerate(dict.fromkeys(pieces))}
    made = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return made


def transformer(tokens: Tokenizer) -> TransformerTokens:
    reader = TokenReader.of(tokens)
    config = TransformerConfig(
        tokens.get_vocab_size(),
        first=reader.first,
        last=reader.last,
        width=32,
        layers=2,
        heads=4,
        feed_forward=48,
        positions=64,
    )
    return TransformerTokens(TransformerLinker(config))


def rescnn(tokens: Tokenizer) -> ResCNNTokens:
    import torch

    return ResCNNTokens(torch.randn(tokens.get_vocab_size(), 16), width=24, blocks=2)


def dual_encoder(
    kind: str = "transformer", *, encodes_names: bool = True, **shape: object
) -> DualEncoder:
    import torch

    torch.manual_seed(3)
    made: list[TokenEncoder] = []
    for _ in range(2):
        made.append(transformer(tokenizer()) if kind == "transformer" else rescnn(tokenizer()))
    chosen = DualEncoderShape(**shape)  # type: ignore[arg-type]
    return DualEncoder(chosen, encoders=tuple(made), encodes_names=encodes_names)


def material(
    kb: KnowledgeBase, *, reading: SegmentConfig = READING, names: int = 1
) -> DualEncoderData:
    tokens = tokenizer()
    reader = TokenReader.of(tokens)
    rows = {kb.id_at(row): row for row in range(len(kb))}
    return DualEncoderData(
        reader,
        NameTable.of(kb, tokens, longest=12, most=names),
        list(segments_of(documents(120), reader, reading, rows=rows)),
        list(segments_of(documents(10, seed=1), reader, reading, rows=rows)),
        synonyms=[(name, row) for row in range(len(kb)) for name in kb.names_of(row)[1:]],
        reading=reading,
    )

"""Token encoders behind one interface: a BERT, any Hugging Face model, or a small ResCNN.

The tokens of several texts come in one row, without [CLS] and [SEP]; a state for each token and
one for each text go out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from holdfast.encoders.tokens import TokenReader
from holdfast.errors import UsageError
from holdfast.systems.rescnn.training.model import Block, ResCNNConfig
from holdfast.systems.rescnn.training.vocabulary import pretrained_embeddings
from holdfast.training.bert import (
    PackedLayout,
    TransformerLinker,
    pretrained_transformer,
)
from holdfast.training.precision import layer_products
from holdfast.training.pretrained import (
    find_encoder,
    named_if_damaged,
    pretrained_config,
    pretrained_tokenizer,
)

MINILM: Final = "minilm"
RESCNN: Final = "rescnn"

Pooling = Literal["first", "mean"]


@dataclass(frozen=True, slots=True)
class States:
    """What an encoder made of several texts."""

    tokens: Tensor  # (tokens of all texts, width), in their order
    texts: Tensor  # (texts, width): the state of [CLS], or what stands for it


class TransformerTokens(nn.Module):
    """A BERT, computed without padding but for attention."""

    def __init__(self, network: TransformerLinker) -> None:
        super().__init__()
        self.network = network
        self.width = network.config.width
        self.longest = network.config.positions - 2
        network.embedding.weight.requires_grad = False

    def forward(self, tokens: Tensor, lengths: Tensor) -> States:
        """*Shape:* tokens (all,); lengths (texts,), the number of tokens of each text."""
        layout = PackedLayout.of(lengths + 2)
        states = self.network.states(tokens, lengths)
        states = self.network.layers[-1](states, layout, layout.seen(None))
        owner = torch.repeat_interleave(torch.arange(len(lengths)), lengths)
        places = torch.arange(len(tokens)) + 2 * owner + 1
        return States(states[places], states[layout.firsts])


class ResCNNTokens(nn.Module):
    """ResCNN's blocks without its pooling: a state sees some tokens to each side, and is cheap.

    A text's state is the maximum over its tokens'.
    """

    longest = 4096

    def __init__(self, embeddings: Tensor, *, width: int = 256, blocks: int = 4) -> None:
        super().__init__()
        vocabulary, inner = embeddings.shape
        config = ResCNNConfig(vocabulary, embedding=inner, width=width, blocks=blocks)
        self.config = config
        self.width = width
        self.embedding = nn.Embedding.from_pretrained(embeddings / embeddings.std(), freeze=True)
        self.projection = nn.Linear(config.embedding, width)
        self.blocks = nn.ModuleList(Block(config) for _ in range(blocks))
        self.norm = nn.LayerNorm(width)

    def forward(self, tokens: Tensor, lengths: Tensor) -> States:
        """*Shape:* tokens (all,); lengths (texts,), the number of tokens of each text."""
        reach = self.config.reach
        owner = torch.repeat_interleave(torch.arange(len(lengths)), lengths)
        places = torch.arange(len(tokens)) + reach * owner
        rows = len(tokens) + reach * len(lengths)
        full = torch.zeros(rows, 1).index_fill(0, places, 1.0)
        states = torch.zeros(rows, self.width)
        states = states.index_copy(0, places, self.projection(self.embedding(tokens)))
        for block in self.blocks:
            states = block(states, full)
        found = self.norm(states[places])
        lowest = torch.full((len(lengths), self.width), torch.finfo(found.dtype).min)
        index = owner[:, None].expand_as(found)
        texts = lowest.scatter_reduce(0, index, found, "amax", include_self=False)
        return States(found, torch.where((lengths > 0)[:, None], texts, 0.0))


class AutoTokens(nn.Module):
    """Whatever transformers.AutoModel opens; texts are padded to the longest."""

    def __init__(self, folder: Path, tokenizer: Tokenizer) -> None:
        super().__init__()
        from transformers import AutoModel  # takes a while, and few need it

        with named_if_damaged(folder):
            self.network: Any = AutoModel.from_pretrained(str(folder))
        self.width = int(self.network.config.hidden_size)
        self.longest = _positions(self.network) - 2
        reader = TokenReader.of(tokenizer)
        self.frame = (reader.first, reader.last)

    def forward(self, tokens: Tensor, lengths: Tensor) -> States:
        """*Shape:* tokens (all,); lengths (texts,), the number of tokens of each text."""
        first, last = self.frame
        layout = PackedLayout.of(lengths + 2)
        owner = torch.repeat_interleave(torch.arange(len(lengths)), lengths)
        places = torch.arange(len(tokens)) + 2 * owner + 1
        framed = torch.full((len(layout.offsets),), last)
        framed[layout.firsts] = first
        framed[places] = tokens
        with layer_products():
            output = self.network(
                input_ids=layout.pad(framed[:, None])[:, :, 0], attention_mask=layout.inside.long()
            ).last_hidden_state
        states = layout.pack(output.float())
        return States(states[places], states[layout.firsts])


def _positions(network: Any) -> int:
    """Tokens of a text at most, special ones with them; RoBERTa's first rows are for padding."""
    table = getattr(getattr(network, "embeddings", None), "position_embeddings", None)
    padding = getattr(table, "padding_idx", None)
    positions = int(getattr(network.config, "max_position_embeddings", 512))
    return positions if padding is None else positions - padding - 1


TokenEncoder = TransformerTokens | ResCNNTokens | AutoTokens


def open_tokenizer(encoder: str) -> Tokenizer:
    """The tokenizer of an encoder, by its name or folder, that neither pads nor cuts."""
    return pretrained_tokenizer(_folder(encoder))


def open_token_encoder(encoder: str) -> TokenEncoder:
    """By name (`minilm`, `rescnn`) or the folder of a Hugging Face model, with its weights.

    ResCNN starts from MiniLM's token embeddings and nothing else.
    """
    folder = _folder(encoder)
    tokenizer = pretrained_tokenizer(folder)
    if encoder == RESCNN:
        return ResCNNTokens(pretrained_embeddings(folder, tokenizer))
    if _is_plain_bert(folder):
        return TransformerTokens(pretrained_transformer(folder))
    return AutoTokens(folder, tokenizer)


def keep_layers(encoder: TokenEncoder, layers: int) -> None:
    """Leave out all layers but the first ones; 0 keeps all."""
    if not layers:
        return
    if not isinstance(encoder, TransformerTokens) or layers > len(encoder.network.layers):
        raise UsageError(f"the encoder has no {layers} layers of a BERT to keep; set layers = 0")
    encoder.network.layers = encoder.network.layers[:layers]
    encoder.network.config = replace(encoder.network.config, layers=layers)


def _folder(encoder: str) -> Path:
    if encoder in (MINILM, RESCNN):
        return find_encoder()
    folder = Path(encoder)
    if not folder.is_dir():
        raise UsageError(
            f"no encoder is called {encoder!r}; give {MINILM}, {RESCNN} or the folder of a "
            "Hugging Face model"
        )
    return folder


def _is_plain_bert(folder: Path) -> bool:
    config = pretrained_config(folder)
    return (config.get("model_type"), config.get("hidden_act")) == ("bert", "gelu")

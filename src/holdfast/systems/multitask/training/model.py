"""The networks: one encoder of tokens, perhaps a BiLSTM for each task, and a head for each."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from holdfast.systems.multitask.bilou import count_tags
from holdfast.systems.multitask.labels import Labels
from holdfast.systems.multitask.shape import (
    EMBEDDINGS,
    LINKING,
    RECOGNITION,
    TASKS,
    MultitaskShape,
)
from holdfast.systems.multitask.training.crf import ChainCrf
from holdfast.systems.multitask.training.data import ExampleBatch
from holdfast.training.bert import PackedLayout
from holdfast.training.token_encoder import (
    States,
    TokenEncoder,
    open_token_encoder,
    open_tokenizer,
)


class EmbeddingTokens(nn.Module):
    """The embeddings of a pretrained encoder's word pieces, which are trained further."""

    longest = 1 << 20

    def __init__(self, table: Tensor) -> None:
        super().__init__()
        self.width = table.shape[1]
        self.embedding = nn.Embedding.from_pretrained(table.clone(), freeze=False)

    def forward(self, tokens: Tensor, lengths: Tensor) -> States:
        """*Shape:* tokens (all,); lengths (texts,), the number of tokens of each text."""
        states = self.embedding(tokens)
        return States(states, states.new_zeros(len(lengths), self.width))


_LSTM_WEIGHTS: Final = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
_GROUPS: Final = 3  # of sentences by length, padded and read apart: half the time of one


class SentenceEncoder(nn.Module):
    """A BiLSTM of several layers that reads each sentence by itself.

    It holds the weights of an `nn.LSTM`, and computes each direction of a layer over padded rows,
    a sentence turned round for the direction that reads backwards. Sentences of about one length
    are read at once, so that little is padded. On a CPU that is faster than packed sequences, and
    gives the same states.
    """

    def __init__(self, inner: int, shape: MultitaskShape) -> None:
        super().__init__()
        self.width = 2 * shape.lstm_width
        self.lstm = nn.LSTM(
            inner,
            shape.lstm_width,
            num_layers=shape.lstm_layers,
            bidirectional=True,
            batch_first=True,
        )

    def forward(self, states: Tensor, lengths: Tensor) -> Tensor:
        """*Shape:* states (words, inner), sentence after sentence; lengths (sentences,); result
        (words, width)."""
        firsts = torch.cumsum(lengths, 0) - lengths
        places, read = list[Tensor](), list[Tensor]()
        for group in torch.argsort(lengths).chunk(_GROUPS):
            layout = PackedLayout.of(lengths[group])
            own = torch.repeat_interleave(firsts[group], lengths[group]) + layout.offsets
            places.append(own)
            read.append(self._read_group(states.index_select(0, own), lengths[group], layout))
        found = torch.cat(read)
        return torch.zeros_like(found).index_copy(0, torch.cat(places), found)

    def _read_group(self, states: Tensor, lengths: Tensor, layout: PackedLayout) -> Tensor:
        """All layers over some sentences. *Shape:* as in `forward`."""
        rows, last = layout.pad(states), lengths[:, None] - 1
        across = torch.arange(rows.shape[1])
        turned = torch.where(across <= last, last - across, across)
        for layer in range(self.lstm.num_layers):
            ahead = self._read(rows, f"l{layer}")
            back = _reordered(self._read(_reordered(rows, turned), f"l{layer}_reverse"), turned)
            rows = torch.cat([ahead, back], dim=2)
        return layout.pack(rows)

    def _read(self, rows: Tensor, direction: str) -> Tensor:
        """One direction of a layer. *Shape:* (sentences, longest, any) to (…, lstm_width)."""
        weights = [getattr(self.lstm, f"{name}_{direction}") for name in _LSTM_WEIGHTS]
        zeros = rows.new_zeros(1, len(rows), self.lstm.hidden_size)
        return torch.lstm(
            rows,
            (zeros, zeros),
            weights,
            has_biases=True,
            num_layers=1,
            dropout=0.0,
            train=self.training,
            bidirectional=False,
            batch_first=True,
        )[0]


def _reordered(rows: Tensor, order: Tensor) -> Tensor:
    """The words of each sentence in another order. *Shape:* (sentences, longest, any)."""
    begins = torch.arange(len(rows))[:, None] * rows.shape[1]
    return rows.flatten(0, 1).index_select(0, (begins + order).flatten()).view_as(rows)


class Head(nn.Module):
    """A feed-forward network with one hidden layer."""

    def __init__(self, width: int, labels: int, *, dropout: float) -> None:
        super().__init__()
        self.hidden = nn.Linear(width, width)
        self.out = nn.Linear(width, labels)
        self.dropout = nn.Dropout(dropout)

    def vectors(self, states: Tensor) -> Tensor:
        """What the last layer reads. *Shape:* (rows, width) to (rows, width)."""
        return self.dropout(F.relu(self.hidden(self.dropout(states))))

    def forward(self, states: Tensor) -> Tensor:
        """*Shape:* (rows, width) to (rows, labels)."""
        return self.out(self.vectors(states))


class MultitaskNetwork(nn.Module):
    """Documents to the states that the heads of tasks read."""

    def __init__(
        self,
        shape: MultitaskShape,
        labels: Labels,
        *,
        encoder: TokenEncoder | EmbeddingTokens | None = None,
    ) -> None:
        """`encoder` of tokens, if it is not the one that the shape names."""
        super().__init__()
        self.shape = shape
        self.encoder: Any = encoder or open_encoder(shape.encoder)
        width = below = self.encoder.width
        self.encoders = nn.ModuleDict()
        for number, task in enumerate(shape.tasks if shape.has_task_encoders else ()):
            own = SentenceEncoder(width + below if number else width, shape)
            self.encoders[task] = own
            below = own.width
        inner = shape.head_width(width)
        self.heads = nn.ModuleDict(
            {
                task: Head(inner, count_labels(shape, labels, task), dropout=shape.dropout)
                for task in shape.tasks
            }
        )
        self.crf = ChainCrf(count_labels(shape, labels, shape.tasks[0])) if shape.crf else None

    def features(
        self, batch: ExampleBatch, tasks: Collection[str] = TASKS, *, tuned: bool = True
    ) -> dict[str, Tensor]:
        """What heads read of words, by task; that of a task below one asked for comes along.

        Without `tuned`, the encoder of tokens has no gradient. *Shape:* (words, width) each.
        """
        with torch.set_grad_enabled(tuned and torch.is_grad_enabled()):
            states = self._words(batch)
        if not self.shape.has_task_encoders:
            return dict.fromkeys(self.shape.tasks, states)
        found = dict[str, Tensor]()
        wanted = max(self.shape.tasks.index(task) for task in self.shape.tasks if task in tasks)
        for task in self.shape.tasks[: wanted + 1]:
            below = list(found.values())[-1:]
            found[task] = self.encoders[task](torch.cat([states, *below], dim=1), batch.sentences)
        if self.shape.shortcut:
            return {task: torch.cat([own, states], dim=1) for task, own in found.items()}
        return found

    def _words(self, batch: ExampleBatch) -> Tensor:
        """The mean over the pieces of each word. *Shape:* (words, width)."""
        states = self.encoder(batch.tokens, batch.lengths).tokens[batch.kept]
        count = len(batch.recognition)
        sums = states.new_zeros(count, states.shape[1]).index_add(0, batch.word_of, states)
        return sums / torch.bincount(batch.word_of, minlength=count)[:, None]

    def size(self) -> int:
        """Parameters."""
        return sum(parameter.numel() for parameter in self.parameters())


def span_means(states: Tensor, spans: Tensor) -> Tensor:
    """The mean over the words of each span. *Shape:* (words, width), (spans, 2) to (spans, width).

    Spans are rows of first and last words, both inclusive.
    """
    lengths = spans[:, 1] - spans[:, 0] + 1
    owner = torch.repeat_interleave(torch.arange(len(spans)), lengths)
    begins = torch.cumsum(lengths, 0) - lengths
    rows = torch.arange(len(owner)) - begins[owner] + spans[owner, 0]
    sums = states.new_zeros(len(spans), states.shape[1]).index_add(0, owner, states[rows])
    return sums / lengths[:, None]


def count_labels(shape: MultitaskShape, labels: Labels, task: str) -> int:
    """The outputs of a task's head."""
    if task == RECOGNITION:
        return count_tags(1)
    if task == LINKING:
        return labels.classes
    return count_tags(len(labels.types)) if shape.setup == "token" else max(1, len(labels.types))


def open_encoder(name: str) -> TokenEncoder | EmbeddingTokens:
    """By name ("minilm", "embeddings"), or the folder of a Hugging Face model."""
    if name == EMBEDDINGS:
        network: Any = open_token_encoder("minilm")
        return EmbeddingTokens(network.network.embedding.weight.detach())
    return open_token_encoder(name)


def open_reader_tokenizer(name: str) -> Any:
    """The tokenizer of an encoder that `open_encoder` opens."""
    return open_tokenizer("minilm" if name == EMBEDDINGS else name)


def blank_token(tokenizer: Any) -> int:
    """The token that a tokenizer has for what is not seen; the first one if it has none."""
    for name in ("[MASK]", "<mask>", "[UNK]", "<unk>"):
        if (found := tokenizer.token_to_id(name)) is not None:
            return int(found)
    return 0

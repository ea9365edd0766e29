"""The network of the detector: an encoder that also sees marks, a small head, and its loss."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Final

import torch
import torch.nn.functional as F
import transformers
from torch import Tensor, nn

from holdfast.errors import ArtifactError

_DROPOUT: Final = 0.1  # before the head


class TokenTagger(nn.Module):
    """Word pieces and their marks to scores of tags.

    The marks join the embeddings, so that every layer can weigh them against the context, and
    the last states, so that the head sees them as they are.
    """

    def __init__(self, encoder: nn.Module, *, marks: int, tags: int) -> None:
        super().__init__()
        self.encoder = encoder
        width = encoder.config.hidden_size
        self.marks = nn.Linear(marks, width, bias=False)
        nn.init.zeros_(self.marks.weight)  # training starts from the encoder as it was
        self.hidden = nn.Linear(width + marks, width)
        self.out = nn.Linear(width, tags)
        self.dropout = nn.Dropout(_DROPOUT)

    def forward(self, ids: Tensor, marks: Tensor, attended: Tensor | None = None) -> Tensor:
        """*Shape:* ids (windows, length); marks (windows, length, marks); attended (windows,
        length), 0 where a window is padded; result (windows, length, tags)."""
        embeddings = self.encoder.get_input_embeddings()(ids) + self.marks(marks)
        states = self.encoder(inputs_embeds=embeddings, attention_mask=attended).last_hidden_state
        states = self.dropout(torch.cat([states, marks], dim=2))
        return self.out(F.gelu(self.hidden(states)))


def pretrained_tagger(encoder: Path, *, marks: int, tags: int) -> TokenTagger:
    """A tagger over the encoder of a Hugging Face folder, its head still untrained."""
    if not (encoder / "config.json").exists():
        raise ArtifactError(f"{encoder}: no config.json; give the folder of a pretrained encoder")
    # Dropped attention more than halves the speed of long windows, and gains nothing here.
    dropout = "attention_probs_dropout_prob"
    config = json.loads((encoder / "config.json").read_text(encoding="utf-8"))
    changed = {dropout: 0.0} if dropout in config else {}
    transformers.utils.logging.disable_progress_bar()
    try:
        model = transformers.AutoModel.from_pretrained(encoder, **changed)
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise ArtifactError(f"{encoder}: not a pretrained encoder ({reason})") from error
    return TokenTagger(model.float(), marks=marks, tags=tags)


def partial_loss(scores: Tensor, allowed: Tensor, *, unmarked: float = 1.0) -> Tensor:
    """Minus the log of the probability that the allowed tags have together, per word.

    Where O (tag 0) is allowed, the others count `unmarked` times, in (0, 1]: what nobody marked is
    more often nothing than a mention of a type that was not looked for.

    *Shape:* scores and allowed (words, tags), the latter bool; result (words,).
    """
    weighed = scores.clone()
    weighed[:, 1:] += math.log(unmarked) * allowed[:, :1]
    kept = weighed.masked_fill(~allowed, -torch.inf)
    return scores.logsumexp(dim=1) - kept.logsumexp(dim=1)

"""A pre-trained model on disk: a Hugging Face BERT, and beside it the entity memory.

transformers opens the folder as a plain BERT or as a masked language model, and every trainer of
Holdfast takes it as --encoder. `open_knowledge` opens the whole network.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor

from holdfast import artifacts
from holdfast.errors import ArtifactError
from holdfast.systems.kebiolm.training.pretraining.model import KnowledgeNetwork, KnowledgeShape
from holdfast.training.bert import TransformerLinker, hugging_face_weights, pretrained_transformer
from holdfast.training.checkpoint import contiguous
from holdfast.training.pretrained import named_if_damaged, pretrained_tokenizer, pretrained_weights

KIND: Final = "knowledge language model"
VERSION: Final = 1
KNOWLEDGE: Final = "knowledge.safetensors"
ENTITIES: Final = "entities.txt"
_HEAD: Final = (
    ("dense.weight", "cls.predictions.transform.dense.weight"),
    ("dense.bias", "cls.predictions.transform.dense.bias"),
    ("norm.weight", "cls.predictions.transform.LayerNorm.weight"),
    ("norm.bias", "cls.predictions.transform.LayerNorm.bias"),
    ("bias", "cls.predictions.bias"),
)
"""Ours, and what a Hugging Face masked language model calls it."""


@dataclass(frozen=True, slots=True, eq=False)
class Knowledge:
    """A network with its tokenizer and the entities of its memory."""

    model: KnowledgeNetwork
    tokenizer: Tokenizer
    entities: tuple[str, ...]  # ids, by the rows of the memory


def save_knowledge(knowledge: Knowledge, folder: Path, *, description: Mapping[str, Any]) -> None:
    """Write the folder, or replace it."""
    model = knowledge.model
    network = model.network
    weights = {f"bert.{name}": t for name, t in hugging_face_weights(network).items()}
    own = model.masked.state_dict()
    weights |= {foreign: own[name] for name, foreign in _HEAD}
    memory = {
        name: tensor
        for name, tensor in model.state_dict().items()
        if name.startswith(("memory.", "detect."))
    }
    with artifacts.publish(folder) as scratch:
        metadata = {"format": "pt"}
        save_file(contiguous(weights), scratch / "model.safetensors", metadata=metadata)
        save_file(contiguous(memory), scratch / KNOWLEDGE)
        (scratch / "config.json").write_text(
            json.dumps(_hugging_face_config(network), indent=2), encoding="utf-8"
        )
        (scratch / "tokenizer.json").write_text(knowledge.tokenizer.to_str(), encoding="utf-8")
        _write_tokenizer_config(knowledge.tokenizer, scratch, network.config.positions)
        lines = "".join(f"{id}\n" for id in knowledge.entities)
        (scratch / ENTITIES).write_text(lines, encoding="utf-8")
        config = {"shape": asdict(model.shape), "parameters": model.size(), **description}
        artifacts.write_manifest(scratch, kind=KIND, version=VERSION, config=config)


def open_knowledge(folder: Path) -> Knowledge:
    """The whole network of a folder that `save_knowledge` wrote."""
    manifest = artifacts.read_manifest(folder, kind=KIND, version=VERSION)
    artifacts.verify(folder, manifest)
    with named_if_damaged(folder):
        shape = KnowledgeShape(**manifest.config["shape"])
        entities = tuple((folder / ENTITIES).read_text(encoding="utf-8").splitlines())
        memory = load_file(folder / KNOWLEDGE)
        table = memory.get("memory.table.weight")
        model = KnowledgeNetwork(pretrained_transformer(folder), shape, table)
        start_masked_head(model, pretrained_weights(folder))
        model.load_state_dict({**model.state_dict(), **memory})
    return Knowledge(model, pretrained_tokenizer(folder), entities)


def is_knowledge(folder: Path) -> bool:
    """Whether a folder has an entity memory beside its BERT."""
    return (folder / KNOWLEDGE).exists()


def start_masked_head(model: KnowledgeNetwork, weights: Mapping[str, Tensor]) -> bool:
    """Put in the head of a masked language model, if the weights of a folder have one."""
    if not all(foreign in weights for _, foreign in _HEAD):
        return False
    try:
        model.masked.load_state_dict({own: weights[foreign] for own, foreign in _HEAD})
    except RuntimeError as error:
        reason = " ".join(str(error).split())
        raise ArtifactError(f"the head of masked tokens does not fit ({reason})") from error
    return True


def entity_vectors(
    ids: Sequence[str], known: Mapping[str, Tensor], *, width: int, seed: int
) -> Tensor:
    """Vectors by id; those that are not known are random, of the same length.

    *Shape:* (ids, width)
    """
    generator = torch.Generator().manual_seed(seed)
    rows = torch.randn(len(ids), width, generator=generator)
    rows = rows / rows.norm(dim=1, keepdim=True)
    for place, id in enumerate(ids):
        if id in known:
            rows[place] = known[id]
    return rows


def _hugging_face_config(network: TransformerLinker) -> dict[str, Any]:
    config = network.config
    return {
        "architectures": ["BertForMaskedLM"],
        "model_type": "bert",
        "hidden_act": "gelu",
        "vocab_size": config.vocabulary,
        "hidden_size": config.width,
        "num_hidden_layers": config.layers,
        "num_attention_heads": config.heads,
        "intermediate_size": config.feed_forward,
        "max_position_embeddings": config.positions,
        "layer_norm_eps": config.epsilon,
        "type_vocab_size": 2,
        "tie_word_embeddings": True,
    }


def _write_tokenizer_config(tokenizer: Tokenizer, folder: Path, longest: int) -> None:
    names = {"unk": "[UNK]", "sep": "[SEP]", "pad": "[PAD]", "cls": "[CLS]", "mask": "[MASK]"}
    special = {
        f"{key}_token": token
        for key, token in names.items()
        if tokenizer.token_to_id(token) is not None
    }
    data = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": longest, **special}
    (folder / "tokenizer_config.json").write_text(json.dumps(data, indent=2), encoding="utf-8")

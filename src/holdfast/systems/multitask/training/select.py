"""Scores on development documents while a model is trained: precision, recall and F1 by task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import torch

from holdfast.document import NIL
from holdfast.systems.multitask.heads import TRANSITIONS, Floats, Heads, Predicted
from holdfast.systems.multitask.labels import NO_ENTITY, Labels
from holdfast.systems.multitask.shape import LINKING, RECOGNITION
from holdfast.systems.multitask.training.data import Example, ExampleBatch
from holdfast.systems.multitask.training.model import MultitaskNetwork


def heads_of(model: MultitaskNetwork, *, read: str = "") -> Heads:
    """The heads of a network with its weights as they are."""
    weights = {
        name: tensor.detach().numpy().astype(np.float32, copy=False)
        for name, tensor in model.heads.state_dict().items()
    }
    if model.crf is not None:
        weights[TRANSITIONS] = model.crf.transitions.detach().numpy()
    return Heads(model.shape, weights, read)


def features_of(model: MultitaskNetwork, example: Example) -> dict[str, Floats]:
    """The states of a document's words by task. *Shape:* (words, width) each."""
    with torch.inference_mode():
        found = model.features(ExampleBatch.of([example]))
    return {task: states.numpy() for task, states in found.items()}


def scores(
    model: MultitaskNetwork, examples: Sequence[Example], labels: Labels
) -> dict[str, float]:
    """`recognition_f1` and so on, for the tasks that there are.

    Per token each task says by itself where mentions are. A model that recognises none is given
    the gold spans. Mentions that tags cannot say count as not found; those without an entity do
    not count in linking.
    """
    shape = model.shape
    reads = {task: task if shape.setup == "token" else "" for task in shape.tasks}
    heads = {read: heads_of(model, read=read) for read in set(reads.values())}
    counts = {task: Counter[str]() for task in shape.tasks}
    for example in examples:
        features = features_of(model, example)
        spans = [(a, b) for a, b in example.spans.tolist()] if shape.needs_mentions else None
        predicted = {
            read: own.predict(features, example.words.sentences, spans=spans)
            for read, own in heads.items()
        }
        for task, read in reads.items():
            counts[task].update(count(example, predicted[read], labels, task))
    found = dict[str, float]()
    for task in shape.tasks:
        found |= figures(task, counts[task])
    return found


def count(
    example: Example, predicted: Sequence[Predicted], labels: Labels, task: str
) -> Mapping[str, int]:
    """Gold and predicted mentions of a document, and those that agree."""
    gold = _gold(example)
    if task == LINKING:
        linked = {span: ids for span, (_, ids) in gold.items() if ids}
        answers = {
            (p.first, p.last): labels.entities[p.classes[0] - 1].id
            for p in predicted
            if p.classes and p.classes[0] != NO_ENTITY
        }
        hits = sum(answers.get(span) in ids for span, ids in linked.items())
        return {"gold": len(linked), "predicted": len(answers), "hits": hits}
    spans = {(p.first, p.last): p.type for p in predicted}
    hits = sum(
        span in spans and (task == RECOGNITION or spans[span] == labels.type_of(type))
        for span, (type, _) in gold.items()
    )
    return {"gold": len(example.document.mentions), "predicted": len(spans), "hits": hits}


def figures(task: str, counts: Mapping[str, int]) -> dict[str, float]:
    precision = counts["hits"] / max(1, counts["predicted"])
    recall = counts["hits"] / max(1, counts["gold"])
    f1 = 2 * precision * recall / max(1e-12, precision + recall)
    return {f"{task}_precision": precision, f"{task}_recall": recall, f"{task}_f1": f1}


def _gold(example: Example) -> dict[tuple[int, int], tuple[str, tuple[str, ...]]]:
    """The type and the ids of each mention by its words."""
    found = dict[tuple[int, int], tuple[str, tuple[str, ...]]]()
    for mention in example.document.mentions:
        span = example.words.span_of(mention.start, mention.end)
        if span is not None:
            found[span] = mention.type, tuple(id for id in mention.ids if id != NIL)
    return found


def selected_by(model: MultitaskNetwork) -> str:
    """The figure that a run selects by: of its highest task."""
    return f"{model.shape.tasks[-1]}_f1"

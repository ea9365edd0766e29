"""Documents as a trained model recognises them, without a knowledge base."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from holdfast.document import Document, Mention
from holdfast.systems.multitask.model import MultitaskModel


def recognised(model: MultitaskModel, documents: Iterable[Document]) -> list[Document]:
    """The documents with the spans that the model takes for mentions, and nothing else of them."""
    found = list[Document]()
    for document in documents:
        words = model.read_words(document.text)
        mentions = (
            Mention.at(int(words.starts[one.first]), int(words.ends[one.last]))
            for one in model.predict(words)
        )
        found.append(replace(document, mentions=tuple(mentions), relations=()))
    return found

"""The mentions of a corpus as vectors, kept in the home folder: encoding them takes minutes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from holdfast import artifacts
from holdfast.blocks import in_blocks
from holdfast.corpora.named import load_corpus
from holdfast.document import Document
from holdfast.progress import Progress
from holdfast.systems.bier.model import TypingModel
from holdfast.systems.bier.sparse import joined
from holdfast.systems.bier.stored import (
    MentionBlock,
    Represented,
    StoredMention,
    read_represented,
    write_represented,
)

TOP: Final = 128
"""Types that are kept where accuracy is measured: what is beyond has next to no probability."""

_DOCUMENTS: Final = 8


def represent_split(
    model: TypingModel, corpus: str, split: str, *, data: Path, progress: Progress
) -> Represented:
    """The mentions of a split with both vectors; read if they were made before."""
    name = f"{model.digest[:16]}-{corpus}-{split}-{TOP}.arrow"
    path = artifacts.home() / "represented" / name
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        documents = list(load_corpus(corpus, split, data=data))
        write_represented(
            path,
            _blocks(documents, model, lambda done: progress(f"encoding {corpus} {split}", done)),
            types=model.types.names,
            digest=model.digest,
            keeps_dense=True,
        )
    return read_represented(path)


def _blocks(
    documents: Sequence[Document], model: TypingModel, advance: Callable[[float], None]
) -> Iterator[MentionBlock]:
    done = 0
    for block in in_blocks(documents, _DOCUMENTS):
        rows = [
            row
            for document in block
            for row in model.rows_of(document.text, [m.spans for m in document.mentions])
        ]
        done += len(block)
        advance(done / len(documents))
        if rows:
            found = model.encode(rows, top=TOP)
            places = [
                StoredMention(d.id, m.start, m.end, d.text_of(m), m.type, m.ids)
                for d in block
                for m in d.mentions
            ]
            yield MentionBlock(places, found.sparse, found.dense)


def joined_sets(parts: Sequence[Represented]) -> Represented:
    """Several sets of one model, one after the other."""
    first = parts[0]
    dense = [part.dense for part in parts if part.dense is not None]
    return replace(
        first,
        places=tuple(place for part in parts for place in part.places),
        sparse=joined([part.sparse for part in parts], dimensions=first.sparse.dimensions),
        dense=np.concatenate(dense) if len(dense) == len(parts) else None,
    )


def some_rows(whole: Represented, rows: Sequence[int]) -> Represented:
    """Some of the mentions, by their rows."""
    return replace(
        whole,
        places=tuple(whole.places[row] for row in rows),
        sparse=whole.sparse[list(rows)],
        dense=None if whole.dense is None else whole.dense[list(rows)],
    )

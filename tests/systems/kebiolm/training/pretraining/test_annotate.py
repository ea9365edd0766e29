"""Text is annotated in shards, once, without what is evaluated."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from holdfast.corpora.named.overlap import build_shared_text  # noqa: E402
from holdfast.document import Candidate, Document, Mention  # noqa: E402
from holdfast.errors import ArtifactError, UsageError  # noqa: E402
from holdfast.step import Each  # noqa: E402
from holdfast.systems.kebiolm.knowledge.annotated_text import (  # noqa: E402
    AnnotatedText,
    read_shards,
    shard_path,
)
from holdfast.systems.kebiolm.training.pretraining.annotate import (  # noqa: E402
    SETTINGS,
    TextConfig,
    _check_settings,
    write_shards,
)


def linked(document: Document) -> Document:
    """Links "red fever" surely, "blue cough" hardly."""
    mentions = []
    for name, id, score in (("red fever", "OWN:1", 0.9), ("blue cough", "OWN:2", 0.8)):
        start = document.text.find(name)
        if start >= 0:
            best = Candidate(id, name, score)
            made = Mention.at(start, start + len(name), "Disease", ids=(id,))
            mentions.append(replace(made, candidates=(best,)))
    return document.with_mentions(mentions)


def test_shards_are_written_once_and_evaluated_documents_are_removed(tmp_path: Path) -> None:
    documents = [Document(str(n), f"Number {n}: red fever and blue cough.") for n in range(5)]
    held = Document("x", "This whole sentence is a part of what will be measured, so it must go.")
    config, lines = TextConfig(shard=2), list[str]()
    shared = build_shared_text([held])
    step = Each(linked)
    write = partial(write_shards, [*documents, held], step, shared, config, tmp_path)
    removed = write(lines.append, total=6)
    assert (removed, len(lines)) == (1, 3)
    assert lines[0].startswith("2 of 6 documents annotated  ")
    shard_path(tmp_path, 1).unlink()
    write(lines.append, total=6)
    assert len(lines) == 4  # the missing one alone
    found = list(read_shards(tmp_path))
    assert [text.id for text in found] == ["0", "1", "2", "3", "4"]
    assert found[0].entities == ("OWN:1",)
    assert found[0].text[found[0].starts[0] : found[0].ends[0]] == "red fever"
    shard_path(tmp_path, 0).write_bytes(b"no arrow")
    with pytest.raises(ArtifactError, match="damaged"):
        list(read_shards(tmp_path))


def test_of_overlapping_mentions_the_longest_is_kept() -> None:
    best = (Candidate("OWN:1", "x", 0.9),)
    inner = replace(Mention.at(0, 3, ids=("OWN:1",)), candidates=best)
    outer = replace(Mention.at(0, 9, ids=("OWN:2",)), candidates=best)
    document = Document("1", "red fever", mentions=(inner, outer))
    assert AnnotatedText.of(document, least=0.5).entities == ("OWN:2",)


def test_shards_of_other_settings_are_not_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / SETTINGS
    _check_settings(path, {"least": 0.85})
    _check_settings(path, {"least": 0.85})
    with pytest.raises(UsageError, match="other settings"):
        _check_settings(path, {"least": 0.5})
    path.unlink()
    shard_path(tmp_path, 0).write_bytes(b"")
    with pytest.raises(UsageError, match="unknown settings"):
        _check_settings(path, {"least": 0.85})

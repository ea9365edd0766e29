from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from corpora.named.files import write, write_json_lines
from holdfast.corpora.named.medmentions import (
    read_full_offsets,
    read_open_names,
    read_open_semantic_types,
    read_tokens,
)
from holdfast.document import Mention, Passage
from holdfast.errors import FormatError

OFFSETS: dict[str, Any] = {
    "pmid": "22222222",
    "text": "Asthma in children",
    "mentions": [[0, 6, "C0004096", 1], [10, 18, "C0008059", 0]],
}
TOKENS: dict[str, Any] = {
    "pmid": "33333333",
    "sentences": [
        {"tokens": ["Severe", "asthma", "."], "mentions": [[0, 2, "C0581126"]]},
        {"tokens": ["No", "fever"], "mentions": [[1, 2, "C0015967"]]},
    ],
    "mention_list": [],
}


def test_offsets_become_mentions_with_umls_curies(tmp_path: Path) -> None:
    [document] = read_full_offsets(write_json_lines(tmp_path / "dev.jsonl.gz", [OFFSETS]))
    assert document.mentions == (
        Mention.at(0, 6, ids=["UMLS:C0004096"]),
        Mention.at(10, 18, ids=["UMLS:C0008059"]),
    )


def test_the_subset_alone_can_be_read(tmp_path: Path) -> None:
    path = write_json_lines(tmp_path / "dev.jsonl.gz", [OFFSETS])
    [document] = read_full_offsets(path, st21pv_only=True)
    assert [document.text_of(m) for m in document.mentions] == ["Asthma"]


def test_tokens_become_a_text_with_one_passage_per_sentence(tmp_path: Path) -> None:
    [document] = read_tokens(write_json_lines(tmp_path / "train.jsonl.gz", [TOKENS]))
    assert document.text == "Severe asthma .\nNo fever"
    assert document.passages == (Passage("sentence", 0, 15), Passage("sentence", 16, 24))
    assert [(document.text_of(m), m.ids) for m in document.mentions] == [
        ("Severe asthma", ("UMLS:C0581126",)),
        ("fever", ("UMLS:C0015967",)),
    ]


@pytest.mark.parametrize("mention", [[0, 3, "C1"], [1, 1, "C1"], [-1, 1, "C1"], [0, 1]])
def test_a_mention_outside_its_sentence_is_refused_with_its_line(
    tmp_path: Path, mention: list[Any]
) -> None:
    record = {"pmid": "1", "sentences": [{"tokens": ["a", "b"], "mentions": [mention]}]}
    with pytest.raises(FormatError, match="line 2: not a MedMentions record"):
        list(read_tokens(write_json_lines(tmp_path / "train.jsonl.gz", [TOKENS, record])))


@pytest.mark.parametrize(
    "record",
    [
        {"pmid": "1", "text": "x"},
        {**OFFSETS, "pmid": 1},
        {**OFFSETS, "text": None},
        {**OFFSETS, "mentions": [[0, 99, "C0004096", 1]]},
        {**OFFSETS, "mentions": [[0, 5]]},
    ],
)
def test_a_broken_record_with_offsets_is_refused_with_its_line(
    tmp_path: Path, record: dict[str, Any]
) -> None:
    with pytest.raises(FormatError, match="line 1: not a MedMentions record"):
        list(read_full_offsets(write_json_lines(tmp_path / "dev.jsonl.gz", [record])))


def test_names_lose_the_ends_of_obo_lines_and_their_repetitions(tmp_path: Path) -> None:
    raw = {"C0015230": ["Itch", 'Itch" BROAD layperson []', ' "Sail" toe', "Q-type itch\\n"]}
    path = write(tmp_path / "names.json.gz", gzip.compress(json.dumps(raw).encode()))
    assert read_open_names(path) == {"UMLS:C0015230": ("Itch", '"Sail" toe', "Q-type itch")}


def test_semantic_types_are_read_by_curie(tmp_path: Path) -> None:
    path = write(tmp_path / "types.json.gz", gzip.compress(b'{"C0015230": ["T184", "T033"]}'))
    assert read_open_semantic_types(path) == {"UMLS:C0015230": ("T184", "T033")}


@pytest.mark.parametrize("content", [b"[1]", b'{"C0015230": "T184"}', b'{"C0015230": [1]}'])
def test_a_table_of_another_shape_is_refused(tmp_path: Path, content: bytes) -> None:
    path = write(tmp_path / "types.json.gz", gzip.compress(content))
    with pytest.raises(FormatError, match=r"types\.json\.gz"):
        read_open_semantic_types(path)


def test_the_real_training_tokens_have_their_published_concepts(data_dir: Path) -> None:
    path = data_dir / "corpora" / "medmentions" / "st21pv_tokens" / "train.jsonl.gz"
    ids = {m.ids[0] for document in read_tokens(path) for m in document.mentions}
    assert len(ids) == 18_506


def test_the_real_tables_hold_clean_names(data_dir: Path) -> None:
    folder = data_dir / "corpora" / "medmentions"
    names = read_open_names(folder / "cui_names_open.json.gz")
    assert len(names) == 147_033
    assert not [n for of_cui in names.values() for n in of_cui if "layperson" in n]
    assert len(read_open_semantic_types(folder / "cui_semtypes_open.json.gz")) == 124_966

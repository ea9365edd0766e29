from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from corpora.named.files import write
from holdfast.corpora.named.ddi import read_ddi, read_ddi_examples
from holdfast.corpora.named.relations import NO_RELATION
from holdfast.document import Passage
from holdfast.errors import FormatError, InputError

XML = """<?xml version="1.0" encoding="UTF-8"?>
<document id="DDI-MedLine.d1">
  <sentence id="s0" text="Iron- and zinc-based tablets help them. ">
    <entity id="s0.e0" charOffset="0-4;15-27" type="group" text="Iron-based tablets"/>
    <entity id="s0.e1" charOffset="10-27" type="group" text="zinc-based tablets"/>
    <pair id="s0.p0" e1="s0.e0" e2="s0.e1" ddi="false"/>
  </sentence>
  <sentence id="s1" text="Alcohol enhances morphine.">
    <entity id="s1.e0" charOffset="0-6" type="drug" text="Alcohol"/>
    <entity id="s1.e1" charOffset="17-24" type="drug" text="morphine"/>
    <pair id="s1.p0" e1="s1.e0" e2="s1.e1" ddi="true" type="effect"/>
  </sentence>
</document>
"""


def test_a_file_is_a_document_of_sentences_with_inclusive_ends_resolved(tmp_path: Path) -> None:
    write(tmp_path / "12345678.xml", XML)
    [document] = read_ddi(tmp_path)
    assert document.id == "DDI-MedLine.d1"
    assert document.passages == (Passage("sentence", 0, 40), Passage("sentence", 41, 67))
    assert [(document.text_of(m), m.type) for m in document.mentions] == [
        ("Iron- based tablets", "group"),
        ("zinc-based tablets", "group"),
        ("Alcohol", "drug"),
        ("morphine", "drug"),
    ]
    assert document.metadata == (("source", "12345678"), ("pmid", "12345678"))


def test_only_interactions_are_relations(tmp_path: Path) -> None:
    write(tmp_path / "Vitamin C.xml", XML)
    [document] = read_ddi(tmp_path)
    [relation] = document.relations
    assert (relation.type, [a.mention_id for a in relation.arguments]) == (
        "effect",
        ["s1.e0", "s1.e1"],
    )
    assert document.metadata == (("source", "Vitamin C"),)


def test_every_pair_is_an_example_over_its_own_sentence(tmp_path: Path) -> None:
    write(tmp_path / "a.xml", XML)
    negative, positive = read_ddi_examples(tmp_path)
    assert (negative.label, positive.label) == (NO_RELATION, "effect")
    assert positive.text == "Alcohol enhances morphine."
    [(start, end)] = positive.tail
    assert positive.text[start:end] == "morphine"
    assert len(negative.head) == 2
    assert positive.document_id == "DDI-MedLine.d1"


def test_an_interaction_without_a_type_is_kept_as_untyped(tmp_path: Path) -> None:
    write(tmp_path / "a.xml", XML.replace(' type="effect"', ""))
    assert [e.label for e in read_ddi_examples(tmp_path)] == [NO_RELATION, "untyped"]


def test_offsets_one_too_small_are_moved_to_their_words(tmp_path: Path) -> None:
    write(tmp_path / "a.xml", XML.replace("17-24", "16-23"))
    [document] = read_ddi(tmp_path)
    assert document.text_of(document.mentions[3]) == "morphine"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("17-24", "3-9", "entity s1.e1: 'morphine' is not at 3-9"),
        ("17-24", "17-99999999999", "s1.e1|leaves"),
        ("17-24", "here", "invalid literal"),
        ('e2="s1.e1"', 'e2="s9"', "pair s1.p0 refers to an entity that is not there"),
        ('type="effect"', 'type="harm"', "label 'harm' is not one of"),
        (' id="DDI-MedLine.d1"', "", "no attribute or entity 'id'"),
        ("</document>", "", "not XML"),
    ],
)
def test_a_broken_file_is_refused_by_name(tmp_path: Path, old: str, new: str, message: str) -> None:
    write(tmp_path / "a.xml", XML.replace(old, new))
    with pytest.raises(FormatError, match=rf"a\.xml.*({message})"):
        list(read_ddi(tmp_path))


def test_a_folder_without_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no XML files"):
        list(read_ddi(tmp_path))


@pytest.mark.parametrize(
    ("split", "pairs", "labels"),
    [
        (
            "train",
            27_792,
            {"effect": 1_687, "mechanism": 1_319, "advise": 826, "int": 188, "untyped": 1},
        ),
        ("test", 5_716, {"effect": 360, "mechanism": 302, "advise": 221, "int": 96}),
    ],
)
def test_the_real_corpus_has_its_published_pairs(
    data_dir: Path, split: str, pairs: int, labels: dict[str, int]
) -> None:
    folder = data_dir / "corpora" / "re" / "ddi" / split
    counts = Counter(e.label for e in read_ddi_examples(folder))
    assert counts == {**labels, NO_RELATION: pairs - sum(labels.values())}

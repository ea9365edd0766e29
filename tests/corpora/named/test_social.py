from __future__ import annotations

from pathlib import Path

import pytest

from corpora.named.files import write
from holdfast.corpora.named.social import SocialMention, read_social, read_social_ontology
from holdfast.errors import FormatError


def test_a_line_is_a_concept_and_a_patients_words(tmp_path: Path) -> None:
    content = "10000003\tSjögren's dryness\tdry eyes\nC0015672\tFatigue\tso tired\n"
    assert list(read_social(write(tmp_path / "fold.txt", content.encode("latin-1")))) == [
        SocialMention("SNOMEDCT:10000003", "Sjögren's dryness", "dry eyes"),
        SocialMention("UMLS:C0015672", "Fatigue", "so tired"),
    ]


@pytest.mark.parametrize("line", ["C0015672\tFatigue", "C0015672\tFatigue\t ", "\ta\tb", ""])
def test_a_broken_line_is_refused_with_its_number(tmp_path: Path, line: str) -> None:
    path = write(tmp_path / "fold.txt", f"C0015672\tFatigue\ttired\n{line}\n")
    with pytest.raises(FormatError, match=r"fold\.txt, line 2"):
        list(read_social(path))


def test_the_ontology_gives_names_by_curie(tmp_path: Path) -> None:
    content = '{"C0015672": [["primary", "Fatigue"], ["other", "Tiredness"]]}'
    assert read_social_ontology(write(tmp_path / "ontology.json", content)) == {
        "UMLS:C0015672": ("Fatigue", "Tiredness")
    }


@pytest.mark.parametrize("content", ['{"C1": 5}', '{"C1": [["primary"]]}', "[]"])
def test_an_ontology_of_another_shape_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(FormatError, match=r"ontology\.json"):
        read_social_ontology(write(tmp_path / "ontology.json", content))


@pytest.mark.parametrize(
    ("corpus", "stem", "sizes", "concepts"),
    [
        ("askapatient", "AskAPatient", (156_652, 7_926, 8_662), 1_036),
        ("twadrl", "TwADR-L", (48_057, 1_256, 1_427), 2_220),
    ],
)
def test_the_real_folds_read_and_name_only_concepts_of_their_ontology(
    data_dir: Path, corpus: str, stem: str, sizes: tuple[int, ...], concepts: int
) -> None:
    folder = data_dir / "corpora" / "social" / corpus
    ontology = read_social_ontology(folder / "ontology.json")
    assert len(ontology) == concepts
    counts = list[int]()
    for split in ("train", "validation", "test"):
        paths = [folder / f"{stem}.fold-{fold}.{split}.txt" for fold in range(10)]
        mentions = [mention for path in paths for mention in read_social(path)]
        assert {mention.concept_id for mention in mentions} <= ontology.keys()
        counts.append(len(mentions))
    assert tuple(counts) == sizes

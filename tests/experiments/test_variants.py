"""Given variants are scored beside what the document can tell, and ids by what they mean."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command import call
from holdfast.document import Document, Mention
from holdfast.evaluate.protocols import score_documents
from holdfast.experiments.variants import VariantCase, score_variants


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A corpus of four variants: two are told, one has an unknown number, one cannot be read."""
    text = "K417N and R99H\n7|a|rs1234567 and the thing.\n"
    rows = (
        "7\t0\t5\tK417N\tSequenceVariant\tp|SUB|K|417|N\n"
        "7\t10\t14\tR99H\tSequenceVariant\trs7654321\n"
        "7\t15\t24\trs1234567\tSequenceVariant\trs1234567\n"
        "7\t29\t38\tthe thing\tSequenceVariant\tc|DEL|5|A\n\n"
    )
    path = tmp_path / "data" / "corpora" / "biored" / "dev.pubtator.txt"
    path.parent.mkdir(parents=True)
    path.write_text(f"7|t|{text}{rows}", encoding="utf-8")
    return tmp_path / "data"


def test_a_recipe_prints_the_accuracy_beside_the_ceiling(data: Path) -> None:
    done = call("evaluate", "variants-biored", "--data", data, "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["protocol"] == "variants"
    assert (result["accuracy_at_1"], result["ceiling"]) == (0.5, 0.75)
    assert result["accuracy_at_1_in_text"] == pytest.approx(2 / 3)
    assert (result["n_scored"], result["n_in_text"], result["n_nil"]) == (4, 3, 1)


def test_variants_without_a_gold_id_are_left_out() -> None:
    right, none = frozenset({"tmVar:c|DEL|5|A"}), frozenset[str]()
    report = score_variants([VariantCase(right, right, "", "1"), VariantCase(none, right, "", "2")])
    assert report["accuracy_at_1"] == 1.0
    assert report.counts["n_scored"] == 1
    assert report.left_out == {"nil": 1}


def test_a_part_of_a_longer_number_is_not_in_the_text() -> None:
    gold = frozenset({"dbSNP:rs123"})
    (longer, own) = (
        score_variants([VariantCase(gold, gold, text, "1")])["ceiling"]
        for text in ("rs1234 was typed", "RS123 was typed")
    )
    assert (longer, own) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("gold", "answer", "f1"),
    [
        ("tmVar:p|SUB|K|417|N", "HGVS:p.Lys417Asn", 1.0),
        ("HGVS:p.K417N", "HGVS:p.Lys417Asn", 1.0),
        ("tmVar:p|DEL|70_74|", "HGVS:p.Lys70_Ser74del", 1.0),
        ("tmVar:p|SUB|K|417|N", "HGVS:p.Lys417Thr", 0.0),
        ("dbSNP:rs1", "HGVS:p.Lys417Asn", 0.0),
    ],
)
@pytest.mark.parametrize("protocol", ["strong", "document"])
def test_ids_of_one_variant_count_as_equal(
    gold: str, answer: str, f1: float, protocol: str
) -> None:
    def document(id: str) -> Document:
        return Document("1", "K417N", mentions=(Mention.at(0, 5, "SequenceVariant", [id]),))

    report = score_documents([document(gold)], [document(answer)], protocol=protocol, resamples=1)
    assert report["f1"] == f1

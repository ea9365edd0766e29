"""The detector that ships, in a knowledge base and out of it."""

from __future__ import annotations

import json
import shutil
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast import artifacts
from holdfast.detect.tagger import KIND, VERSION, Tagger
from holdfast.detect.trained import TrainedDetector, merged
from holdfast.document import Document, Mention
from holdfast.errors import ArtifactError
from holdfast.kb import Entry, KnowledgeBase
from holdfast.kinds import kind_of
from holdfast.models import find_model, parts_of
from shipped import DETECTOR, shipped_detector, shipped_tagger
from small_kb import make_kb, of_entries

TEXT = (
    "Lithium carbonate-induced hypothyroidism. A 45-year-old patient with bipolar disorder took "
    "lithium carbonate and developed hypothyroidism."
)


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    return make_kb(tmp_path_factory.mktemp("detect") / "kb")


@pytest.fixture(scope="module")
def detector(kb: KnowledgeBase) -> TrainedDetector:
    return shipped_detector(kb)


def found(detector: TrainedDetector, text: str) -> list[tuple[str, str]]:
    return [(text[m.start : m.end], m.type) for m in detector.detect(text)]


def test_what_no_vocabulary_lists_is_found(detector: TrainedDetector) -> None:
    assert ("hypothyroidism", "Disease") in found(detector, TEXT)
    assert ("bipolar disorder", "Disease") in found(detector, TEXT)
    assert ("Lithium carbonate", "Chemical") in found(detector, TEXT)


def test_many_documents_are_read_as_each_alone(detector: TrainedDetector) -> None:
    texts = [TEXT, "", "Aspirin causes gastric ulcer.", *(TEXT[:end] for end in range(40, 130, 9))]
    documents = [Document(str(at), text) for at, text in enumerate(texts)]
    assert list(detector.pipe(documents)) == [detector(document) for document in documents]


def test_one_document_needs_no_second_network(kb: KnowledgeBase) -> None:
    detector = shipped_detector(kb)
    (alone,) = detector.pipe([Document("1", TEXT)])
    assert alone.mentions
    assert "_tagger_of_one_thread" not in vars(detector)


def test_only_the_types_that_are_asked_for_are_found(kb: KnowledgeBase) -> None:
    chemicals = shipped_detector(kb, only=["Chemical"])
    assert {type for _, type in found(chemicals, TEXT)} == {"Chemical"}


def test_types_that_the_knowledge_base_lacks_are_not_found_by_default(tmp_path: Path) -> None:
    chemicals = of_entries(tmp_path / "kb", Entry("X:1", "Lithium Carbonate", types=("Chemical",)))
    assert {type for _, type in found(shipped_detector(chemicals), TEXT)} == {"Chemical"}


def test_types_that_were_not_taught_come_from_the_dictionary(tmp_path: Path) -> None:
    kb = of_entries(
        tmp_path / "kb",
        Entry("X:1", "blood coagulation", types=("Process",)),
        Entry("X:2", "frobnication", types=()),
    )
    text = "Warfarin slows blood coagulation and frobnication."
    assert found(shipped_detector(kb), text) == [
        ("blood coagulation", "Process"),
        ("frobnication", ""),
    ]
    assert found(shipped_detector(kb, only=["Process"]), text) == [("blood coagulation", "Process")]


def test_offsets_are_those_of_the_text_as_it_is(detector: TrainedDetector) -> None:
    plain = "Aspirin causes gastric ulcer. Aspirin is a drug."
    odd = plain.replace(". ", ".\r\n").replace("gastric", "ga\u0308stric")
    odd = f"\U0001f600 {odd}"
    assert ("ga\u0308stric ulcer", "Disease") in found(detector, odd)
    assert [words for words, _ in found(detector, odd)].count("Aspirin") == 2


@pytest.mark.parametrize("text", ["", " \r\n\t", ".,;:()[]!?—…", "\U0001f600\u0301"])
def test_a_text_without_words_has_no_mentions(detector: TrainedDetector, text: str) -> None:
    assert detector.detect(text) == []


def test_variants_are_found_where_there_are_genes(kb: KnowledgeBase) -> None:
    text = "The BRAF V600E mutation and EGFR L858R were found."
    for only, expected in ((None, True), (("Gene", "Variant"), True), (("Gene",), False)):
        mentions = shipped_detector(kb, only=only).detect(text)
        variants = [text[m.start : m.end] for m in mentions if m.type == "Variant"]
        assert variants == (["V600E", "L858R"] if expected else [])


def test_many_mentions_are_all_found(detector: TrainedDetector) -> None:
    text = "Aspirin causes headache. " * 150
    mentions = detector.detect(text)
    assert [text[m.start : m.end] for m in mentions] == ["Aspirin", "headache"] * 150


@settings(deadline=None, max_examples=30)
@given(st.text(max_size=80))
def test_mentions_of_any_text_are_in_order_and_do_not_overlap(text: str) -> None:
    mentions = [tagged.mention for tagged in shipped_tagger().tag(text)]
    document = Document("1", text, mentions=tuple(mentions))
    assert all(document.text_of(mention).strip() for mention in mentions)
    assert all(one.end <= other.start for one, other in pairwise(mentions))


def test_mentions_are_added_to_those_there_were(detector: TrainedDetector) -> None:
    marked = Mention.at(0, 7, "Gadget")
    document = detector(Document("1", TEXT, mentions=(marked,)))
    assert document.mentions[0] == marked
    assert len(document.mentions) > 1


MENTIONS = st.lists(st.integers(0, 40), max_size=12, unique=True).map(
    lambda cuts: [Mention.at(a, b) for a, b in pairwise(sorted(cuts))][::2]
)


@given(MENTIONS, MENTIONS)
def test_merging_keeps_the_first_and_what_overlaps_none_of_them(
    first: list[Mention], second: list[Mention]
) -> None:
    both = merged(first, second)
    assert set(first) <= set(both) <= {*first, *second}
    assert all(one.end <= other.start for one, other in pairwise(both))
    for mention in second:
        is_free = all(m.end <= mention.start or mention.end <= m.start for m in first)
        assert (mention in both) == (is_free or mention in first)


def test_the_default_model_has_it() -> None:
    first, *_ = parts_of(find_model("default"))
    assert first == DETECTOR
    assert kind_of(DETECTOR).name == KIND


def test_what_ships_is_small_and_says_what_it_learned_from() -> None:
    manifest = artifacts.read_manifest(DETECTOR, kind=KIND, version=VERSION)
    assert sum(entry["size"] for entry in manifest.files.values()) <= 26e6
    assert manifest.config["licence"]
    assert "biored dev" not in manifest.config["training_data"]
    assert "bc5cdr test" not in manifest.config["training_data"]


def test_a_model_trained_with_other_marks_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "detector"
    shutil.copytree(DETECTOR, folder)
    data = json.loads((folder / artifacts.MANIFEST).read_text(encoding="utf-8"))
    data["config"]["marks"] = ["another"]
    del data["sha256"]
    (folder / artifacts.MANIFEST).write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(ArtifactError, match="other marks"):
        Tagger.open(folder)

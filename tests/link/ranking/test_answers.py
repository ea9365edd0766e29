"""What the ranked linker answers, with a ranker whose weights are known."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from hand_ranker import hand_ranker
from holdfast import artifacts
from holdfast.document import NIL, Document, Mention
from holdfast.errors import ArtifactError
from holdfast.kb import Entry, KnowledgeBase, Source
from holdfast.link.ranking.linker import RankedLinker
from holdfast.link.ranking.ranker import FILE, KIND, VERSION, Ranker
from holdfast.names.dense import DenseIndex
from small_kb import make_kb

Floats = npt.NDArray[np.float32]

SURE = hand_ranker(ngram=12.0, none=6.0)
MESH = (
    Entry("MESH:D1", "cold", types=("Disease",)),
    Entry("MESH:D2", "cold sore", types=("Disease",)),
    Entry("MESH:D3", "cold sores of lips", types=("Disease",)),
    Entry("MESH:D4", "Lyme fever", types=("Disease",), xrefs=("MONDO:4",)),
)
MONDO = (Entry("MONDO:4", "lyme fever", types=("Disease",), xrefs=("MESH:D4",)),)
GENES = (Entry("HGNC:1", "COLD", synonyms=("cold protein",), types=("Gene",)),)


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    folder = tmp_path_factory.mktemp("answers") / "kb"
    return make_kb(
        folder, (Source("MeSH"), MESH), (Source("HGNC"), GENES), (Source("MONDO"), MONDO)
    )


def document(*marked: tuple[str, str], id: str = "1") -> Document:
    """A text of these surfaces, each marked with its type."""
    text, mentions = "", []
    for surface, type in marked:
        mentions.append(Mention.at(len(text), len(text) + len(surface), type))
        text += f"{surface}; "
    return Document(id, text, mentions=tuple(mentions))


def ids(linked: Document) -> list[tuple[str, ...]]:
    return [mention.ids for mention in linked.mentions]


def test_words_that_are_a_gene_here_and_a_disease_there_get_both_ids(kb: KnowledgeBase) -> None:
    linker = RankedLinker(kb, ranker=SURE)
    both = [("COLD", "Gene"), ("COLD", "Disease"), ("COLD", "Species")]
    expected = [("HGNC:1",), ("MESH:D1",), (NIL,)]
    assert ids(linker(document(*both))) == expected
    assert ids(linker(document(*reversed(both)))) == expected[::-1]
    for marked, answer in zip(both, expected, strict=True):  # what is remembered, too
        assert ids(linker(document(marked))) == [answer]


def test_only_the_chosen_types_are_linked_to(kb: KnowledgeBase) -> None:
    genes = RankedLinker(kb, ranker=SURE, only=["Gene"])
    assert ids(genes(document(("cold", ""), ("lyme fever", ""), ("cold", "Disease")))) == [
        ("HGNC:1",),
        (NIL,),
        (NIL,),
    ]
    (mention,) = genes(document(("cold", ""))).mentions
    assert [c.entity_id for c in mention.candidates] == ["HGNC:1"]


def test_mentions_are_ranked_one_for_one(kb: KnowledgeBase) -> None:
    linker = RankedLinker(kb, ranker=SURE)
    texts = ["cold sore", "zzqx", "lyme fever", "cold sore"]
    found = linker(document(*((text, "") for text in texts))).mentions
    firsts = [[c.entity_id for c in mention.candidates][:1] for mention in found]
    assert firsts == [["MESH:D2"], [], ["MESH:D4"], ["MESH:D2"]]


@pytest.mark.parametrize("top", [1, 2, 3])
def test_no_more_candidates_than_asked_for_the_best_first(kb: KnowledgeBase, top: int) -> None:
    (mention,) = RankedLinker(kb, ranker=SURE, top=top)(document(("cold soar", ""))).mentions
    (whole,) = RankedLinker(kb, ranker=SURE, top=9)(document(("cold soar", ""))).mentions
    assert len(whole.candidates) > 3
    assert mention.candidates == whole.candidates[:top]
    scores = [c.score for c in whole.candidates]
    assert scores == sorted(scores, reverse=True)


def test_entities_that_refer_to_each_other_share_one_candidate_and_its_score(
    kb: KnowledgeBase,
) -> None:
    (mention,) = RankedLinker(kb, ranker=SURE)(document(("lyme fever", "Disease"))).mentions
    (only,) = mention.candidates
    assert (only.entity_id, only.label) == ("MESH:D4", "Lyme fever")
    assert only.evidence[-1].detail == "the same as MONDO:4"
    (alone,) = RankedLinker(kb, ranker=SURE)(document(("cold sore", "Disease"))).mentions
    assert only.score > alone.candidates[0].score  # of two candidates together


@pytest.mark.parametrize(("none", "is_linked"), [(11.0, True), (13.0, False)])
def test_a_mention_is_linked_where_the_best_is_likelier_than_none(
    kb: KnowledgeBase, none: float, is_linked: bool
) -> None:
    doubting = hand_ranker(ngram=12.0, none=none)
    (mention,) = RankedLinker(kb, ranker=doubting)(document(("cold sores", ""))).mentions
    assert mention.ids == (("MESH:D2",) if is_linked else (NIL,))
    assert mention.candidates[0].entity_id == "MESH:D2"


def test_a_probability_is_shared_with_none_of_these() -> None:
    ranker = hand_ranker(exact=2.0, none=1.0)
    width = len(ranker.linear)
    features = np.zeros((2, width), dtype=np.float32)
    features[0, list(ranker.linear).index(2.0)] = 1.0
    (shares,) = ranker.probabilities([features])
    weights = np.exp([1.0, -1.0])
    assert shares == pytest.approx(weights / (1 + weights.sum()))
    assert ranker.probabilities([features[:0], features[:1]]) == [
        [],
        pytest.approx([np.e / (1 + np.e)]),
    ]
    assert ranker.probabilities([]) == []


def test_very_high_and_very_low_scores_are_still_probabilities() -> None:
    features = np.ones((1, len(SURE.linear)), dtype=np.float32)
    for score, share in ((5000.0, 1.0), (-5000.0, 0.0)):
        ((found,),) = hand_ranker(bias=score).probabilities([features])
        assert found == pytest.approx(share)


class Vowels:
    """Encodes a name by its vowels."""

    width = 5

    def __init__(self, digest: str) -> None:
        self.digest = digest

    def encode(self, names: Sequence[str]) -> Floats:
        rows = np.array([[name.count(vowel) for vowel in "aeiou"] for name in names])
        lengths = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        unit: Floats = (rows / lengths).astype(np.float32)
        return unit


def write_model(folder: Path, ranker: Ranker, *, encoder: str, without: Sequence[str] = ()) -> Path:
    folder.mkdir()
    ranker.save(folder)
    fitted = {"model": encoder, "digest": encoder} if encoder else None
    config = {"encoder": fitted, "without": list(without)}
    artifacts.write_manifest(folder, kind=KIND, version=VERSION, config=config)
    return folder


def test_a_ranker_is_refused_with_an_encoder_that_it_was_not_fitted_with(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    dense = {name: DenseIndex.build(kb.all_names(), Vowels(name)) for name in ("one", "two")}
    fitted = write_model(tmp_path / "one", SURE, encoder="one")
    assert RankedLinker.open(fitted, kb, dense=dense["one"]).digest
    bare = write_model(tmp_path / "bare", SURE, encoder="")
    assert RankedLinker.open(bare, kb)
    for folder, given in ((fitted, dense["two"]), (fitted, None), (bare, dense["one"])):
        with pytest.raises(ArtifactError, match="another name encoder"):
            RankedLinker.open(folder, kb, dense=given)


def test_options_reach_an_opened_linker(kb: KnowledgeBase, tmp_path: Path) -> None:
    folder = write_model(tmp_path / "model", SURE, encoder="")
    linker = RankedLinker.open(folder, kb, only=["Disease"], top=2)
    (mention,) = linker(document(("cold", ""))).mentions
    assert [c.entity_id for c in mention.candidates] == ["MESH:D1"]
    (alike,) = linker(document(("cold soar", ""))).mentions
    assert len(alike.candidates) == 2


def test_a_ranker_of_other_features_is_refused(kb: KnowledgeBase, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    SURE.save(folder)
    text = (folder / FILE).read_text(encoding="utf-8")
    (folder / FILE).write_text(text.replace('"verbatim"', '"literal"'), encoding="utf-8")
    config: dict[str, Any] = {"encoder": None, "without": []}
    artifacts.write_manifest(folder, kind=KIND, version=VERSION, config=config)
    with pytest.raises(ArtifactError, match="other features"):
        RankedLinker.open(folder, kb)


def test_an_opened_linker_uses_the_vectors_and_leaves_out_what_it_was_fitted_without(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    dense = DenseIndex.build(kb.all_names(), Vowels("one"))
    ranker = hand_ranker(dense=12.0, none=6.0)
    folder = write_model(tmp_path / "model", ranker, encoder="one", without=["ngram"])
    (mention,) = RankedLinker.open(folder, kb, dense=dense)(document(("cold soar", ""))).mentions
    assert {e.kind for c in mention.candidates for e in c.evidence} == {"dense"}


def score_of(linker: RankedLinker, marked: Document) -> float:
    return linker(marked).mentions[0].candidates[0].score


@pytest.mark.parametrize(
    ("part", "feature"), [("memory", "elsewhere"), ("context", "label_nearby")]
)
def test_a_linker_does_without_the_parts_that_it_was_fitted_without(
    kb: KnowledgeBase, part: str, feature: str
) -> None:
    ranker = hand_ranker(ngram=1.0, none=1.0, **{feature: 2.0})
    twice, other = document(("cold sore", ""), ("cold sore", "")), document(("cold sore", ""))
    for without in ([], ["memory"], ["context"]):
        linker = RankedLinker(kb, ranker=ranker, without=without)
        gains = score_of(linker, twice) > score_of(linker, other)
        assert gains == (part not in without)


def test_short_forms_are_written_out_unless_it_was_fitted_without(kb: KnowledgeBase) -> None:
    text = "Cold sore (CS) hurts; CS."
    marked = Document("1", text, mentions=(Mention.at(22, 24),))
    assert ids(RankedLinker(kb, ranker=SURE)(marked)) == [("MESH:D2",)]
    assert ids(RankedLinker(kb, ranker=SURE, without=["abbreviations"])(marked)) == [(NIL,)]
    (mention,) = RankedLinker(kb, ranker=SURE)(marked).mentions
    assert mention.candidates[0].evidence[0].detail == "CS is defined as “Cold sore”"
    (plain,) = RankedLinker(kb, ranker=SURE)(document(("cold sore", ""))).mentions
    assert [e.kind for e in plain.candidates[0].evidence] == ["exact"]


def test_the_likeliest_of_equivalent_entities_joins_them_whatever_their_order(
    tmp_path: Path,
) -> None:
    mesh = (
        Entry("MESH:D1", "fen ague", types=("Disease",), xrefs=("MONDO:1",)),
        Entry("MESH:D2", "fen agues old", synonyms=("fen ague",), types=("Disease",)),
    )
    mondo = (
        Entry("MONDO:1", "fen ague", types=("Disease",), xrefs=("MESH:D1", "MESH:D2")),
        Entry("MONDO:3", "ague of fens", synonyms=("fen ague",), types=("Disease",)),
    )
    kb = make_kb(tmp_path / "kb", (Source("MeSH"), mesh), (Source("MONDO"), mondo))
    ranker = hand_ranker(exact=2.0, preferred=2.0, xrefs=1.0, none=1.0)
    (mention,) = RankedLinker(kb, ranker=ranker)(document(("fen ague", ""))).mentions
    assert [c.entity_id for c in mention.candidates] == ["MESH:D1", "MESH:D2", "MONDO:3"]
    assert mention.candidates[0].evidence[-1].detail == "the same as MONDO:1"
    scores = [c.score for c in mention.candidates]
    assert scores == sorted(scores, reverse=True)


def test_a_name_that_means_alike_is_found_by_its_vector(kb: KnowledgeBase) -> None:
    dense = DenseIndex.build(kb.all_names(), Vowels("one"))
    ranker = hand_ranker(dense=12.0, none=6.0)
    linker = RankedLinker(kb, ranker=ranker, dense=dense, without=["ngram"])
    (mention,) = linker(document(("xyloxe", ""))).mentions  # o and e, as "cold sore" has them
    best = mention.candidates[0]
    assert best.evidence[0].kind == "dense"
    assert not RankedLinker(kb, ranker=ranker)(document(("xyloxe", ""))).mentions[0].candidates

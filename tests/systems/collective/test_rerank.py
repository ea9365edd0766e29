"""The cross-encoder's rows of tokens, and the order that it gives to candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import onnxruntime
import pytest
from tokenizers import Tokenizer, models

from holdfast.document import Candidate, Document, Evidence, Mention
from holdfast.encoders.tokens import INPUT
from holdfast.errors import ArtifactError
from holdfast.systems.collective import cross
from holdfast.systems.collective.cross import CrossEncoderModel, CrossEncoderRanker, PairReader
from word_bags import SPECIAL, tokenizer

WORDS = tuple(f"w{number}" for number in range(30))


def reader(*, context: int = 100, longest_context: int = 3, longest_name: int = 2) -> PairReader:
    return PairReader.of(
        tokenizer(*WORDS),
        context=context,
        longest_context=longest_context,
        longest_name=longest_name,
    )


def shown(ids: Sequence[int]) -> list[str]:
    return [[*SPECIAL, *WORDS][id] for id in ids]


TEXT = " ".join(WORDS)


def tokens_of(words: str, made: PairReader) -> list[str]:
    start = TEXT.index(words)
    mention = Mention.at(start, start + len(words))
    return shown(made.mention_tokens(Document("1", TEXT, mentions=(mention,)), mention))


def test_the_context_nearest_to_the_mention_is_kept() -> None:
    assert tokens_of("w14 w15", reader()) == [
        *("w11", "w12", "w13"),
        *("[unused1]", "w14", "w15", "[unused2]"),
        *("w16", "w17", "w18"),
    ]


def test_at_the_ends_of_a_text_there_is_less_context() -> None:
    assert tokens_of("w0 ", reader(longest_context=2))[:3] == ["[unused1]", "w0", "[unused2]"]
    assert tokens_of("w1 ", reader())[:2] == ["w0", "[unused1]"]
    assert tokens_of("w29", reader(longest_context=1)) == ["w28", "[unused1]", "w29", "[unused2]"]


def test_context_is_cut_by_characters_before_it_is_cut_by_tokens() -> None:
    made = reader(context=8, longest_context=9)
    assert tokens_of("w14", made) == ["w12", "w13", "[unused1]", "w14", "[unused2]", "w15", "w16"]


def test_a_long_mention_keeps_its_first_tokens_and_a_long_name_too() -> None:
    assert tokens_of("w4 w5 w6 w7 w8", reader())[3:8] == [
        *("[unused1]", "w4", "w5", "w6", "[unused2]"),
    ]
    assert [shown(ids) for ids in reader().name_tokens(["w1 w2 w3", "w4"])] == [
        ["w1", "w2"],
        ["w4"],
    ]


def test_a_vocabulary_without_spare_tokens_marks_with_special_ones() -> None:
    bare = tokenizer("w1")
    made = PairReader.of(bare, context=9, longest_context=3, longest_name=2)
    assert shown(made.markers) == ["[unused1]", "[unused2]"]
    words = {"[CLS]": 0, "[SEP]": 1, "[UNK]": 2}
    poor = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
    made = PairReader.of(poor, context=9, longest_context=3, longest_name=2)
    assert (made.frame, made.markers) == ((0, 1), (1, 0))
    assert made.pair([7, 8], [9]) == [7, 8, 1, 9]


class Shared:
    """Stands in for the network: how many words of the name, its last one twice, are in the text.

    Rows are framed by [CLS] and [SEP].
    """

    def run(self, _: Sequence[str], feed: Mapping[str, npt.NDArray[np.int64]]) -> list[Any]:
        first, last = SPECIAL.index("[CLS]"), SPECIAL.index("[SEP]")
        scores = []
        for row in feed[INPUT].tolist():
            assert (row[0], row[-1]) == (first, last)
            middle = row.index(last)
            mention, name = row[1:middle], row[middle + 1 : -1]
            scores.append(sum(word in mention for word in name) + (name[-1] in mention))
        return [np.array(scores, dtype=np.float32)]


def model() -> CrossEncoderModel:
    session = cast(onnxruntime.InferenceSession, Shared())
    return CrossEncoderModel(reader(longest_context=2), "digest", session)


def mention(start: int, end: int, *names: str) -> Mention:
    """With a candidate for each name, whose id is the name; the first one is likeliest."""
    candidates = tuple(
        Candidate(name, name, 0.5**place, name, (Evidence("bm25", "words in common"),))
        for place, name in enumerate(names, 1)
    )
    ids = names[:1] or ("NIL",)
    return replace(Mention.at(start, end, ids=ids), candidates=candidates)


def test_each_mentions_candidates_are_ranked_by_its_own_scores() -> None:
    text = "w1 w2 then then then w3"
    mentions = (
        mention(0, 5, "w9 w3", "w2 w4", "w3", "w1 w2"),
        mention(6, 10),
        mention(21, 23, "w1 w2", "w3", "w9 w3"),
    )
    ranked = CrossEncoderRanker(model())(Document("1", text, mentions=mentions)).mentions
    assert [[c.entity_id for c in m.candidates] for m in ranked] == [
        ["w1 w2", "w2 w4", "w9 w3", "w3"],
        [],
        ["w3", "w9 w3", "w1 w2"],
    ]
    assert [m.ids for m in ranked] == [("w1 w2",), ("NIL",), ("w3",)]
    scores = [[c.evidence[-1].score for c in m.candidates] for m in ranked]
    assert scores == [[3.0, 1.0, 0.0, 0.0], [], [2.0, 2.0, 0.0]]
    shares = np.exp([2.0, 2.0, 0.0]) / np.exp([2.0, 2.0, 0.0]).sum()
    assert [c.score for c in ranked[2].candidates] == pytest.approx(shares.tolist(), abs=1e-4)
    assert ranked[2].candidates[0].evidence[0].kind == "bm25"


def test_many_documents_are_ranked_in_order() -> None:
    ranker = CrossEncoderRanker(model())
    documents = [
        Document(str(n), "w1 w2", mentions=(mention(0, 2, "w2", "w1"),) * (n % 2)) for n in range(5)
    ]
    assert list(ranker.pipe(documents)) == [ranker(document) for document in documents]
    assert ranker.digest == "digest"


def test_a_document_without_mentions_has_nothing_to_rank() -> None:
    assert CrossEncoderRanker(model())(Document("1", "w1")) == Document("1", "w1")


def test_pairs_are_scored_in_their_order_however_few_run_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    separator = SPECIAL.index("[SEP]")
    pairs = [[n, n + 1, separator, *range(n, n + n % 3 + 1)] for n in range(5, 20)]
    expected = model().score(pairs)
    monkeypatch.setattr(cross, "_TOKENS", 7)
    assert model().score(pairs).tolist() == expected.tolist()
    assert [model().score([pair])[0] for pair in pairs] == expected.tolist()
    assert len(set(expected.tolist())) > 1
    assert model().score([]).shape == (0,)


def test_a_damaged_cross_encoder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match="manifest"):
        CrossEncoderModel.open(tmp_path)

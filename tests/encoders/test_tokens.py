"""Texts in word pieces: offsets are those of the text as it is."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from holdfast.encoders import tokens as token_encoder
from holdfast.encoders.tokens import INPUT, MARKS, TokenEncoder, TokenReader
from holdfast.errors import ArtifactError
from holdfast.text.windows import Window

PIECES = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "heart", "attack", "##s", "naive", "a", "##a", "-")


@pytest.fixture(scope="module")
def reader() -> TokenReader:
    return TokenReader.of(small_tokenizer())


def small_tokenizer() -> Tokenizer:
    vocabulary = {piece: place for place, piece in enumerate(PIECES)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def words(reader: TokenReader, text: str) -> list[str]:
    tokens = reader.read(text)
    return [
        text[start:end] for start, end in zip(tokens.word_starts(), tokens.word_ends(), strict=True)
    ]


def test_words_are_cut_out_of_the_text_as_it_is(reader: TokenReader) -> None:
    text = "Heart attacks\r\nnai\u0308ve Barre\u0301\u0323 \U0001f600 a-a\u0301"
    assert words(reader, text) == [
        "Heart",
        "attacks",
        "nai\u0308ve",
        "Barre\u0301\u0323",
        "\U0001f600",
        "a",
        "-",
        "a\u0301",
    ]


def test_the_first_piece_of_a_word_stands_for_it(reader: TokenReader) -> None:
    tokens = reader.read("heart attacks a")
    assert [PIECES[id] for id in tokens.ids] == ["heart", "attack", "##s", "a"]
    assert tokens.words.tolist() == [0, 1, 3]


@settings(deadline=None)
@given(st.text(max_size=60))
def test_offsets_ascend_and_stay_in_the_text(text: str) -> None:
    reader = TokenReader.of(small_tokenizer())
    tokens = reader.read(text)
    assert all(0 <= a < b <= len(text) for a, b in zip(tokens.starts, tokens.ends, strict=True))
    assert tokens.starts.tolist() == sorted(tokens.starts)
    taken = {at for a, b in zip(tokens.starts, tokens.ends, strict=True) for at in range(a, b)}
    cut_off = [text[end] for end in tokens.ends if end < len(text) and end not in taken]
    assert not any(unicodedata.category(character)[0] == "M" for character in cut_off)
    assert len(tokens.word_starts()) == len(tokens.word_ends()) == len(tokens.words)


def test_a_text_read_in_pieces_has_the_same_tokens(
    reader: TokenReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "heart attacks a-a \n naive " * 40
    whole = reader.read(text)
    monkeypatch.setattr(token_encoder, "_PIECE", 50)
    cut = reader.read(text)
    assert cut.ids.tolist() == whole.ids.tolist()
    assert cut.starts.tolist() == whole.starts.tolist()
    assert cut.words.tolist() == whole.words.tolist()


def test_half_a_character_is_no_word(reader: TokenReader) -> None:
    assert words(reader, "heart \ud83d attack") == ["heart", "attack"]


def test_an_empty_text_has_no_tokens(reader: TokenReader) -> None:
    assert len(reader.read("")) == 0
    assert words(reader, " \n ") == []


def test_a_window_stands_between_the_special_tokens(reader: TokenReader) -> None:
    tokens = reader.read("heart attack naive")
    framed = reader.framed(tokens, Window(1, 3, 1, 3))
    assert [PIECES[id] for id in framed] == ["[CLS]", "attack", "naive", "[SEP]"]


class _Recorder:
    """In place of a network: the ids themselves as states, and how much came at once."""

    def __init__(self) -> None:
        self.shapes: list[tuple[int, ...]] = []

    def run(self, _: list[str], feed: dict[str, npt.NDArray[np.float32]]) -> tuple[object]:
        ids = feed[INPUT]
        self.shapes.append(ids.shape)
        return (np.stack([ids, feed[MARKS][:, :, 0]], axis=2).astype(np.float32),)


def encoder_of(reader: TokenReader, session: _Recorder) -> TokenEncoder:
    return TokenEncoder(
        width=2,
        marks=1,
        longest=130,
        overlap=16,
        digest="",
        reader=reader,
        _network=Path(),
        _session=session,
    )


def test_a_text_of_any_length_goes_through_the_network_a_little_at_a_time(
    reader: TokenReader,
) -> None:
    session = _Recorder()
    tokens = reader.read("heart attacks a-a naive " * 2000)
    marks = np.arange(len(tokens), dtype=np.float32)[:, None]
    rows = encoder_of(reader, session).encode(tokens, marks)
    assert rows[:, 0].tolist() == tokens.ids.tolist()
    assert rows[:, 1].tolist() == marks[:, 0].tolist()
    assert len({length for _, length in session.shapes}) == 1
    assert max(number * length for number, length in session.shapes) <= 2048


def test_a_text_without_tokens_asks_the_network_nothing(reader: TokenReader) -> None:
    session = _Recorder()
    marks = np.zeros((0, 1), dtype=np.float32)
    rows = encoder_of(reader, session).encode(reader.read(" "), marks)
    assert rows.shape == (0, 2)
    assert session.shapes == []


def test_a_tokenizer_without_special_tokens_is_refused() -> None:
    tokenizer = Tokenizer(models.WordPiece({"[UNK]": 0}, unk_token="[UNK]"))
    with pytest.raises(ArtifactError, match="neither"):
        TokenReader.of(tokenizer)

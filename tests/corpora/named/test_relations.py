from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.named.files import write
from holdfast.corpora.named.chemprot import read_chemprot, read_chemprot_sentences
from holdfast.corpora.named.gad import read_gad
from holdfast.corpora.named.relations import NO_RELATION, RelationExample, hold_out
from holdfast.document import Span
from holdfast.errors import FormatError, InvalidValueError, UsageError

CHEMPROT = (
    "sentence\tlabel\r\n"
    "The BC6ENTG is blocked by BC6ENTC , not BC6OTHER .\tCPR:4\r\n"
    "A CHEM reader , BC6ENTG , is named.\tFalse\r\n"
)


def example(text: str, *, document_id: str = "") -> RelationExample:
    return RelationExample(text, text, NO_RELATION, (), (), document_id)


def words(example: RelationExample, spans: tuple[Span, ...]) -> list[str]:
    return [example.text[start:end] for start, end in spans]


def test_chemprot_rows_are_pairs_of_a_gene_and_a_chemical(tmp_path: Path) -> None:
    first, second = read_chemprot(write(tmp_path / "train.tsv", CHEMPROT))
    assert (first.id, first.label, first.is_positive) == ("2", "CPR:4", True)
    assert words(first, first.head) == ["BC6ENTG"]
    assert words(first, first.tail) == ["BC6ENTC"]
    assert (second.label, second.is_positive, second.tail) == (NO_RELATION, False, ())


def test_chemprot_sentences_join_the_rows_of_one_sentence(tmp_path: Path) -> None:
    rows = (
        "The BC6ENTG is blocked by BC6ENTC , not BC6OTHER , in BC6OTHER .\tCPR:4\r\n"
        "The BC6ENTG is blocked by BC6OTHER , not BC6ENTC , in BC6OTHER .\tFalse\r\n"
    )
    first, second = read_chemprot_sentences(write(tmp_path / "dev.tsv", CHEMPROT + rows))
    assert first.id == "dev-1"
    assert first.text == "The entity is blocked by entity , not entity ."
    assert {first.text_of(mention) for mention in first.mentions} == {"entity"}
    assert [(m.type, m.ids) for m in first.mentions] == [
        ("Gene", ("gene:0",)),
        ("Chemical", ("chemical:1",)),
        ("", ()),
    ]
    assert [m.ids for m in second.mentions] == [
        ("gene:0",),
        ("chemical:1",),
        ("chemical:2",),
        (),
    ]
    (relation,) = second.relations
    assert relation.type == "CPR:4"
    assert [argument.entity_id for argument in relation.arguments] == ["chemical:1", "gene:0"]


@pytest.mark.parametrize(("split", "related"), [("train", 4_131), ("dev", 2_412), ("test", 3_439)])
def test_the_real_chemprot_sentences_keep_every_relation_that_has_markers(
    data_dir: Path, split: str, related: int
) -> None:
    path = data_dir / "corpora" / "re" / "chemprot" / f"{split}.tsv"
    assert sum(len(d.relations) for d in read_chemprot_sentences(path)) == related


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("BC6ENTG BC6ENTC\tCPR:1", "label 'CPR:1' is not one of CPR:3, CPR:4"),
        ("BC6ENTG BC6ENTC", "1 columns instead of 2"),
        ("BC6ENTG\tBC6ENTC\tFalse", "3 columns instead of 2"),
    ],
)
def test_a_broken_chemprot_row_is_refused_with_its_line(
    tmp_path: Path, row: str, message: str
) -> None:
    with pytest.raises(FormatError, match=f"line 4: {message}"):
        list(read_chemprot(write(tmp_path / "train.tsv", CHEMPROT + row + "\r\n")))


def test_chemprot_without_its_header_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="line 1: the header"):
        list(read_chemprot(write(tmp_path / "train.tsv", "BC6ENTG BC6ENTC\tFalse\n")))


def test_gad_is_read_with_and_without_header_and_index(tmp_path: Path) -> None:
    row = "@GENE$ may cause @DISEASE$."
    train = write(tmp_path / "train.tsv", f"{row}\t1\n{row}\t0\n")
    test = write(tmp_path / "test.tsv", f"index\tsentence\tlabel\n0\t{row}\t1\n1\t{row}\t0\n")
    for path in (train, test):
        positive, negative = read_gad(path)
        assert positive.text == negative.text == row
        assert (positive.label, negative.label) == ("associated", NO_RELATION)
        assert words(positive, positive.head) == ["@GENE$"]
        assert words(positive, positive.tail) == ["@DISEASE$"]


@pytest.mark.parametrize("row", ["a sentence", "a sentence\t2", "0\ta sentence\t1"])
def test_a_broken_gad_row_is_refused_with_its_line(tmp_path: Path, row: str) -> None:
    path = write(tmp_path / "train.tsv", f"@GENE$ @DISEASE$\t1\n{row}\n")
    with pytest.raises(FormatError, match="line 2: 2 columns that end in 0 or 1"):
        list(read_gad(path))


def test_an_example_refuses_a_span_outside_its_text() -> None:
    with pytest.raises(InvalidValueError, match="span 0-9"):
        RelationExample("1", "short", NO_RELATION, (Span(0, 9),), ())


@given(st.lists(st.tuples(st.text(max_size=5), st.sampled_from(["", "d1", "d2"]))))
def test_holding_out_divides_the_examples_and_keeps_documents_together(
    made: list[tuple[str, str]],
) -> None:
    examples = [example(text, document_id=document_id) for text, document_id in made]
    held_out = hold_out(examples, fraction=0.5)
    assert Counter(held_out.train) + Counter(held_out.dev) == Counter(examples)
    for attribute in ("document_id", "text"):
        known = [
            {getattr(e, attribute) for e in side if attribute == "document_id" or not e.document_id}
            for side in (held_out.train, held_out.dev)
        ]
        assert (
            known[0] & known[1] <= {""} if attribute == "document_id" else not known[0] & known[1]
        )


def test_about_the_asked_fraction_is_held_out_and_always_the_same() -> None:
    examples = [example(f"sentence {number}") for number in range(1000)]
    held_out = hold_out(examples, fraction=0.1)
    assert 70 <= len(held_out.dev) <= 130
    assert hold_out(reversed(examples), fraction=0.1).dev == held_out.dev[::-1]


@pytest.mark.parametrize("fraction", [0.0, 1.0, -1.0])
def test_a_fraction_that_leaves_a_side_empty_is_refused(fraction: float) -> None:
    with pytest.raises(UsageError, match="fraction"):
        hold_out([], fraction=fraction)


@pytest.mark.parametrize(
    ("split", "lines", "positive", "without_marker"),
    [("train", 16_522, 4_132, 24), ("dev", 10_362, 2_412, 6), ("test", 14_397, 3_441, 15)],
)
def test_the_real_chemprot_has_its_published_size(
    data_dir: Path, split: str, lines: int, positive: int, without_marker: int
) -> None:
    examples = list(read_chemprot(data_dir / "corpora" / "re" / "chemprot" / f"{split}.tsv"))
    assert len(examples) == lines - 1  # the header
    assert sum(e.is_positive for e in examples) == positive
    assert sum(not (e.head and e.tail) for e in examples) == without_marker


@pytest.mark.parametrize(
    ("split", "size", "positive"), [("train", 4_796, 2_520), ("test", 534, 281)]
)
def test_the_real_gad_has_its_published_size(
    data_dir: Path, split: str, size: int, positive: int
) -> None:
    examples = list(read_gad(data_dir / "corpora" / "re" / "gad" / f"{split}.tsv"))
    assert len(examples) == size
    assert sum(e.is_positive for e in examples) == positive
    assert all(e.head and e.tail for e in examples)

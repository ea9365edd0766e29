"""What every reader accepts as the words of a mention, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.corpora import ReadReport, read_documents
from holdfast.corpora.reading import Reading
from holdfast.document import Document, Mention, Span
from holdfast.errors import FormatError

TEXT = "No ovarian or\tbreast\ncancer at all"
OVARIAN, CANCER = (3, 10), (21, 27)


def spans(
    offsets: list[tuple[int, int]], stated: str | None, text: str = TEXT
) -> tuple[Span, ...] | None:
    return Reading("x", lenient=False, report=None).spans(text, offsets, stated, document_id="7")


@pytest.mark.parametrize("offsets", [[OVARIAN, CANCER], [CANCER, OVARIAN]])
@pytest.mark.parametrize(
    "stated",
    [
        "ovarian cancer",
        "ovariancancer",
        "ovarian or\tbreast\ncancer",
        "ovarian or breast cancer",
        "ovarian\tcancer",
        None,
    ],
)
def test_the_pieces_of_a_mention_come_in_any_order_and_their_words_in_any_writing(
    offsets: list[tuple[int, int]], stated: str | None
) -> None:
    assert spans(offsets, stated) == (OVARIAN, CANCER)


@pytest.mark.parametrize(
    ("offsets", "stated", "said"),
    [
        (
            [OVARIAN, CANCER],
            "cancer ovarian",
            "at 3-10;21-27 says 'cancer ovarian', the text there",
        ),
        ([OVARIAN, CANCER], "ovarian", "the text there is 'ovarian cancer'"),
        ([OVARIAN], "Ovarian", "the text there is 'ovarian'"),
        ([OVARIAN], "", "says '', the text there is 'ovarian'"),
        ([(3, 10), (9, 12)], None, "9-12 is empty, negative or overlaps"),
        ([(3, 10), (3, 10)], None, "3-10 is empty, negative or overlaps"),
        ([(5, 5)], "", "5-5 is empty"),
        ([(5, 4)], None, "5-4 is empty"),
        ([(-1, 4)], None, "-1-4 is empty, negative"),
        ([], None, "it has no offsets"),
        ([(30, 35)], "l", "the text is only 34 characters long"),
    ],
)
def test_what_does_not_fit_says_why(
    offsets: list[tuple[int, int]], stated: str | None, said: str
) -> None:
    with pytest.raises(FormatError) as caught:
        spans(offsets, stated)
    assert said in str(caught.value)
    assert "document 7" in str(caught.value)


def test_pieces_that_touch_and_the_end_of_the_text_are_sound() -> None:
    assert spans([(3, 5), (5, 10)], "ovarian") == ((3, 5), (5, 10))
    assert spans([(31, 34)], "all") == ((31, 34),)
    assert spans([(0, 34)], TEXT.replace("\t", " ")) == ((0, 34),)


@pytest.mark.parametrize(
    ("offsets", "merged", "mended"),
    [
        ([(3, 8), (5, 10)], ((3, 10),), 1),
        ([(5, 8), (3, 10)], ((3, 10),), 1),
        ([(3, 5), (5, 10)], ((3, 5), (5, 10)), 0),
        ([OVARIAN, CANCER], (OVARIAN, CANCER), 0),
    ],
)
def test_lenient_reading_merges_spans_that_overlap_and_says_so(
    offsets: list[tuple[int, int]], merged: tuple[tuple[int, int], ...], mended: int
) -> None:
    report = ReadReport()
    reading = Reading("x", lenient=True, report=report)
    assert reading.spans(TEXT, offsets, None, document_id="7") == merged
    assert report.mended.total() == mended


def test_an_error_says_that_lenient_reading_would_skip_it() -> None:
    with pytest.raises(FormatError, match=r"--lenient skips this mention$"):
        spans([OVARIAN], "x")


EDGES = st.lists(st.integers(0, len(TEXT)), min_size=2, max_size=6, unique=True)


@given(EDGES, st.randoms())
def test_the_order_in_which_pieces_are_listed_never_matters(edges: list[int], random) -> None:  # type: ignore[no-untyped-def]
    edges = sorted(edges)[: len(edges) // 2 * 2]
    pieces = [*zip(edges[::2], edges[1::2], strict=True)]
    shuffled = [*pieces]
    random.shuffle(shuffled)
    stated = " ".join(TEXT[start:end] for start, end in pieces)
    assert spans(shuffled, stated) == tuple(pieces)


def write_brat(folder: Path, line: str) -> Path:
    (folder / "7.txt").write_text(TEXT, encoding="utf-8")
    (folder / "7.ann").write_text(line, encoding="utf-8")
    return folder / "7.ann"


def write_bioc(folder: Path, offsets: list[tuple[int, int]], stated: str) -> Path:
    places = [{"offset": start, "length": end - start} for start, end in offsets]
    annotation = {"id": "T1", "infons": {"type": "Disease"}, "text": stated, "locations": places}
    passage = {"offset": 0, "infons": {}, "text": TEXT, "annotations": [annotation]}
    path = folder / "7.bioc.json"
    path.write_text(json.dumps({"id": "7", "passages": [passage]}), encoding="utf-8")
    return path


@pytest.mark.parametrize("stated", ["ovarian cancer", "ovarian or breast cancer"])
def test_formats_that_list_the_last_piece_first_are_read(tmp_path: Path, stated: str) -> None:
    wanted = Document(
        "7", TEXT, mentions=(Mention((Span(3, 10), Span(21, 27)), "Disease", id="T1"),)
    )
    brat = write_brat(tmp_path, f"T1\tDisease 21 27;3 10\t{stated}\n")
    assert list(read_documents(brat)) == [wanted]
    bioc = write_bioc(tmp_path, [CANCER, OVARIAN], stated)
    assert list(read_documents(bioc)) == [wanted]


def test_repeated_mention_ids_and_relations_without_their_mention_are_refused(
    tmp_path: Path,
) -> None:
    rows = [
        "T1\tDisease 3 10\tovarian",
        "T1\tDisease 21 27\tcancer",
        "T2\tDisease 14 20\tbreast",
        "R1\tIs Arg1:T1 Arg2:T2\t",
        "R2\tIs Arg1:T1 Arg2:T9\t",
    ]
    path = write_brat(tmp_path, "\n".join(rows))
    with pytest.raises(FormatError, match="document 7: mention id 'T1' repeats"):
        list(read_documents(path))
    report = ReadReport()
    (document,) = read_documents(path, lenient=True, report=report)
    assert [(m.id, m.start) for m in document.mentions] == [("T1", 3), ("T2", 14)]
    assert [r.id for r in document.relations] == ["R1"]
    assert report.skipped == {"mention": 1, "relation": 1}
    assert "relation 'Is' refers to mention 'T9', which is not there" in report.reasons[1]


def test_reasons_are_kept_for_the_first_few_and_everything_is_counted(tmp_path: Path) -> None:
    path = write_brat(tmp_path, "".join(f"T{n}\tDisease 0 1\tx\n" for n in range(1, 10)))
    report = ReadReport()
    list(read_documents(path, lenient=True, report=report))
    assert report.skipped == {"mention": 9}
    assert len(report.reasons) == 5
    assert report.summary()[0] == "skipped in the input: mention (9)"
    assert all("--lenient" not in reason for reason in report.reasons)

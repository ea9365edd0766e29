"""How notebooks show documents and concepts."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import holdfast
from holdfast import Candidate, Document, Evidence, Mention, Span
from holdfast.kb import Entity
from holdfast.notebook.marked_text import MarkedPiece, nested
from small_kb import make_kb


class Page(HTMLParser):
    """The text of every `mark`, of the document without its table, and all tags."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags, self.text, self.marks = list[str](), "", list[str]()
        self._open, self._in_table = list[int](), False
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.tags += [name for name, _ in attrs if name.startswith("on")]
        self._in_table |= tag == "table"
        if tag == "mark":
            self._open.append(len(self.marks))
            self.marks.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == "mark":
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if not self._in_table:
            self.text += data
            for number in self._open:
                self.marks[number] += data


def test_a_linked_document_shows_its_text_its_marks_and_its_links(tmp_path: Path) -> None:
    text = "Heart attack after lithium carbonate."
    html = holdfast.load(make_kb(tmp_path / "kb"))(text)._repr_html_()
    page = Page(html)
    assert page.text == text
    assert page.marks == ["Heart attack", "lithium carbonate"]
    for shown in ("MESH:D002", "Myocardial Infarction", "Disease", "MESH:C001"):
        assert shown in html


def test_what_a_text_says_is_never_taken_for_html() -> None:
    text = '<script>alert("x")</script> & <b onclick=x>flu</b>'
    start = text.index("flu")
    evil = Candidate('X:1"><img src=x onerror=y>', "n", 0.5, evidence=(Evidence("e", "<i>"),))
    mention = Mention(
        (Span(start, start + 3),), type="<u>", ids=(evil.entity_id,), candidates=(evil,)
    )
    page = Page(Document("<id>", text, mentions=(mention,))._repr_html_())
    assert set(page.tags) <= {"div", "b", "mark", "table", "thead", "tbody", "tr", "th", "td"}
    assert page.text == "<id>" + text


def test_nothing_is_loaded_from_elsewhere(tmp_path: Path) -> None:
    kb = make_kb(tmp_path / "kb")
    for html in (kb.entity("MESH:D002")._repr_html_(), holdfast.load(kb)("TNF")._repr_html_()):
        assert not re.search(r"https?:|src=|url\(|<script|<style|<link", html)


def test_nested_and_interrupted_mentions_are_all_marked() -> None:
    text = "breast and ovarian cancer"
    mentions = (
        Mention((Span(0, 6), Span(19, 25)), type="Disease", ids=("X:1",)),
        Mention((Span(11, 25),), type="Disease", ids=("X:2",)),
        Mention((Span(11, 18),), type="Anatomy"),
    )
    page = Page(Document("", text, mentions=mentions)._repr_html_())
    assert page.marks == ["breast1", "ovarian cancer1", "ovarian", "cancer1"]


def test_a_concept_is_a_card_of_all_that_is_known(tmp_path: Path) -> None:
    entity = make_kb(tmp_path / "kb").entity("MESH:D002")
    html = entity._repr_html_()
    for shown in ("MESH:D002", "Heart Attack", "Death of heart muscle", "MONDO:0002", "is_a"):
        assert shown in html


def test_a_concept_with_very_many_names_says_how_many_more_there_are() -> None:
    names = tuple(f"name {i}" for i in range(50))
    entity = Entity("X:1", "one", names, (), "", (), (), "own", ("own",) * 51)
    assert "and 30 more" in entity._repr_html_()


@st.composite
def marks(draw: st.DrawFn) -> list[tuple[Span, int]]:
    edges = draw(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 8)), max_size=8))
    return [(Span(start, start + size), number) for number, (start, size) in enumerate(edges)]


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(marks())
def test_the_tree_of_marks_covers_what_the_marks_cover(given: list[tuple[Span, int]]) -> None:
    covered = dict[int, set[int]]()

    def walk(pieces: tuple[MarkedPiece[int], ...], around: Span) -> None:
        end = around.start
        for piece in pieces:
            assert end <= piece.span.start < piece.span.end <= around.end
            end = piece.span.end
            covered.setdefault(piece.mark, set()).update(range(*piece.span))
            walk(piece.inside, piece.span)

    walk(nested(given), Span(0, 100))
    assert covered == {number: set(range(*span)) for span, number in given}

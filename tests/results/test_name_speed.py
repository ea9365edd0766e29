from __future__ import annotations

from markdown_tables import numbers, rows
from pages.name_speed import render_names
from results.measured import names_speed


def sections() -> dict[str, list[str]]:
    parts = render_names(names_speed()).split("\n## ")
    return {part.splitlines()[0]: part.splitlines() for part in parts}


def test_the_page_starts_with_the_ratios() -> None:
    first = next(iter(sections().values()))
    assert [numbers(row[1]) for row in rows(first)[1:]] == [[16], [3], [1.5], [2]]


def test_what_was_repeated_less_says_so() -> None:
    _, ours, bert = rows(sections()["Encoding names"])
    assert (ours[0], numbers(ours[1])) == ("ours", [320])
    assert (bert[0], numbers(bert[1])) == ("bert", [20, 2])


def test_linkers_stand_side_by_side_with_their_accuracy() -> None:
    header, *found = rows(sections()["Linking, beside scispaCy"])
    assert [numbers(row[1]) for row in found] == [[600], [300], [400], [200]]
    assert [numbers(row[2]) for row in found] == [[50, 40, 60]] * 4
    assert {row[3] for row in found} == {""}, "not measured on the second corpus"
    assert {len(row) for row in found} == {len(header)}
    assert numbers(found[-1][4]) == [390]


def test_our_own_figures_have_a_row_per_knowledge_base() -> None:
    header, row = rows(sections()["Our own figures"])
    assert row[0] == "mesh"
    assert [numbers(cell) for cell in row[1:]] == [[1000], [400], [1, 2], [3], [400], [50, 20], [1]]
    assert len(header) == len(row)

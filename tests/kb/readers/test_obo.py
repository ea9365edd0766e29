"""OBO: clauses, escapes, filters, and files that were cut off."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.errors import FormatError
from holdfast.kb.readers import obo_syntax, read_obo
from holdfast.kb.records import Addition, Entry, Link

HEADER = "format-version: 1.4\nontology: tst\n\n"
FULL = (
    HEADER
    + r"""[Term]
id: TST:0000001 ! the root
name: first \{braced\} thing {source="x ! y"} ! a comment
alt_id: TST:0000009
def: "Says \"hello\",\n\tand more \[sic\]. ! kept" [PMID:1, url:http\://example.org/a\]b] {a="b"} ! c
comment: not read ! at all
subset: slim
synonym: "une \"première\"" EXACT [PMID:1 "why, \"so\"", TST:x]
synonym: "primary" RELATED ABBREVIATION []
synonym: "thing" BROAD []
synonym: "tiny first" NARROW []
synonym: "old one" EXACT DEPRECATED []
synonym: "no scope" []
synonym: "first \{braced\} thing" EXACT []
xref: UMLS_CUI:C0000001 {source="MONDO:equivalentTo"} ! shown
xref: MSH:D000001 "a description"
xref: https://example.org/page
xref: PHENOSCAPE: wd
property_value: http://purl.org/dc/terms/creator "x" xsd:string

[Term]
id: TST:0000002
name: Oops!a second {2,3-dihydro} one
namespace: tst
is_a: TST:0000001 {gci_relation="part_of", gci_filler="TST:0000003"} ! first
is_a: TST:0000001 ! again
relationship: part_of TST:0000003 {comment="It is ! unclear"} ! third
intersection_of: TST:0000001 ! genus
is_obsolete: false

[Term]
id: TST:0000003
name: obsolete third
is_obsolete: true
replaced_by: TST:0000001
replaced_by: TST:0000002

[Term]
id: OTH:0000001
name: imported

[Term]
id: TST:0000004

[Typedef]
id: part_of
name: part of

[Instance]
id: TST:0000005
name: an instance

"""  # noqa: E501
)


def _write(folder: Path, text: str) -> Path:
    path = folder / "tst.obo"
    path.write_bytes(text.encode())
    return path


def test_terms_are_read_with_escapes_modifiers_and_comments(tmp_path: Path) -> None:
    first, second, *_ = read_obo(_write(tmp_path, FULL))
    assert first == Entry(
        id="TST:0000001",
        name="first {braced} thing",
        synonyms=('une "première"', "primary", "no scope"),
        definition='Says "hello",\n\tand more [sic]. ! kept',
        xrefs=("TST:0000009", "UMLS:C0000001", "MESH:D000001"),
    )
    assert second == Entry(
        id="TST:0000002",
        name="Oops!a second {2,3-dihydro} one",
        links=(Link("is_a", "TST:0000001"), Link("part_of", "TST:0000003")),
    )


def test_only_named_and_current_terms_are_entered(tmp_path: Path) -> None:
    records = read_obo(_write(tmp_path, FULL))
    ids = [record.id for record in records if isinstance(record, Entry)]
    assert ids == ["TST:0000001", "TST:0000002", "OTH:0000001"]


def test_an_obsolete_id_is_an_xref_of_what_replaces_it(tmp_path: Path) -> None:
    additions = [r for r in read_obo(_write(tmp_path, FULL)) if isinstance(r, Addition)]
    assert additions == [
        Addition("TST:0000001", xrefs=("TST:0000003",)),
        Addition("TST:0000002", xrefs=("TST:0000003",)),
    ]


def test_prefixes_leave_imported_terms_out(tmp_path: Path) -> None:
    path = _write(tmp_path, FULL)
    for prefixes, expected in (
        (("TST",), ["TST:0000001", "TST:0000002"]),
        (("OTH", "X"), ["OTH:0000001"]),
        (("TST", "OTH"), ["TST:0000001", "TST:0000002", "OTH:0000001"]),
        ((), []),
    ):
        records = read_obo(path, prefixes=prefixes)
        assert [record.id for record in records if isinstance(record, Entry)] == expected


def test_scopes_and_synonym_types_choose_the_names(tmp_path: Path) -> None:
    path = _write(tmp_path, FULL)
    narrow = next(read_obo(path, scopes=("narrow", "BROAD")))
    assert narrow.synonyms == ("thing", "tiny first")
    exact = next(read_obo(path, scopes=("EXACT",), skipped_synonym_types=()))
    assert exact.synonyms == ('une "première"', "old one")


@pytest.mark.parametrize("kind", ["DEPRECATED", "deprecated", "Dubious", "obsolete_synonym"])
def test_synonyms_of_a_skipped_type_are_left_out_in_any_case(tmp_path: Path, kind: str) -> None:
    text = (
        f'{HEADER}[Term]\nid: TST:1\nname: one\nsynonym: "gone" EXACT {kind} []\n'
        'synonym: "kept" EXACT layperson []\n\n'
    )
    path = _write(tmp_path, text)
    assert next(read_obo(path)).synonyms == ("kept",)
    assert next(read_obo(path, skipped_synonym_types=("LayPerson",))).synonyms == ("gone",)
    assert next(read_obo(path, skipped_synonym_types=())).synonyms == ("gone", "kept")


def test_relations_keep_their_predicate_and_come_once_after_the_parents(tmp_path: Path) -> None:
    text = (
        f"{HEADER}[Term]\nid: TST:1\nname: one\nrelationship: part_of TST:2\n"
        "relationship: part_of TST:2\nrelationship: regulates TST:2\nis_a: TST:2\n"
        "is_a: TST:1\n\n[Term]\nid: TST:2\nname: two\n\n"
    )
    assert next(read_obo(_write(tmp_path, text))).links == (
        Link("is_a", "TST:2"),
        Link("part_of", "TST:2"),
        Link("regulates", "TST:2"),
    )


def test_the_type_is_given_or_known_from_the_prefix(tmp_path: Path) -> None:
    text = HEADER + "".join(
        f"[Term]\nid: {id_}\nname: n\nnamespace: {namespace}\n\n"
        for id_, namespace in (
            ("MONDO:1", "x"),
            ("GO:1", "biological_process"),
            ("GO:2", "cellular_component"),
            ("TST:1", "x"),
        )
    )
    path = _write(tmp_path, text)
    assert [r.types for r in read_obo(path)] == [("Disease",), ("Process",), ("Other",), ()]
    assert {r.types for r in read_obo(path, type="Anatomy")} == {("Anatomy",)}


def test_spaces_around_tags_values_and_lines_do_not_matter(tmp_path: Path) -> None:
    text = HEADER + "  [ Term ]  \n id : TST:1 \n! a remark\nname  :  two   words  \n\n"
    assert list(read_obo(_write(tmp_path, text))) == [Entry("TST:1", "two words")]


def test_windows_line_ends_read_the_same(tmp_path: Path) -> None:
    plain = list(read_obo(_write(tmp_path, FULL)))
    assert list(read_obo(_write(tmp_path, FULL.replace("\n", "\r\n")))) == plain


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEADER, r"no \[Term\] in the file"),
        (HEADER + "[Term]\nid: T:1\nname: whole", "line 6: the last line does not end"),
        (HEADER + '[Term]\nid: T:1\nname: n\ndef: "open\n\n', "line 7: the quoted text is never"),
        (HEADER + '[Term]\nid: T:1\nname: n\ndef: "a" [b\n\n', "line 7: the list of references"),
        (HEADER + "[Term]\nid: T:1\nname: n\ndef: bare\n\n", "line 7: the quoted text is missing"),
        (HEADER + "[Term]\nid: T:1\n", r"line 5: the last term has no name \(T:1\)"),
        (HEADER + "[Term]\n", r"line 4: the last term has no name"),
        (HEADER + "[Term]\nname: n\n\n[Term]\nid: T:1\nname: m\n", r"line 4: a \[Term\] without"),
        (HEADER + "[Term]\nid: T:1\nname\n\n", "line 6: 'name' is no 'tag: value' line"),
        (HEADER + "[Term\nid: T:1\nname: n\n", r"line 4: '\[Term' is no stanza header"),
        (HEADER + "[Term]\nid: T:1\nname: a\\\n\n", "line 6: a backslash with nothing after it"),
        (HEADER + "[Term]\nid: nose\nname: nose\n\n", "line 5: the id 'nose' has no prefix"),
        (HEADER + "[Term]\nid: T:1\nname: n\nis_a: T:2\n", "line 7: .* T:2 is never defined"),
        (HEADER + "[Term]\nid: T:1\nname: n\nrelationship: part_of\n\n", "line 7: a relationship"),
    ],
)
def test_broken_files_are_errors_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        list(read_obo(_write(tmp_path, text)))


def test_a_subset_may_lack_parents_if_it_ends_well(tmp_path: Path) -> None:
    text = HEADER + "[Term]\nid: T:1\nname: n\nis_a: T:2\nis_a: U:1\n\n"
    assert len(list(read_obo(_write(tmp_path, text)))) == 1
    foreign = HEADER + "[Term]\nid: T:1\nname: n\nis_a: U:1\n"
    assert len(list(read_obo(_write(tmp_path, foreign)))) == 1


# The parent of all comes last and is named before any term is whole, so that every cut inside a
# stanza leaves a parent undefined.
CHAIN = HEADER + "\n".join(
    f'[Term]\nid: T:{i}\nis_a: T:4 ! root\nname: name {i}\ndef: "Says é." [T:x]\n' for i in range(4)
)
WHOLE = CHAIN + "\n[Term]\nid: T:4\nname: root\n"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(length=st.integers(0, len(WHOLE.encode()) - 1))
def test_any_cut_but_one_between_stanzas_is_noticed(tmp_path: Path, length: int) -> None:
    content = WHOLE.encode()[:length]
    path = tmp_path / "cut.obo"
    path.write_bytes(content)
    if content.endswith(b"\n\n") and b"[Term]" in content:
        assert list(read_obo(path))
    else:
        with pytest.raises(FormatError):
            list(read_obo(path))


def test_the_uncut_file_reads(tmp_path: Path) -> None:
    assert len(list(read_obo(_write(tmp_path, WHOLE)))) == 5


@given(st.text(st.characters(codec="utf-8"), max_size=30))
def test_escaped_text_comes_back(text: str) -> None:
    escaped = "".join({"\n": r"\n", "\t": r"\t", '"': r"\"", "\\": r"\\"}.get(c, c) for c in text)
    assert obo_syntax.synonym(f'"{escaped}" EXACT []').text == text

"""What is entered by records comes back from the knowledge base."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast import artifacts
from holdfast.errors import KnowledgeBaseError, UnknownEntityError, UsageError
from holdfast.kb import (
    Addition,
    Entry,
    KnowledgeBase,
    Link,
    Record,
    Source,
    build_kb,
    kb_folder,
    open_kb,
)
from holdfast.kb.build import KIND, VERSION
from holdfast.kb.hierarchy import ancestors
from holdfast.kb.mapping import map_id
from small_kb import make_kb, of_entries

# Lone surrogates cannot be stored as UTF-8; readers never produce them.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
NAMES = TEXT.filter(lambda name: bool(name.strip()))
IDS = st.one_of(st.sampled_from(["MESH:D1", "X:1", "Ω:é", "X:2"]), TEXT)
LINKS = st.builds(Link, st.sampled_from(["is_a", "part_of"]), IDS)


@st.composite
def entries(draw: st.DrawFn) -> Entry:
    return Entry(
        draw(IDS),
        draw(NAMES),
        synonyms=tuple(draw(st.lists(TEXT, max_size=3))),
        types=tuple(draw(st.lists(st.sampled_from(["Disease", "T047", "odd"]), max_size=2))),
        definition=draw(st.sampled_from(["", "a definition", "δ"])),
        xrefs=tuple(draw(st.lists(IDS, max_size=3))),
        links=tuple(draw(st.lists(LINKS, max_size=3))),
    )


additions = st.builds(
    Addition,
    IDS,
    synonyms=st.lists(TEXT, max_size=2).map(tuple),
    xrefs=st.lists(IDS, max_size=2).map(tuple),
    definition=st.sampled_from(["", "more"]),
)
records = st.lists(st.one_of(entries(), additions), min_size=1, max_size=8).filter(
    lambda items: any(isinstance(item, Entry) for item in items)
)


def expected(items: list[Record]) -> tuple[dict[str, dict[str, tuple[object, ...]]], int]:
    """What a knowledge base of these records must say, and how many additions find no entity."""
    known: dict[str, dict[str, tuple[object, ...]]] = {}
    dropped = 0
    for item in items:
        if isinstance(item, Entry):
            known.setdefault(
                item.id, dict.fromkeys(("names", "types", "xrefs", "links", "def"), ())
            )
        elif item.id not in known:
            dropped += 1
            continue
        names = (item.name,) if isinstance(item, Entry) else ()
        about = known[item.id]
        about["names"] += tuple(n.strip() for n in (*names, *item.synonyms) if n.strip())
        about["types"] += item.types
        about["xrefs"] += tuple(xref for xref in item.xrefs if xref != item.id)
        about["links"] += item.links
        about["def"] += (item.definition,) if item.definition else ()
    return known, dropped


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(records)
def test_what_is_entered_comes_back(items: list[Record]) -> None:
    known, dropped = expected(items)
    with tempfile.TemporaryDirectory() as folder:
        summary = build_kb(Path(folder) / "kb", name="k", parts=[(Source("s"), items)])
        kb = KnowledgeBase(Path(folder) / "kb")
        assert (summary.entities, summary.dropped) == (len(known), dropped)
        assert summary.names == kb.names == len(list(kb.all_names()))
        assert len(kb) == len(known)
        for row, (id, about) in enumerate(known.items()):
            entity = kb.entity_at(row)
            assert kb.row_of(id) == row
            assert id in kb
            assert entity.id == id == kb.id_at(row)
            assert (entity.name, *entity.synonyms) == tuple(dict.fromkeys(about["names"]))
            assert entity.name == kb.label_at(row)
            assert entity.types == tuple(dict.fromkeys(about["types"]))
            assert entity.xrefs == tuple(dict.fromkeys(about["xrefs"]))
            assert entity.links == tuple(dict.fromkeys(about["links"]))
            assert entity.definition == next(iter(about["def"]), "")
            for other in entity.xrefs:
                assert other in kb.equivalents(id)
                assert id in kb.equivalents(other)
                assert row in kb.rows_with_xref(other)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(entries(), min_size=1, max_size=6, unique_by=lambda entry: entry.id), st.data())
def test_the_order_of_records_does_not_matter_to_look_ups(
    items: list[Entry], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(items))
    with tempfile.TemporaryDirectory() as folder:
        one = of_entries(Path(folder) / "one", *items)
        two = of_entries(Path(folder) / "two", *shuffled)
        for entry in items:
            assert one.entity(entry.id) == two.entity(entry.id)
            assert one.equivalents(entry.id) == two.equivalents(entry.id)
            assert ancestors(one, entry.id) == ancestors(two, entry.id)


def test_an_id_entered_twice_is_one_entity_with_its_first_name_and_source(tmp_path: Path) -> None:
    kb = make_kb(
        tmp_path / "kb",
        (Source("first"), [Entry("X:1", "alpha", types=("Disease",))]),
        (Source("second"), [Entry("X:1", "beta", types=("Gene",)), Addition("X:9", ("lost",))]),
    )
    entity = kb.entity("X:1")
    assert (entity.name, entity.synonyms, entity.source) == ("alpha", ("beta",), "first")
    assert entity.types == ("Disease", "Gene")


def test_an_entity_is_found_by_the_ids_that_others_give_it(tmp_path: Path) -> None:
    kb = make_kb(tmp_path / "kb")
    assert kb.entity("MESH:D002").name == "Myocardial Infarction"
    assert map_id(kb, "MESH:D002", "MONDO") == "MONDO:0002"
    assert map_id(kb, "MONDO:0002", "MESH") == "MESH:D002"
    assert map_id(kb, "MESH:D002", "DOID") is None
    assert map_id(kb, "NO:1", "MONDO") is None
    assert kb.equivalents("NO:1") == {"NO:1"}


def test_of_several_mapped_ids_the_first_in_the_alphabet_is_given(tmp_path: Path) -> None:
    kb = of_entries(tmp_path / "kb", Entry("X:1", "a", xrefs=("Y:2", "Y:10", "Z:1")))
    assert map_id(kb, "X:1", "Y") == "Y:10"
    assert kb.entity("Z:1").id == "X:1"


def test_ancestors_survive_cycles_and_parents_that_are_not_there(tmp_path: Path) -> None:
    kb = of_entries(
        tmp_path / "kb",
        Entry("X:1", "a", links=(Link("is_a", "X:2"), Link("part_of", "X:4"))),
        Entry("X:2", "b", links=(Link("is_a", "X:3"), Link("is_a", "GONE:1"))),
        Entry("X:3", "c", links=(Link("is_a", "X:2"),)),
        Entry("X:4", "d"),
    )
    assert ancestors(kb, "X:1") == {"X:2", "X:3", "GONE:1"}
    assert ancestors(kb, "X:2") == {"X:2", "X:3", "GONE:1"}
    assert ancestors(kb, "X:4") == frozenset()
    assert ancestors(kb, "GONE:1") == frozenset()


def test_a_knowledge_base_of_one_entity_without_a_letter_in_its_name_works(tmp_path: Path) -> None:
    kb = of_entries(tmp_path / "kb", Entry("X:1", "→ (+)"))
    assert len(kb) == kb.names == 1
    assert kb.entity("X:1").name == "→ (+)"
    assert kb.exact.search(["→ (+)", ""], 2).rows.tolist() == [[-1, -1], [-1, -1]]
    assert kb.ngrams.search(["→ (+)", "x"], 2).rows.tolist() == [[-1, -1], [-1, -1]]


def test_an_unknown_id_is_named_with_an_example(tmp_path: Path) -> None:
    kb = make_kb(tmp_path / "kb")
    with pytest.raises(UnknownEntityError, match=r"'MESH:D999' is not in .*'MESH:D001'"):
        kb.entity("MESH:D999")


def test_a_knowledge_base_opens_by_name_and_by_folder(tmp_path: Path) -> None:
    make_kb(artifacts.home() / "kb" / "mine")
    make_kb(tmp_path / "elsewhere")
    assert open_kb("mine").folder == artifacts.home() / "kb" / "mine"
    assert open_kb(str(tmp_path / "elsewhere")).name == open_kb(tmp_path / "elsewhere").name
    for missing in ("yours", "a b", "../mine", tmp_path / "none", Path("mine")):
        with pytest.raises(KnowledgeBaseError, match=rf"'{missing}'; there is: mine\. Try"):
            open_kb(missing)
    (tmp_path / "empty").mkdir()
    with pytest.raises(KnowledgeBaseError, match="empty: not a Holdfast folder"):
        open_kb(tmp_path / "empty")


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a b", "a/b", "-x"])
def test_a_name_that_could_leave_the_home_folder_is_wrong_use(name: str) -> None:
    with pytest.raises(UsageError, match="cannot name a knowledge base"):
        kb_folder(name)


def test_a_flipped_byte_in_any_file_is_refused_by_name(tmp_path: Path) -> None:
    good = make_kb(tmp_path / "good").folder
    names = sorted(path.name for path in good.iterdir() if path.name != artifacts.VERIFIED)
    assert len(names) > 10
    for name in names:
        bad = tmp_path / "bad"
        shutil.copytree(good, bad)
        content = bytearray((bad / name).read_bytes())
        content[len(content) // 2] ^= 0xFF
        (bad / name).write_bytes(content)
        with pytest.raises(KnowledgeBaseError, match=f"bad/{name}: damaged"):
            KnowledgeBase(bad)
        (bad / name).write_bytes(content[: len(content) // 2])
        with pytest.raises(KnowledgeBaseError, match=f"bad/{name}: damaged"):
            KnowledgeBase(bad)
        (bad / name).unlink()
        with pytest.raises(KnowledgeBaseError, match=name):
            KnowledgeBase(bad)
        shutil.rmtree(bad)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 99}, "newer Holdfast"),
        ({"version": 1}, r"older Holdfast \(layout 1, this one reads 2\)"),
        ({"kind": "name encoder"}, "holds a name encoder, not a knowledge base"),
        ({"config": {"key_rules": -1}}, "rules of another Holdfast"),
    ],
)
def test_a_folder_of_another_version_kind_or_rule_is_refused(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    path = make_kb(tmp_path / "kb").folder / artifacts.MANIFEST
    data = json.loads(path.read_text(encoding="utf-8"))
    del data["sha256"]
    path.write_text(json.dumps({**data, **change}), encoding="utf-8")
    with pytest.raises(KnowledgeBaseError, match=message):
        open_kb(tmp_path / "kb")


@pytest.mark.parametrize("key", ["name", "sources", "types", "predicates", "origins"])
def test_a_manifest_that_lacks_something_is_damaged(tmp_path: Path, key: str) -> None:
    kb = make_kb(tmp_path / "kb")
    config = {k: value for k, value in kb.manifest.config.items() if k != key}
    artifacts.write_manifest(kb.folder, kind=KIND, version=VERSION, config=config)
    with pytest.raises(KnowledgeBaseError, match=rf"manifest\.json: damaged \('{key}'\)"):
        KnowledgeBase(kb.folder)


def test_a_table_that_is_none_is_damaged_though_its_hash_is_right(tmp_path: Path) -> None:
    kb = make_kb(tmp_path / "kb")
    (kb.folder / "xrefs.arrow").write_bytes(b"nothing of Arrow's")
    artifacts.write_manifest(kb.folder, kind=KIND, version=VERSION, config=kb.manifest.config)
    with pytest.raises(KnowledgeBaseError, match=r"xrefs\.arrow: damaged \(.*\); build") as caught:
        KnowledgeBase(kb.folder)
    assert "\n" not in str(caught.value)


def test_a_read_only_folder_opens(tmp_path: Path) -> None:
    folder = make_kb(tmp_path / "kb").folder
    (folder / artifacts.VERIFIED).unlink()
    (folder / artifacts.VERIFIED).mkdir()  # root may write anywhere, but not to a folder
    for path in (*folder.iterdir(), folder):
        path.chmod(0o555)
    try:
        assert len(KnowledgeBase(folder)) > 1
    finally:
        folder.chmod(0o755)


def test_ids_looked_up_together_are_found_as_one_by_one(tmp_path: Path) -> None:
    kb = make_kb(tmp_path / "kb")
    ids = ["MONDO:0009", "no such id", *(kb.id_at(row) for row in range(len(kb))), ""]
    alone = [-1 if (row := kb.row_of(id)) is None else row for id in ids]
    assert kb.rows_of(ids).tolist() == alone
    assert kb.rows_of([]).tolist() == []


def test_equivalent_rows_are_those_that_refer_to_another_vocabulary(tmp_path: Path) -> None:
    kb = make_kb(tmp_path / "kb")
    pairs = {(kb.id_at(one), kb.id_at(other)) for one, other in kb.equivalent_rows().tolist()}
    assert pairs == {("MESH:D002", "MONDO:0002"), ("MONDO:0002", "MESH:D002")}

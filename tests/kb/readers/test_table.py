"""A user's own table: what it may look like, and what its errors say."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.errors import FormatError, UsageError
from holdfast.kb.readers import read_table
from holdfast.kb.records import Entry

ASPIRIN = Entry(
    id="drugs:17",
    name="aspirin",
    synonyms=("ASA", "acetylsalicylic acid"),
    types=("Chemical",),
    definition="A drug.",
    xrefs=("MESH:D001241", "CHEBI:15365"),
)


def _write(folder: Path, text: str | bytes, name: str = "drugs.tsv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "drugs.tsv",
            "id\tname\tsynonyms\ttype\tdefinition\txrefs\n"
            "17\taspirin\tASA|acetylsalicylic acid\tdrug\tA drug.\tMSH:D001241|CHEBI:15365\n",
        ),
        (
            "drugs.csv",
            "\ufeffXrefs,Category,Extra,Label,Code,Aliases,Description\r\n"
            'MSH:D001241|CHEBI:15365,Chemical,x,"aspirin",17,"ASA | acetylsalicylic acid"'
            ",A drug.\r\n",
        ),
        (
            "drugs.csv",
            "Concept ID;Preferred Name;Synonym;Semantic Type;Definition;Xref\n"
            "17;aspirin;ASA|acetylsalicylic acid;chemical;A drug.;MSH:D001241|CHEBI:15365\n",
        ),
        (
            "drugs.txt",
            "# my drugs\n# of today\n#id\tterm\tsynonyms\ttype\tdefinition\txrefs\n\n"
            "17\taspirin\tASA|acetylsalicylic acid\tdrug\tA drug.\tMSH:D001241|CHEBI:15365\n",
        ),
        (
            "drugs.jsonl",
            '{"id": 17, "name": "aspirin", "synonyms": ["ASA", "acetylsalicylic acid"], '
            '"type": "drug", "definition": "A drug.", "xrefs": ["MSH:D001241", "CHEBI:15365"]}\n',
        ),
        (
            "drugs.txt",
            '{"code": "17", "label": "aspirin", "aliases": "ASA|acetylsalicylic acid", '
            '"types": ["drug", "Chemical"], "definition": "A drug.", "xrefs": '
            '["MSH:D001241", "http://purl.obolibrary.org/obo/CHEBI_15365"], "other": null}\n',
        ),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_the_usual_tables_read_the_same(tmp_path: Path, name: str, text: str, packed: bool) -> None:
    content = gzip.compress(text.encode()) if packed else text.encode()
    path = _write(tmp_path, content, f"{name}.gz" if packed else name)
    assert list(read_table(path)) == [ASPIRIN]


def test_two_columns_without_a_header_are_id_and_name(tmp_path: Path) -> None:
    path = _write(tmp_path, "MESH:D001241\taspirin\nMESH:D001241\tASA\n")
    assert list(read_table(path)) == [
        Entry("MESH:D001241", "aspirin"),
        Entry("MESH:D001241", "ASA"),
    ]


def test_columns_and_separator_can_be_named(tmp_path: Path) -> None:
    path = _write(tmp_path, "key,text,also,name\nX:1,one,uno;eins,not this\n", "t.csv")
    (entry,) = read_table(
        path, separator=";", id_column="KEY", name_column="text", synonyms_column="also"
    )
    assert entry == Entry("X:1", "one", ("uno", "eins"))


def test_ids_without_a_colon_get_the_prefix_or_the_name_of_the_file(tmp_path: Path) -> None:
    path = _write(tmp_path, "id\tname\n1\tone\nX:2\ttwo\n", "my terms.v2.tsv")
    assert [record.id for record in read_table(path)] == ["my_terms:1", "X:2"]
    assert [record.id for record in read_table(path, prefix="LAB")] == ["LAB:1", "X:2"]


def test_spaces_and_line_ends_inside_a_name_become_single_spaces(tmp_path: Path) -> None:
    path = _write(tmp_path, 'id,name\n1,"acetyl\n salicylic\u00a0acid "\n', "t.csv")
    assert [r.name for r in read_table(path) if isinstance(r, Entry)] == ["acetyl salicylic acid"]


def test_the_type_given_is_for_rows_that_have_none(tmp_path: Path) -> None:
    path = _write(tmp_path, "id\tname\ttype\n1\ta\t\n2\tb\tgene|disease\n3\tc\tWidget\n")
    kinds = [record.types for record in read_table(path, type="Species")]
    assert kinds == [("Species",), ("Gene", "Disease"), ("Widget",)]


def test_cells_at_the_end_of_a_row_may_be_missing(tmp_path: Path) -> None:
    path = _write(tmp_path, "id\tname\tsynonyms\n1\tone\n\n\t\t\n2\ttwo\tzwei\n")
    assert [(r.id, r.synonyms) for r in read_table(path)] == [
        ("drugs:1", ()),
        ("drugs:2", ("zwei",)),
    ]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.tsv", "", "the file is empty"),
        ("t.tsv", "id\tname\n", "no row after the header"),
        ("t.tsv", "# nothing\n", "no row in the file"),
        ("t.tsv", "id\tname\n1\t\n", r"line 2: the name is missing \(column 'name' is empty\)"),
        ("t.tsv", "id\tname\n\tone\n", "line 2: the id is missing"),
        ("t.tsv", "id\tname\n1\n", "line 2: no column 'name'|line 2: the name is missing"),
        ("t.tsv", "id\tname\nbig toe\tone\n", "line 2: the id 'big toe' has a space in it"),
        ("t.csv", "id,name\n1,a, b\n", "line 2: 3 fields where the header has 2; put quotes"),
        ("t.csv", "id,foo\n1,a\n", "line 2: no column 'name'; there are 'id', 'foo'"),
        ("t.csv", "a,b,c\n1,2,3\n", "line 1: no column of 'a', 'b', 'c' is called id or name"),
        ("t.csv", "id,name,name\n1,2,3\n", "line 1: two columns are called 'name'"),
        ("t.csv", 'id,name\n1,"a\n', "line 2: a quote that opens in this row is never closed"),
        ("t.tsv", "id\tname\txrefs\n1\ta\tD001241\n", "line 2: the xref 'D001241' has no prefix"),
        ("t.jsonl", '{"id": 1, "name": "a"}\n{"id": 2\n', "line 2: not JSON"),
        ("t.jsonl", '["a"]\n', "line 1: a line holds one JSON object, not"),
        ("t.json", '[{"id": 1}]\n', "line 1: a JSON array; write one object per line"),
        ("t.jsonl", '{"id": 1}\n', "line 1: no column 'name'; there are 'id'"),
        ("t.jsonl", '{"id": 1, "name": null}\n', "line 1: the name is missing"),
        ("t.jsonl", '{"id": 1.5, "name": "a"}\n', "line 1: 'id' is 1.5, not text"),
        ("t.jsonl", '{"id": 1, "name": {"en": "a"}}\n', 'line 1: \'name\' is {"en": "a"}, not'),
        ("t.jsonl", '{"id": 1, "name": "a", "synonyms": [["b"]]}\n', "line 1: 'synonyms' is"),
        ("t.jsonl", '{"id": 1, "name": "a\\ud800"}\n', "line 1: 'name' is .*, not text"),
        ("t.jsonl", f'{{"id": {"1" * 5000}}}\n', "line 1: not JSON"),
    ],
)
def test_errors_name_the_file_the_line_and_what_to_do(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    path = _write(tmp_path, text, name)
    with pytest.raises(FormatError, match=message) as caught:
        list(read_table(path))
    assert caught.value.path == str(path)
    assert "\n" not in str(caught.value)


def test_a_column_that_is_not_there_is_wrong_use(tmp_path: Path) -> None:
    path = _write(tmp_path, "id\tname\n1\tone\n")
    with pytest.raises(UsageError, match="no column 'nom'; there are 'id', 'name'"):
        list(read_table(path, name_column="nom"))
    with pytest.raises(UsageError, match="separator"):
        list(read_table(path, separator=""))


_WORD = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Z"), exclude_characters="|#"),
    min_size=1,
    max_size=8,
)
_ROW = st.tuples(_WORD, st.lists(_WORD, max_size=3))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(rows=st.lists(_ROW, min_size=1, max_size=4), kind=st.sampled_from(["csv", "tsv", "jsonl"]))
def test_whatever_is_written_is_read(
    tmp_path: Path, rows: list[tuple[str, list[str]]], kind: str
) -> None:
    text = io.StringIO()
    if kind == "jsonl":
        for number, (name, synonyms) in enumerate(rows):
            text.write(json.dumps({"id": number, "name": name, "synonyms": synonyms}) + "\n")
    else:
        writer = csv.writer(text, delimiter="," if kind == "csv" else "\t")
        writer.writerow(["id", "name", "synonyms"])
        for number, (name, synonyms) in enumerate(rows):
            writer.writerow([number, name, "|".join(synonyms)])
    path = _write(tmp_path, text.getvalue(), f"t.{kind}")
    assert [(r.id, r.name, set(r.synonyms)) for r in read_table(path) if isinstance(r, Entry)] == [
        (f"t:{number}", name, set(synonyms) - {name})
        for number, (name, synonyms) in enumerate(rows)
    ]

"""Names of drugs from packages that know nothing of MeSH."""

from __future__ import annotations

import bz2
import os
import pickle
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from holdfast.errors import FormatError
from holdfast.kb.open.chemical_names import chemical_names
from holdfast.kb.open.packages import CHEMICALS, DRUG_NAMES, Package
from holdfast.text.tokens import key_of

MESH = {"doxorubicin": {"MESH:D1"}, "epirubicin": {"MESH:D2"}, "aspirin": {"MESH:D3"}}
NO_DRUGS: Mapping[str, Sequence[str]] = {}


class Code:
    """Pickled, it is a call."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.getenv, ("HOME",)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_HOME", str(tmp_path))


def _wheel(package: Package, member: str, content: bytes) -> None:
    package.path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(package.path, "w") as wheel:
        wheel.writestr(member, content)


def _found(pubchem: Sequence[Sequence[str]] = (), drugs: object = NO_DRUGS) -> dict[str, str]:
    lines = ("\t".join(["-"] * 8 + list(names)) for names in pubchem)
    _wheel(
        CHEMICALS,
        "chemicals/Identifiers/chemical identifiers pubchem large.tsv",
        "\n".join(lines).encode(),
    )
    _wheel(
        DRUG_NAMES,
        "drug_named_entity_recognition/drug_ner_dictionary.pkl.bz2",
        bz2.compress(pickle.dumps({"drug_variant_to_canonical": drugs})),
    )
    meanings = {key_of(name): ids for name, ids in MESH.items()}
    names = chemical_names(meanings, substances={"MESH:D1", "MESH:D2"})
    return {new.name: new.id for new in names}


def test_other_names_of_a_known_substance_are_its_names() -> None:
    found = _found([["doxorubicin", "adriamycin", "rubex"]])
    assert found == {"adriamycin": "MESH:D1", "rubex": "MESH:D1"}


def test_a_list_that_no_known_name_leads_gives_nothing() -> None:
    assert _found([["quelamycin", *(f"code {i}" for i in range(9)), "doxorubicin"]]) == {}


def test_what_is_no_substance_gets_no_names() -> None:
    assert _found([["aspirin", "acetylsalicylate"]]) == {}


def test_a_name_in_two_lists_means_whose_list_has_it_nearer_the_top() -> None:
    found = _found([["doxorubicin", "adriamycin"], ["epirubicin", "other one", "adriamycin"]])
    assert found["adriamycin"] == "MESH:D1"


def test_a_name_that_two_lists_have_alike_is_nobodys() -> None:
    found = _found([["doxorubicin", "adriamycin"], ["epirubicin", "adriamycin"]])
    assert found == {}


@pytest.mark.parametrize("junk", ["23214-92-8", "adm", "12345678", "matrix", "x" * 61])
def test_numbers_ordinary_words_and_very_short_or_long_strings_are_no_names(junk: str) -> None:
    assert junk not in _found([["doxorubicin", junk]])


def test_the_drug_dictionary_speaks_before_the_chemical_one() -> None:
    found = _found(
        [["epirubicin", "caelyx"]], {"doxorubicin": ["doxorubicin"], "caelyx": ["doxorubicin"]}
    )
    assert found["caelyx"] == "MESH:D1"


def test_a_variant_of_two_drugs_is_left_out() -> None:
    assert _found(drugs={"caelyx": ["doxorubicin", "epirubicin"]}) == {}


def test_a_dictionary_that_would_run_code_is_refused() -> None:
    with pytest.raises(FormatError, match="more than plain values"):
        _found(drugs=Code())

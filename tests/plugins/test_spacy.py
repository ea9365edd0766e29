"""Holdfast in spaCy."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import tomllib
import warnings
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

import holdfast
from command import environment
from small_kb import make_kb

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    spacy = pytest.importorskip("spacy")
    from spacy.language import Language
    from spacy.tokens import Doc, DocBin, Span
    from spacy.util import get_words_and_spaces

    from holdfast.plugins import spacy as plugin

ROOT = Path(__file__).parents[2]
TEXT = "Heart attack after lithium carbonate; TNF-alpha-induced bleeding, and a zzz."


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(make_kb(tmp_path_factory.mktemp("kb") / "small").folder)


def pipeline(kb: str, **config: Any) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("holdfast", config={"kb": kb, **config})
    return nlp


def links(doc: Doc) -> list[tuple[str, str, str]]:
    return [(ent.text, ent.label_, ent.kb_id_) for ent in doc.ents]


def test_entities_have_labels_and_ids(kb: str) -> None:
    doc = pipeline(kb)("Heart attack after lithium carbonate.")
    assert links(doc) == [
        ("Heart attack", "Disease", "MESH:D002"),
        ("lithium carbonate", "Chemical", "MESH:C001"),
    ]


def test_the_whole_answer_is_there_as_plain_data(kb: str) -> None:
    doc = pipeline(kb)(TEXT)
    expected = holdfast.load(kb)(TEXT).to_json()
    assert doc._.holdfast == expected
    assert [span._.holdfast for span in doc.spans["holdfast"]] == expected["mentions"]
    assert [ent._.holdfast for ent in doc.ents] == expected["mentions"]
    assert json.loads(json.dumps(doc._.holdfast)) == expected


def test_a_mention_inside_a_token_gets_the_token_and_keeps_its_own_place(kb: str) -> None:
    nlp = spacy.blank("en")
    nlp.tokenizer = lambda text: Doc(nlp.vocab, *get_words_and_spaces(text.split(), text))
    nlp.add_pipe("holdfast", config={"kb": kb})
    doc = nlp("pre/heart attack/post now")
    (ent,) = doc.ents
    assert ent.text == "pre/heart attack/post"
    assert ent._.holdfast["spans"] == [[4, 16]]


def test_many_texts_are_linked_as_one_by_one(kb: str) -> None:
    nlp = pipeline(kb)
    texts = [TEXT, "", "Nothing.", "A heart attack."] * 3
    together = list(nlp.pipe(texts, batch_size=5))
    assert [doc.text for doc in together] == texts
    assert [links(doc) for doc in together] == [links(nlp(text)) for text in texts]


def test_entities_of_another_recogniser_are_linked_and_none_is_added(kb: str) -> None:
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns(
        [
            {"label": "DISEASE", "pattern": "heart attack", "id": "r1"},
            {"label": "ENTITY", "pattern": "qqqq"},
        ]
    )
    nlp.add_pipe("holdfast", config={"kb": kb, "marked": True})
    doc = nlp("A heart attack after lithium carbonate and qqqq.")
    assert links(doc) == [("heart attack", "DISEASE", "MESH:D002"), ("qqqq", "ENTITY", "NIL")]
    assert doc.ents[0].ent_id_ == "r1"


@pytest.mark.parametrize(("overwrite", "label"), [(False, "OWN"), (True, "Disease")])
def test_of_overlapping_entities_the_chosen_ones_stay(
    kb: str, *, overwrite: bool, label: str
) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "OWN", "pattern": "attack"}])
    nlp.add_pipe("holdfast", config={"kb": kb, "overwrite_ents": overwrite})
    doc = nlp("A heart attack after lithium carbonate.")
    assert [ent.label_ for ent in doc.ents] == [label, "Chemical"]
    assert [span.text for span in doc.spans["holdfast"]] == ["heart attack", "lithium carbonate"]


def test_options_are_those_of_load(kb: str, tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('block = ["heart attack"]\n', encoding="utf-8")
    doc = pipeline(kb, only=["disease"], rules=str(rules), top=1)(TEXT)
    expected = holdfast.load(kb, only=["disease"], rules=rules, top=1)(TEXT)
    assert doc._.holdfast == expected.to_json()
    with pytest.raises(holdfast.HoldfastError, match="no type is called 'colour'"):
        pipeline(kb, only=["colour"])


def test_a_pickled_pipeline_links_the_same(kb: str) -> None:
    nlp = pipeline(kb, only=["disease"])
    pipe = pickle.loads(pickle.dumps(nlp.get_pipe("holdfast")))
    assert links(pipe(spacy.blank("en")(TEXT))) == links(nlp(TEXT))


def test_a_stored_pipeline_links_the_same(kb: str, tmp_path: Path) -> None:
    nlp = pipeline(kb)
    nlp.to_disk(tmp_path / "nlp")
    assert links(spacy.load(tmp_path / "nlp")(TEXT)) == links(nlp(TEXT))
    again = spacy.blank("en").from_config(nlp.config)
    assert links(again.from_bytes(nlp.to_bytes())(TEXT)) == links(nlp(TEXT))


def test_a_stored_pipeline_whose_models_changed_says_so(kb: str) -> None:
    stored = pipeline(kb).get_pipe("holdfast").to_bytes()
    other = pipeline(kb, model="names").get_pipe("holdfast")
    with pytest.warns(UserWarning, match="other ones than when this pipeline was stored"):
        other.from_bytes(stored)
    with pytest.raises(holdfast.HoldfastError, match="not what Holdfast stored"):
        other.from_bytes(b"[]")


def as_json(data: object) -> str:
    """spaCy reads lists as tuples, which JSON does not tell apart."""
    return json.dumps(data)


def test_docs_keep_their_links_in_a_docbin(kb: str) -> None:
    doc = pipeline(kb)(TEXT)
    data = DocBin(store_user_data=True, docs=[doc]).to_bytes()
    (again,) = DocBin().from_bytes(data).get_docs(spacy.blank("en").vocab)
    assert links(again) == links(doc)
    assert as_json(again._.holdfast) == as_json(doc._.holdfast)
    kept, before = ([ent._.holdfast for ent in one.ents] for one in (again, doc))
    assert as_json(kept) == as_json(before)


SPAWNED = """
import json, multiprocessing, sys, warnings
warnings.simplefilter("ignore")
import spacy
import holdfast.plugins.spacy
if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    nlp = spacy.blank("en")
    nlp.add_pipe("holdfast", config={"kb": sys.argv[1]})
    texts = ["A heart attack.", "TNF.", "", "Bleeding."]
    docs = list(nlp.pipe(texts, n_process=2, batch_size=1))
    print(json.dumps([doc._.holdfast for doc in docs]))
"""


def test_two_spawned_processes_link_the_same(kb: str, tmp_path: Path) -> None:
    script = tmp_path / "spawned.py"
    script.write_text(SPAWNED, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, script, kb], capture_output=True, text=True, env=environment(), check=False
    )
    assert done.returncode == 0, done.stderr
    texts = ["A heart attack.", "TNF.", "", "Bleeding."]
    assert json.loads(done.stdout) == [d.to_json() for d in holdfast.load(kb).pipe(texts)]


def test_spacy_finds_the_component_without_an_import(kb: str) -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert declared["entry-points"]["spacy_factories"] == {
        "holdfast": f"{plugin.__name__}:{plugin.make_holdfast.__name__}"
    }
    if not any(entry.name == "holdfast" for entry in entry_points(group="spacy_factories")):
        pytest.skip("holdfast was installed before it had entry points; pip install -e . again")
    code = (
        "import sys, warnings; warnings.simplefilter('ignore'); import spacy\n"
        "nlp = spacy.blank('en'); nlp.add_pipe('holdfast', config={'kb': sys.argv[1]})\n"
        "print([ent.kb_id_ for ent in nlp('A heart attack.').ents])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, kb],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    assert done.stdout.strip() == "['MESH:D002']", done.stderr


def test_registering_the_attributes_twice_is_harmless() -> None:
    plugin.register_attributes()
    plugin.register_attributes()
    assert Doc.has_extension("holdfast")
    assert Span.has_extension("holdfast")

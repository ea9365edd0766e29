"""Clients of other services get answers in the shapes that those document."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from holdfast.server.compat import MOUNTS
from holdfast.server.settings import COMPAT
from serving import Server, serving

TEXT = "😀 A heart attack after lithium carbonate; TNF rose. Zqx syndrome."
XMI = "{http://www.omg.org/XMI}id"
LAYER = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
CAS = """<?xml version="1.0" encoding="UTF-8"?>
<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore"
    xmlns:type5="http:///de/tudarmstadt/ukp/dkpro/core/api/segmentation/type.ecore"
    xmi:version="2.0">
  <cas:NULL xmi:id="0"/>
  <type5:Token xmi:id="19" sofa="1" begin="0" end="2"/>
  <cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text" sofaString="{text}"/>
  <cas:View sofa="1" members="19"/>
</xmi:XMI>"""


@pytest.fixture(scope="module")
def compatible(home: Path) -> Iterator[Server]:
    arguments = ("--kb", "small", "--workers", "1", "--compat", ",".join(COMPAT))
    with serving(*arguments, home=home) as running:
        yield running


def test_every_mount_can_be_asked_for() -> None:
    assert tuple(MOUNTS) == COMPAT


def test_mounts_are_there_only_if_they_are_asked_for(server: Server) -> None:
    assert server.ask("/bern2/plain", {"text": "TNF"}).status == 404


def test_bern2_plain(compatible: Server) -> None:
    answer = compatible.ask("/bern2/plain", {"text": TEXT}).json
    assert set(answer) == {"annotations", "text", "timestamp"}
    assert answer["text"] == TEXT
    found = {item["mention"]: item for item in answer["annotations"]}
    attack = found["heart attack"]
    assert set(attack) == {"id", "is_neural_normalized", "mention", "obj", "prob", "span"}
    assert attack["id"] == ["mesh:D002"]
    assert attack["obj"] == "disease"
    assert attack["is_neural_normalized"] is False
    begin, end = attack["span"]["begin"], attack["span"]["end"]
    assert TEXT[begin:end] == "heart attack"
    assert 0 < attack["prob"] <= 1
    assert found["lithium carbonate"]["obj"] == "drug"
    assert found["TNF"]["obj"] == "gene"


def test_bern2_names_what_it_could_not_link(compatible: Server) -> None:
    text = "The p.V600E mutation in Zqxglobin deficiency syndrome."
    annotations = compatible.ask("/bern2/plain", {"text": text}).json["annotations"]
    for item in annotations:
        assert item["id"] == ["CUI-less"] or ":" in item["id"][0]
        assert ("mutationType" in item) == (item["obj"] == "mutation")


def test_medcat_process(compatible: Server) -> None:
    body = {"content": {"text": TEXT, "footer": "17"}, "meta_anns_filters": None}
    answer = compatible.ask("/medcat/api/process", body).json
    assert set(answer) == {"medcat_info", "result"}
    assert {"service_app_name", "service_language", "service_version", "service_model"} < set(
        answer["medcat_info"]
    )
    result = answer["result"]
    assert result["text"] == TEXT
    assert result["success"] is True
    assert result["footer"] == "17"
    assert isinstance(result["elapsed_time"], float)
    (entities,) = result["annotations"]
    attack = next(e for e in entities.values() if e["source_value"] == "heart attack")
    assert entities[str(attack["id"])] == attack
    assert attack["cui"] == "MESH:D002"
    assert attack["pretty_name"] == "Myocardial Infarction"
    assert attack["detected_name"] == "heart~attack"
    assert attack["type_ids"] == ["Disease"]
    assert TEXT[attack["start"] : attack["end"]] == "heart attack"
    assert attack["acc"] == attack["context_similarity"] > 0


def test_medcat_process_bulk_and_info(compatible: Server) -> None:
    body = {"content": [{"text": TEXT}, {"text": ""}, {"text": "TNF"}]}
    answer = compatible.ask("/medcat/api/process_bulk", body).json
    assert [result["text"] for result in answer["result"]] == [TEXT, "", "TNF"]
    assert answer["result"][1]["annotations"] == [{}]
    assert compatible.ask("/medcat/api/info").json == answer["medcat_info"]


def test_gilda_ground(compatible: Server) -> None:
    matches = compatible.ask("/gilda/ground", {"text": "heart attack"}).json
    first = matches[0]
    assert set(first) == {"term", "url", "score", "match"}
    assert first["term"] == {
        "norm_text": "heart attack",
        "text": "Heart Attack",
        "db": "MESH",
        "id": "D002",
        "entry_name": "Myocardial Infarction",
        "status": "synonym",
        "source": "mesh",
    }
    assert first["url"] == "https://identifiers.org/mesh:D002"
    assert first["match"]["query"] == "heart attack"
    scores = [match["score"] for match in matches]
    assert scores == sorted(scores, reverse=True)


def test_gilda_grounds_in_a_context_and_within_namespaces(compatible: Server) -> None:
    context = "A heart attack (HA) is feared. HA kills."
    body = [
        {"text": "HA", "context": context, "organisms": None},
        {"text": "WAS", "namespaces": ["HGNC"]},
    ]
    by_context, by_namespace = compatible.ask("/gilda/ground_multi", body).json
    assert by_context[0]["term"]["id"] == "D002"
    assert {match["term"]["db"] for match in by_namespace} == {"HGNC"}
    refused = compatible.ask("/gilda/ground", {"text": "TNF", "organisms": ["10090"]})
    assert refused.code == "invalid_option"


def predict(server: Server, what: str, feature: str, xmi: str) -> Any:
    body = {
        "metadata": {"layer": LAYER, "feature": feature, "projectId": 3, "crossSentence": False},
        "document": {"xmi": xmi, "documentId": 7, "userId": "ann"},
        "typeSystem": "<typeSystemDescription/>",
    }
    return server.ask(f"/inception/{what}/predict", body)


@pytest.mark.parametrize(
    ("what", "feature", "label"),
    [("ids", "identifier", "MESH:D002"), ("types", "value", "Disease")],
)
def test_inception_gets_its_document_back_with_suggestions(
    compatible: Server, what: str, feature: str, label: str
) -> None:
    answer = predict(compatible, what, feature, CAS.format(text=TEXT))
    root = ElementTree.fromstring(answer.json["document"])
    tag = "{http:///de/tudarmstadt/ukp/dkpro/core/api/ner/type.ecore}NamedEntity"
    first = root.findall(tag)[0]
    assert first.get(feature) == label
    assert first.get("inception_internal_predicted") == "true"
    assert float(first.get(f"{feature}_score") or 0) > 0
    begin, end = int(first.get("begin") or 0), int(first.get("end") or 0)
    assert TEXT.encode("utf-16-le")[2 * begin : 2 * end].decode("utf-16-le") == "heart attack"
    (view,) = root.findall("{http:///uima/cas.ecore}View")
    ids = [element.get(XMI) for element in root.findall(tag)]
    assert view.get("members") == " ".join(["19", *(id or "" for id in ids)])
    assert len(set(ids)) == len(ids)
    assert len(root.findall("{*}Token")) == 1


@pytest.mark.parametrize(
    "xmi",
    ["", "<a", "<a/>", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', CAS.replace("_Initial", "x")],
)
def test_inception_is_told_if_its_document_cannot_be_read(compatible: Server, xmi: str) -> None:
    answer = predict(compatible, "ids", "identifier", xmi)
    assert (answer.status, answer.code) == (422, "invalid_document")

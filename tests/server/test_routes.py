"""What each route answers, beside linking itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdfast.server.routes.formats import choose_format
from holdfast.server.serve import openapi_text
from serving import Server

TEXT = "A heart attack (HA) after lithium carbonate; TNF rose. HA was followed by bleedings."


def test_typing_finds_the_names_that_begin_so_shortest_first(server: Server) -> None:
    found = server.ask("/v1/search", {"q": "HEART", "prefix": True}).json["found"]
    assert [item["id"] for item in found[:3]] == ["MESH:D002", "MONDO:0002", "MESH:D001"]
    assert [item["name"] for item in found[:3]] == [
        "Heart Attack",
        "heart attack",
        "Heart Diseases",
    ]


def test_typing_goes_on_with_what_looks_alike(server: Server) -> None:
    assert server.ask("/v1/search", {"q": "hart", "prefix": True, "top": 3}).json["found"]
    nothing = server.ask("/v1/search", {"q": "\u0301", "prefix": True})
    assert nothing.status == 200


def test_an_id_finds_its_entity(server: Server) -> None:
    assert server.ask("/v1/search?q=MESH:D002").json["found"][0]["id"] == "MESH:D002"


def test_an_entity_has_names_definition_parents_children_and_xrefs(server: Server) -> None:
    entity = server.ask("/v1/entities/MESH:D002").json
    assert entity["label"] == "Myocardial Infarction"
    assert "Heart Attack" in entity["synonyms"]
    assert entity["definition"].startswith("Death of heart muscle")
    assert entity["xrefs"] == ["MONDO:0002"]
    assert entity["parents"] == [{"id": "MESH:D001", "label": "Heart Diseases"}]
    assert entity["children"] == []
    above = server.ask("/v1/entities/MESH:D001").json
    assert above["children"] == [{"id": "MESH:D002", "label": "Myocardial Infarction"}]
    assert above["n_children"] == 1


def test_an_unknown_entity_is_not_found(server: Server) -> None:
    answer = server.ask("/v1/entities/MESH:D999")
    assert (answer.status, answer.code) == (404, "unknown_entity")


def test_a_mention_is_explained_by_its_candidates_and_by_what_the_text_changed(
    server: Server,
) -> None:
    place = TEXT.rindex("HA")
    answer = server.ask("/v1/explain", {"text": TEXT, "spans": [[place, place + 2]]}).json
    assert answer["found"] is True
    assert answer["mention"]["ids"] == ["MESH:D002"]
    assert answer["alone"].get("ids") != ["MESH:D002"]
    changed = {item["entity_id"]: item for item in answer["context"]}
    assert changed["MESH:D002"]["in_context"] > (changed["MESH:D002"]["alone"] or 0)
    assert any("Without the text" in line for line in answer["summary"])


def test_words_that_no_mention_covers_are_explained_too(server: Server) -> None:
    place = TEXT.index("rose")
    answer = server.ask("/v1/explain", {"text": TEXT, "spans": [[place, place + 4]]}).json
    assert answer["found"] is False
    assert answer["mention"]["text"] == "rose"


def test_a_term_that_was_not_found_is_explained(server: Server) -> None:
    answer = server.ask("/v1/explain", {"text": TEXT, "term": "was"}).json
    assert answer["why_not"]["places"][0]["reasons"]


def test_types_are_counted(server: Server) -> None:
    answer = server.ask("/v1/types").json
    assert answer["kb"] == "small"
    assert {"type": "Gene", "entities": 2} in answer["types"]


def test_models_and_knowledge_bases_are_listed_without_their_folders(
    server: Server, home: Path
) -> None:
    answer = server.ask("/v1/models")
    assert [model["name"] for model in answer.json["models"]] == ["default"]
    assert [kb["name"] for kb in answer.json["knowledge_bases"]] == ["small"]
    assert answer.json["knowledge_bases"][0]["sources"][0]["licence"] == "NLM terms"
    assert str(home) not in answer.text


def test_the_page_and_its_strict_policy_are_served(server: Server) -> None:
    answer = server.ask("/")
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("accept", "format"),
    [
        (None, "json"),
        ("*/*", "json"),
        ("application/xml", "bioc-xml"),
        ("text/html, application/x-ndjson;q=0.5, text/xml;q=0.9", "bioc-xml"),
        ("text/tab-separated-values;q=0.1, image/png", "tsv"),
        ("application/json;q=0, text/x-brat", "brat"),
    ],
)
def test_accept_chooses_the_format(accept: str | None, format: str) -> None:
    assert choose_format(None, accept) == format


def test_format_comes_before_accept(server: Server) -> None:
    headers = {"Accept": "application/xml"}
    assert server.ask("/v1/annotate", {"text": "TNF"}, headers=headers).text.startswith("<?xml")
    chosen = server.ask("/v1/annotate?format=json", {"text": "TNF"}, headers=headers)
    assert chosen.json["text"] == "TNF"
    assert chosen.headers["content-type"] == "application/json"


def test_the_committed_description_is_current(server: Server) -> None:
    committed = Path(__file__).parents[2] / "docs" / "openapi.json"
    assert committed.read_text(encoding="utf-8") == openapi_text(), "run `make openapi`"
    assert server.ask("/openapi.json").json == json.loads(openapi_text())


def test_metrics_count_answers_by_route(server: Server) -> None:
    server.ask("/v1/types")
    lines = server.ask("/metrics").text.splitlines()
    assert any(
        line.startswith('holdfast_requests_total{method="GET",route="/v1/types"') for line in lines
    )
    assert "holdfast_workers_ready 1.0" in lines

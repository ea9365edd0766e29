"""Errors are told by types, and a page lets a person switch a type off."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chromium import chromium
from command import call
from holdfast.systems.bier.diagnosis.diagnose import Answer, Case, compare_types, diagnose_labels
from holdfast.systems.bier.diagnosis.report import write_label_report
from holdfast.systems.bier.sparse import SparseVectors
from holdfast.systems.bier.stored import MentionBlock, Represented, StoredMention, write_represented

NAMES = ("gland", "neoplasm", "organ", "rtt", "neck")


def represented(
    rows: list[tuple[str, str, dict[str, float]]], dense: list[list[float]] | None
) -> Represented:
    """Mentions of a text, a label and the probabilities of types."""
    vectors = np.zeros((len(rows), len(NAMES)), dtype=np.float32)
    for at, (_, _, values) in enumerate(rows):
        for name, value in values.items():
            vectors[at, NAMES.index(name)] = value
    types = np.argsort(-vectors, axis=1, kind="stable").astype(np.int32)
    sparse = SparseVectors(types, np.take_along_axis(vectors, types, axis=1), len(NAMES))
    places = tuple(StoredMention("1", 0, len(text), text, label) for text, label, _ in rows)
    return Represented(
        places, sparse, None if dense is None else np.array(dense, np.float32), NAMES
    )


STORED = represented(
    [
        ("thyroid", "Organ", {"gland": 1.0, "rtt": 1.0, "neck": 0.9}),
        ("esophageal carcinomas", "Cancer", {"neoplasm": 0.6}),
        ("medullary thyroid carcinoma", "Cancer", {"neoplasm": 1.0, "rtt": 0.4}),
        ("kidney", "Organ", {"organ": 1.0}),
    ],
    [[0, 1], [1, 0], [0.5, 0], [0, 0.5]],
)
QUERIES = represented(
    [
        ("thyroid carcinomas", "Cancer", {"gland": 0.9, "neoplasm": 0.9, "rtt": 1.0}),
        ("kidneys", "Organ", {"organ": 1.0}),
    ],
    [[1, 0], [0, 1]],
)


def test_the_case_of_the_paper_is_told() -> None:
    found = diagnose_labels(QUERIES, STORED, title="x")
    first, second = found.cases
    assert first.sparse.text == "thyroid"
    assert not first.sparse_right
    assert first.in_z
    assert first.dense is not None
    assert first.dense.text == "esophageal carcinomas"
    assert first.counterfactual is not None
    assert first.counterfactual.text == "medullary thyroid carcinoma"
    assert second.sparse_right
    assert found.figures == {"n": 2.0, "sparse": 0.5, "dense": 1.0, "oracle": 1.0, "z": 1.0}
    told = found.to_json()
    drivers = told["cases"][0]["sparse"]["types"]
    assert [name for name, _, _ in drivers] == ["rtt", "gland"]
    assert drivers[0][2] == 1.0


def test_types_are_told_where_their_ranks_differ_much() -> None:
    answer = Answer("a", "A", np.zeros(1, np.int32), np.zeros(1, np.float32))

    def case(types: list[int], right: bool) -> Case:
        numbers = np.array(types, np.int32)
        return Case("m", "1", "A", numbers, np.ones(len(types), np.float32), answer, right)

    names = [f"t{n}" for n in range(300)]
    cases = [case([n], right=True) for n in range(200)] + [case([0], True)] * 3
    cases += [case([150], right=False)] * 2 + [case([0], False)]
    errors, successes = compare_types(cases, names)
    assert [(one.type, one.rank) for one in errors] == [("t150", 1)]
    assert errors[0].other_rank == 151
    assert successes == []


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with chromium(tmp_path_factory.mktemp("downloads"), width=1200, height=1600) as opened:
        yield opened


def test_in_a_browser_tables_sort_and_filter_and_a_type_can_be_switched_off(
    browser: Any, tmp_path: Path
) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import WebDriverWait

    page = tmp_path / "report.html"
    write_label_report(QUERIES, STORED, page, title="Thyroid carcinomas")
    opened, wait = browser, WebDriverWait(browser, 30)  # type: ignore[no-untyped-call,unused-ignore]
    opened.get(page.as_uri())

    def rows() -> list[str]:
        return [
            r.find_elements(By.TAG_NAME, "td")[1].text
            for r in opened.find_elements(By.CSS_SELECTOR, "#switches tbody tr")
            if r.is_displayed()
        ]

    opened.find_elements(By.CSS_SELECTOR, "#switches th button")[1].click()
    assert rows() == sorted(rows(), key=str.lower)
    opened.find_elements(By.CSS_SELECTOR, "#switches th button")[1].click()
    assert rows() == sorted(rows(), key=str.lower, reverse=True)
    box = opened.find_element(By.CSS_SELECTOR, 'input[data-filters="switches"]')
    box.send_keys("rtt")
    assert rows() == ["rtt"]
    assert opened.find_elements(By.CSS_SELECTOR, "svg rect.bar")
    opened.find_element(By.CSS_SELECTOR, f'input[data-type="{NAMES.index("rtt")}"]').click()
    output = opened.find_element(By.ID, "switched")
    wait.until(lambda _: output.get_attribute("data-sparse"))
    box.clear()
    box.send_keys("gland")
    assert "was 50.00 %" in output.text
    before = output.text
    opened.find_element(By.CSS_SELECTOR, f'input[data-type="{NAMES.index("gland")}"]').click()
    wait.until(lambda _: output.text != before and "sparse" in output.text)
    assert output.get_attribute("data-sparse") == "1.000000", "without gland and rtt it is a cancer"
    assert opened.get_log("browser") == []


def test_the_command_diagnoses_stored_vectors_and_takes_weights(tmp_path: Path) -> None:
    files = {"queries": QUERIES, "stored": STORED}
    for name, part in files.items():
        write_represented(
            tmp_path / f"{name}.arrow",
            [MentionBlock(part.places, part.sparse, part.dense)],
            types=NAMES,
            digest="",
            keeps_dense=True,
        )
    asked = (
        *("diagnose", "labels", "--on", tmp_path / "queries.arrow"),
        *("--neighbours", tmp_path / "stored.arrow", "--out", tmp_path / "page.html", "--json"),
    )
    found = json.loads(call(*asked).stdout)
    assert found["sparse"] == 0.5
    weights = tmp_path / "weights.tsv"
    weights.write_text("rtt\ngland\t0\n", encoding="utf-8")
    assert json.loads(call(*asked, "--weights", weights).stdout)["sparse"] == 1.0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Types more frequent in errors" in page
    done = call("diagnose", "dreams", "--out", tmp_path / "x.html")
    assert done.returncode == 2
    assert "'dreams' cannot be diagnosed; there is: labels, disambiguation, linker" in done.stderr

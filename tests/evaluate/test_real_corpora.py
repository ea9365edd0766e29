"""The protocols on a real corpus, whose counts are known."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.corpora import read_documents
from holdfast.document import Document
from holdfast.evaluate import PROTOCOLS, score_documents


@pytest.fixture(scope="module")
def bc5cdr(data_dir: Path) -> list[Document]:
    return list(read_documents(data_dir / "corpora" / "bc5cdr" / "test.pubtator.txt"))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_bc5cdr_against_itself_is_perfect(bc5cdr: list[Document], protocol: str) -> None:
    report = score_documents(bc5cdr, bc5cdr, protocol=protocol)
    assert report["f1"] == pytest.approx(1.0)
    assert report.counts["n_documents"] == 500


def test_bc5cdr_leaves_out_its_mentions_without_an_id(bc5cdr: list[Document]) -> None:
    report = score_documents(bc5cdr, bc5cdr, protocol="strong", resamples=0)
    assert report.left_out["nil"] == 91
    assert report.counts["n_scored"] == 9809 - 91

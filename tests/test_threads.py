"""One pipeline that several threads use answers each of them as it answers one alone."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import holdfast
from gene_kb import HUMAN_GENES, MOUSE_GENES, RAT_GENES, SPECIES
from holdfast.document import Document
from holdfast.kb import Entry, IdMapper, KnowledgeBase, Source
from holdfast.link.mapped import MapIds
from holdfast.link.ranking import linker as ranked
from small_kb import CHEMICALS, DISEASES, MESH, MONDO, MONDO_DISEASES, make_kb

THREADS = 8
SENTENCES = (
    "Myocardial infarction (MI) followed a heart attack; MI kills.",
    "Mice lack Trp53, but patients have TP53 and BDNF.",
    "In rats p53 rose after lithium carbonate.",
    "Blue moon disease and haemorrhage were treated with interleukin-2.",
    "The p53 R175H mutation and rs1801133 caused bleedings.",
    "Breast and ovarian cancer with hart attac was not Wiskott-Aldrich syndrome.",
)


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    return make_kb(
        tmp_path_factory.mktemp("threads") / "kb",
        (MESH, (*DISEASES, *CHEMICALS)),
        (MONDO, MONDO_DISEASES),
        (Source("HGNC"), HUMAN_GENES),
        (Source("MGI"), MOUSE_GENES),
        (Source("RGD"), RAT_GENES),
        (Source("NCBI Taxonomy"), SPECIES),
    )


@pytest.fixture
def _eager_threads() -> Iterator[None]:
    """Threads take turns after every few instructions, so that they meet inside of functions."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def documents() -> list[Document]:
    """Each begins with another sentence, so that threads ask for the same names in other orders."""
    turned = [SENTENCES[n:] + SENTENCES[:n] for n in range(len(SENTENCES))]
    texts = [" ".join(sentences[: 1 + n % 4]) for n, sentences in enumerate(turned * 2)]
    return [Document(str(n), text) for n, text in enumerate(texts)]


@pytest.mark.usefixtures("_eager_threads")
def test_eight_threads_get_what_one_gets(
    kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = holdfast.load(kb)
    read = documents()
    expected = [alone(document) for document in read]
    assert any(m.is_linked for document in expected for m in document.mentions)
    monkeypatch.setattr(ranked, "_KEPT", 2)  # so that threads push out each other's names
    shared = holdfast.load(kb)
    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(shared, read)) == expected
        several = pool.map(lambda _: list(shared.pipe(read[:5])), range(THREADS))
        assert all(found == expected[:5] for found in several)


@pytest.mark.usefixtures("_eager_threads")
def test_links_that_threads_map_are_all_counted(tmp_path: Path) -> None:
    kb = make_kb(
        tmp_path / "kb",
        (Source("MeSH"), (Entry("MESH:D1", "gout", xrefs=("UMLS:C1",)), Entry("MESH:D2", "mumps"))),
    )
    step = MapIds(IdMapper(kb, "UMLS"))
    linked = holdfast.load(kb, model="names")("gout and mumps; gout or mumps; gout")
    assert [mention.ids[0] for mention in linked.mentions] == ["MESH:D1", "MESH:D2"] * 2 + [
        "MESH:D1"
    ]
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(step, [linked] * 800))
    assert step.summary() == (
        "2,400 of 4,000 links mapped to UMLS; 1,600 not, as no UMLS id is known for MESH:D2"
    )

"""MEDLINE XML."""

from __future__ import annotations

import gzip
from pathlib import Path
from weakref import WeakSet
from xml.etree.ElementTree import Element

import pytest

from holdfast.corpora import read_documents
from holdfast.corpora.xml_stream import read_elements
from holdfast.document import Passage
from holdfast.errors import FormatError

XML = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2019//EN"
  "https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_190101.dtd">
<PubmedArticleSet>
<PubmedArticle><MedlineCitation Status="MEDLINE"><PMID Version="1">11</PMID>
<Article><Journal><JournalIssue><PubDate><MedlineDate>1998 Dec-1999 Jan</MedlineDate></PubDate>
</JournalIssue><Title>Journal of Tests</Title></Journal>
<ArticleTitle>Effects of <i>TP53</i> &amp; Ca<sup>2+</sup>
  on β-cells.</ArticleTitle>
<Abstract><AbstractText Label="AIM">To see.</AbstractText><AbstractText>We saw.</AbstractText>
<CopyrightInformation>nobody</CopyrightInformation></Abstract></Article>
<MeshHeadingList><MeshHeading><DescriptorName UI="D000818" MajorTopicYN="N">Animals</DescriptorName>
<QualifierName UI="Q000235">genetics</QualifierName></MeshHeading>
<MeshHeading><DescriptorName UI="D016159">Tumor Suppressor</DescriptorName></MeshHeading>
</MeshHeadingList></MedlineCitation>
<PubmedData><ArticleIdList><ArticleId IdType="pubmed">99</ArticleId></ArticleIdList></PubmedData>
</PubmedArticle>
<PubmedArticle><MedlineCitation><PMID>12</PMID><Article><ArticleTitle>Only a title</ArticleTitle>
</Article></MedlineCitation></PubmedArticle>
<DeleteCitation><PMID>13</PMID></DeleteCitation>
</PubmedArticleSet>
"""


def test_titles_sections_and_headings_are_read(tmp_path: Path) -> None:
    path = tmp_path / "pubmed.xml.gz"
    path.write_bytes(gzip.compress(XML.encode()))
    first, second = read_documents(path)
    assert first.id == "11"
    assert first.text == "Effects of TP53 & Ca2+ on β-cells.\nTo see.\nWe saw."
    assert first.passages == (
        Passage("title", 0, 34),
        Passage("AIM", 35, 42),
        Passage("abstract", 43, 50),
    )
    assert first.metadata == (
        ("journal", "Journal of Tests"),
        ("year", "1998"),
        ("mesh_heading", "MESH:D000818"),
        ("mesh_heading", "MESH:D016159"),
    )
    assert (second.id, second.text, second.metadata) == ("12", "Only a title", ())


def test_a_cut_archive_and_a_cut_file_are_named(tmp_path: Path) -> None:
    path = tmp_path / "pubmed.xml.gz"
    path.write_bytes(gzip.compress(XML.encode())[:-60])
    with pytest.raises(FormatError, match=r"pubmed\.xml\.gz: not a whole gzip file"):
        list(read_documents(path))
    path = tmp_path / "pubmed.xml"
    path.write_text(XML[:900], encoding="utf-8")
    with pytest.raises(FormatError, match=r"pubmed\.xml, line \d+: not well-formed"):
        list(read_documents(path))


def test_citations_are_freed_as_the_file_is_read(tmp_path: Path) -> None:
    """However many were read before, the elements of few are alive at any time."""
    head, _, rest = XML.partition("<PubmedArticle>")
    article = "<PubmedArticle>" + rest.partition("</PubmedArticle>")[0] + "</PubmedArticle>\n"
    path = tmp_path / "many.xml"
    path.write_text(head + article * 500 + "</PubmedArticleSet>", encoding="utf-8")
    alive, seen = WeakSet[Element](), list[int]()
    for citation in read_elements(path, "MedlineCitation", roots=("PubmedArticleSet",)):
        alive.add(citation)
        seen.append(len(alive))
    in_one_chunk = (1 << 16) // len(article) + 2
    assert len(seen) == 500
    assert max(seen) <= in_one_chunk < 500 // 2
    assert len([*read_documents(path)]) == 500

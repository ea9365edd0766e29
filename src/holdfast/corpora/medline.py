"""MEDLINE and PubMed XML, as NLM distributes them: input only.

A document's id is its PMID. Its passages are the title and the abstract, or each section of the
abstract under its label, joined by line feeds. Its metadata are `journal`, `year` and one
`mesh_heading` (a CURIE) for each heading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from os import PathLike
from typing import Final
from xml.etree.ElementTree import Element

from holdfast.corpora.reading import Reading
from holdfast.corpora.report import ReadReport
from holdfast.corpora.xml_stream import read_elements
from holdfast.document import Document, Passage

_ROOTS: Final = ("PubmedArticleSet", "MedlineCitationSet", "PubmedArticle", "MedlineCitation")
_BLANKS: Final = re.compile(r"[ \t\r\n]+")
_YEAR: Final = re.compile(r"\d{4}", re.ASCII)


def read_medline(
    path: str | PathLike[str], *, lenient: bool = False, report: ReadReport | None = None
) -> Iterator[Document]:
    """The citations of a file, one at a time."""
    reading = Reading(path, lenient=lenient, report=report)
    for citation in read_elements(reading.path, "MedlineCitation", roots=_ROOTS):
        pmid = citation.findtext("PMID", "").strip()
        if not pmid:
            reading.refuse("document", "a MedlineCitation has no PMID")
            continue
        article = citation.find("Article")
        text, passages = _text(article)
        document = reading.document(
            pmid, text, passages=passages, metadata=_metadata(citation, article)
        )
        if document is not None:
            yield document


def _text(article: Element | None) -> tuple[str, list[Passage]]:
    sections = [("title", _words(None if article is None else article.find("ArticleTitle")))]
    for section in () if article is None else article.iterfind("Abstract/AbstractText"):
        sections.append((section.get("Label", "").strip() or "abstract", _words(section)))
    passages, start = list[Passage](), 0
    for kind, words in sections:
        passages.append(Passage(kind, start, start + len(words)))
        start += len(words) + 1
    return "\n".join(words for _, words in sections), passages


def _metadata(citation: Element, article: Element | None) -> Iterator[tuple[str, str]]:
    if article is not None:
        journal = _words(article.find("Journal/Title"))
        if journal:
            yield "journal", journal
        date = article.find("Journal/JournalIssue/PubDate")
        year = _YEAR.search("" if date is None else " ".join(date.itertext()))
        if year:
            yield "year", year[0]
    for heading in citation.iterfind("MeshHeadingList/MeshHeading/DescriptorName"):
        if heading.get("UI"):
            yield "mesh_heading", f"MESH:{heading.get('UI')}"


def _words(element: Element | None) -> str:
    """The text with that of its markup (`<i>`, `<sup>`, …), blanks made single."""
    return "" if element is None else _BLANKS.sub(" ", "".join(element.itertext())).strip(" ")

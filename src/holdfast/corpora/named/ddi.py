"""DDI 2013: which two drugs of a sentence interact, and how."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from holdfast.corpora.named.relations import NO_RELATION, RelationExample, check_label
from holdfast.document import Argument, Document, Mention, Passage, Relation, Span
from holdfast.errors import FormatError, InputError, InvalidValueError

LABELS: Final = ("mechanism", "effect", "advise", "int")
UNTYPED: Final = "untyped"
"""The label of an interaction without a type; the training split has one."""


@dataclass(frozen=True, slots=True)
class _Pair:
    id: str
    head_id: str
    tail_id: str
    label: str


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    entities: dict[str, Mention]  # by id; spans are offsets into the sentence
    pairs: tuple[_Pair, ...]


@dataclass(frozen=True, slots=True)
class _File:
    document_id: str
    name: str  # the file's, without its suffix: a PMID in the MEDLINE half, else a drug
    sentences: tuple[_Sentence, ...]


def read_ddi(folder: Path) -> Iterator[Document]:
    """One Document per XML file, by file name. Sentences are passages, joined by line feeds.

    Mentions have the corpus's types (drug, brand, group, drug_n) and no ids of entities. Only
    the interactions become relations, with a mention at either end. `metadata` has the name of
    the file as `source`, and as `pmid` where it is one.
    """
    for file in _read_files(folder):
        offset = 0
        passages = list[Passage]()
        mentions = list[Mention]()
        for sentence in file.sentences:
            passages.append(Passage("sentence", offset, offset + len(sentence.text)))
            mentions.extend(_moved(mention, offset) for mention in sentence.entities.values())
            offset += len(sentence.text) + 1
        metadata = [("source", file.name)]
        if file.name.isdigit():
            metadata.append(("pmid", file.name))
        yield Document(
            id=file.document_id,
            text="\n".join(sentence.text for sentence in file.sentences),
            passages=tuple(passages),
            mentions=tuple(mentions),
            relations=tuple(
                Relation(
                    pair.label,
                    (Argument(mention_id=pair.head_id), Argument(mention_id=pair.tail_id)),
                    id=pair.id,
                )
                for sentence in file.sentences
                for pair in sentence.pairs
                if pair.label != NO_RELATION
            ),
            metadata=tuple(metadata),
        )


def read_ddi_examples(folder: Path) -> Iterator[RelationExample]:
    """Every pair of drugs that the corpus lists, with and without an interaction.

    The text is the sentence as it was written, nothing is replaced by a marker. Spans of the
    two drugs may share words ("iron- and zinc-based tablets").
    """
    for file in _read_files(folder):
        for sentence in file.sentences:
            for pair in sentence.pairs:
                yield RelationExample(
                    id=pair.id,
                    text=sentence.text,
                    label=pair.label,
                    head=sentence.entities[pair.head_id].spans,
                    tail=sentence.entities[pair.tail_id].spans,
                    document_id=file.document_id,
                )


def _read_files(folder: Path) -> Iterator[_File]:
    paths = sorted(folder.glob("*.xml"))
    if not paths:
        raise InputError(f"{folder}: no XML files there; name a folder of DDI 2013, train or test")
    for path in paths:
        try:
            root = ElementTree.parse(path).getroot()
            sentences = tuple(_sentence(element) for element in root.iter("sentence"))
            yield _File(root.attrib["id"], path.stem, sentences)
        except ElementTree.ParseError as error:
            raise FormatError(f"not XML: {error}", path=path, line=error.position[0]) from error
        except KeyError as error:
            raise FormatError(f"no attribute or entity {error}", path=path) from error
        except ValueError as error:
            raise FormatError(str(error), path=path) from error


def _sentence(element: ElementTree.Element) -> _Sentence:
    text = element.attrib["text"]
    entities = {e.attrib["id"]: _mention(e, text) for e in element.iter("entity")}
    pairs = tuple(_pair(pair) for pair in element.iter("pair"))
    for pair in pairs:
        if pair.head_id not in entities or pair.tail_id not in entities:
            raise InvalidValueError(f"pair {pair.id} refers to an entity that is not there")
    return _Sentence(text, entities, pairs)


def _mention(element: ElementTree.Element, sentence: str) -> Mention:
    """The entity, its words checked against the sentence, spaces aside.

    Offsets that are one too small (the corpus has one such entity) are moved.
    """
    words = _without_spaces(element.attrib["text"])
    given = tuple(
        Span(int(start), int(end) + 1)  # the corpus names the last character, not the one after
        for start, _, end in (part.partition("-") for part in _offsets(element).split(";"))
    )
    for shift in (0, 1):
        spans = tuple(Span(start + shift, end + shift) for start, end in given)
        if _without_spaces("".join(sentence[start:end] for start, end in spans)) == words:
            return Mention(spans, type=element.attrib["type"], id=element.attrib["id"])
    raise InvalidValueError(
        f"entity {element.attrib['id']}: {element.attrib['text']!r} is not at {_offsets(element)}"
    )


def _offsets(element: ElementTree.Element) -> str:
    return element.attrib["charOffset"]


def _pair(element: ElementTree.Element) -> _Pair:
    label = NO_RELATION
    if element.attrib["ddi"] == "true":
        label = check_label(element.get("type", UNTYPED), (*LABELS, UNTYPED))
    return _Pair(element.attrib["id"], element.attrib["e1"], element.attrib["e2"], label)


def _moved(mention: Mention, offset: int) -> Mention:
    return Mention(
        tuple(Span(start + offset, end + offset) for start, end in mention.spans),
        type=mention.type,
        id=mention.id,
    )


def _without_spaces(text: str) -> str:
    return "".join(text.split())

"""MedMentions, rebuilt from public derivatives: two layouts of the text, two tables of CUIs.

`full_offsets` holds whole abstracts with character offsets; `st21pv_tokens` holds only sentences
with a mention, as tokens, with abbreviations already written out. Neither has a title boundary.
Mentions have no type: the files give none, and the table of semantic types covers a part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

from holdfast.corpora.named.lines import read_json, read_json_lines, string
from holdfast.document import Document, Mention, Passage
from holdfast.errors import FormatError, InvalidValueError

_OBO_REMAINDER: Final = re.compile(r'" (?:EXACT|NARROW|BROAD|RELATED)\b.*|\\n\s*$', re.DOTALL)


def read_full_offsets(path: Path, *, st21pv_only: bool = False) -> Iterator[Document]:
    """One Document per JSON line {pmid, text, mentions: [[start, end, CUI, is_st21pv]]}.

    `st21pv_only` keeps the mentions whose concept is in the ST21pv subset. A few mentions
    overlap, and two documents repeat one.
    """
    for number, record in read_json_lines(path):
        try:
            yield Document(
                id=string(record, "pmid"),
                text=string(record, "text"),
                mentions=tuple(
                    Mention.at(start, end, ids=(_umls(cui),))
                    for start, end, cui, is_st21pv in record["mentions"]
                    if is_st21pv or not st21pv_only
                ),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise _not_a_record(error, path, number) from error


def read_tokens(path: Path) -> Iterator[Document]:
    """One Document per JSON line {pmid, sentences: [{tokens, mentions: [[start, end, CUI]]}]}.

    The text is made of the tokens, one space between two of a sentence and a line feed between
    two sentences; each sentence is a Passage of kind "sentence".
    """
    for number, record in read_json_lines(path):
        try:
            yield _document_of_sentences(string(record, "pmid"), record["sentences"])
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise _not_a_record(error, path, number) from error


def read_open_names(path: Path) -> dict[str, tuple[str, ...]]:
    """CURIE of a CUI -> its names in open vocabularies, in the file's order, each once.

    Some names carry the end of the OBO line they came from (`Itch" BROAD layperson []`); it is
    cut off.
    """
    names = dict[str, tuple[str, ...]]()
    for cui, raw in _string_lists(path):
        cleaned = (_OBO_REMAINDER.sub("", name).strip() for name in raw)
        names[_umls(cui)] = tuple(dict.fromkeys(name for name in cleaned if name))
    return names


def read_open_semantic_types(path: Path) -> dict[str, tuple[str, ...]]:
    """CURIE of a CUI -> its UMLS semantic types ("T047"), in the file's order."""
    return {_umls(cui): tuple(types) for cui, types in _string_lists(path)}


def _document_of_sentences(pmid: str, sentences: list[Mapping[str, Any]]) -> Document:
    passages = list[Passage]()
    mentions = list[Mention]()
    texts = list[str]()
    offset = 0
    for sentence in sentences:
        tokens = sentence["tokens"]
        starts = list(accumulate((len(token) + 1 for token in tokens), initial=offset))
        for first, last, cui in sentence["mentions"]:
            if not 0 <= first < last <= len(tokens):
                raise InvalidValueError(
                    f"mention {first}-{last} leaves its sentence of {len(tokens)} tokens"
                )
            mentions.append(Mention.at(starts[first], starts[last] - 1, ids=(_umls(cui),)))
        text = " ".join(tokens)
        passages.append(Passage("sentence", offset, offset + len(text)))
        texts.append(text)
        offset += len(text) + 1
    return Document(pmid, "\n".join(texts), tuple(passages), tuple(mentions))


def _string_lists(path: Path) -> Iterator[tuple[str, list[str]]]:
    for cui, values in read_json(path).items():
        if not isinstance(values, list) or not all(isinstance(v, str) for v in values):
            raise FormatError(f"{cui}: a list of strings is expected, not {values!r}", path=path)
        yield cui, values


def _umls(cui: str) -> str:
    return f"UMLS:{cui}"


def _not_a_record(error: Exception, path: Path, line: int) -> FormatError:
    reason = f"no key {error}" if isinstance(error, KeyError) else str(error)
    return FormatError(f"not a MedMentions record: {reason}", path=path, line=line)

"""The corpora that Holdfast knows by name: where their files are, and what may be done with them.

Paths are those below `corpora/` of a data folder. What is not a list of documents (the lenient
files, relation sentences, patients' phrases) is not here; see docs/corpora.md for its readers.
A file or folder of one's own stands in for a corpus: its path is the name, its split is FILE.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from holdfast.corpora import read_documents
from holdfast.corpora.brat import read_brat
from holdfast.corpora.iob import read_iob
from holdfast.corpora.named.abbreviations import read_med1250
from holdfast.corpora.named.chemprot import read_chemprot_sentences
from holdfast.corpora.named.craft import read_craft
from holdfast.corpora.named.ddi import read_ddi
from holdfast.corpora.named.medmentions import read_full_offsets, read_tokens
from holdfast.corpora.pubtator import read_pubtator
from holdfast.corpora.report import ReadReport
from holdfast.document import Document
from holdfast.errors import InputError, UsageError

Read = Callable[[Path], Iterator[Document]]

FILE: Final = ""
"""The split of a file or folder that is named by its path instead of a corpus."""


@dataclass(frozen=True, slots=True)
class Split:
    """One file or folder of a corpus, and its reader."""

    path: str  # below `corpora/`
    read: Read


@dataclass(frozen=True, slots=True)
class NamedCorpus:
    """A corpus as a list of documents per split."""

    splits: Mapping[str, Split]
    ids: str  # the vocabularies of its ids, for people; "" if mentions have none
    licence: str
    weights_may_ship: bool  # whether weights trained on it may be given away
    unit: str = "document"  # or "sentence": then each Document is a single one


def load_corpus(name: str, split: str, *, data: Path) -> Iterator[Document]:
    """The documents of one split. `data` is the folder that holds `corpora/`.

    With the split FILE, `name` is the path of a file or folder in any format that Holdfast reads.
    """
    if split == FILE and name not in CORPORA:
        return read_documents(name)
    if name not in CORPORA:
        raise UsageError(f"no corpus {name!r}; there is {', '.join(CORPORA)}")
    splits = CORPORA[name].splits
    if split not in splits:
        raise UsageError(f"{name} has no split {split!r}; it has {', '.join(splits)}")
    path = data / "corpora" / splits[split].path
    if not path.exists():
        raise InputError(f"{path}: not there; {_what_is_there(data)}")
    return splits[split].read(path)


def corpus_named(name: str) -> NamedCorpus:
    """What is known of a corpus, or of a file that is named by its path."""
    return CORPORA.get(name, _OWN)


def _what_is_there(data: Path) -> str:
    advice = "the data folder (--data, HOLDFAST_DATA) must hold corpora/"
    folder = data / "corpora"
    if not folder.is_dir():
        return f"{advice}, and {data} does not"
    found = ", ".join(sorted(entry.name for entry in folder.iterdir())) or "nothing"
    return f"{folder} holds {found}"


def _read_ncbi_disease(path: Path) -> Iterator[Document]:
    """Without the one training mention whose offsets do not match its text."""
    report = ReadReport()
    yield from read_pubtator(path, lenient=True, report=report)
    if report.skipped.total() > 1:
        raise InputError(f"{report.reasons[-1]}; more is wrong here than in the published files")


def _read_iob(path: Path) -> Iterator[Document]:
    """The folder's name goes before each id, so that ids of two corpora differ."""
    for document in read_iob(path):
        yield replace(document, id=f"{path.parent.name}-{document.id}")


def _read_med1250(path: Path) -> Iterator[Document]:
    return (example.document for example in read_med1250(path))


def _splits(path: str, names: str, read: Read) -> dict[str, Split]:
    """`path` with each of the names put in for `{}`."""
    return {name: Split(path.format(name), read) for name in names.split()}


_OWN: Final = NamedCorpus(splits={}, ids="", licence="your own", weights_may_ship=True)

_st21pv: Final = partial(read_full_offsets, st21pv_only=True)

_EVERY: Final = "train dev test"

CORPORA: Final[Mapping[str, NamedCorpus]] = {
    "ncbi-disease": NamedCorpus(
        splits=_splits("ncbi_disease/{}.pubtator.txt", _EVERY, _read_ncbi_disease),
        ids="MeSH, OMIM",
        licence="public domain",
        weights_may_ship=True,
    ),
    "bc5cdr": NamedCorpus(
        splits=_splits("bc5cdr/{}.pubtator.txt", _EVERY, read_pubtator),
        ids="MeSH",
        licence="public (NLM, BioCreative)",
        weights_may_ship=True,
    ),
    "biored": NamedCorpus(
        splits=_splits("biored/{}.pubtator.txt", "train dev", read_pubtator),
        ids="NCBI Gene, MeSH, NCBI Taxonomy, dbSNP, Cellosaurus",
        licence="public (NLM)",
        weights_may_ship=True,
    ),
    "medmentions": NamedCorpus(
        splits=_splits("medmentions/full_offsets/{}.jsonl.gz", "dev test", read_full_offsets),
        ids="UMLS",
        licence="CC0",
        weights_may_ship=True,
    ),
    "medmentions-st21pv": NamedCorpus(
        splits=_splits("medmentions/st21pv_tokens/{}.jsonl.gz", "train", read_tokens)
        | _splits("medmentions/full_offsets/{}.jsonl.gz", "dev test", _st21pv),
        ids="UMLS",
        licence="CC0",
        weights_may_ship=True,
    ),
    "medmentions-tokens": NamedCorpus(
        splits=_splits("medmentions/st21pv_tokens/{}.jsonl.gz", "train test", read_tokens),
        ids="UMLS",
        licence="CC0",
        weights_may_ship=True,
    ),
    "craft": NamedCorpus(
        splits=_splits("craft/{}.jsonl.gz", "train dev", read_craft),
        ids="ChEBI, CL, GO, MOP, NCBI Taxonomy, PR, SO, UBERON",
        licence="CC BY 3.0",
        weights_may_ship=True,
    ),
    "bionlp13cg": NamedCorpus(
        splits=_splits("bionlp13cg/{}", _EVERY, read_brat),
        ids="",
        licence="CC BY-SA 3.0",
        weights_may_ship=True,
    ),
    "med1250": NamedCorpus(
        splits={"all": Split("abbreviations/ab3p/MED1250_labeled", _read_med1250)},
        ids="",
        licence="public domain",
        weights_may_ship=True,
    ),
    "chemprot": NamedCorpus(
        splits=_splits("re/chemprot/{}.tsv", _EVERY, read_chemprot_sentences),
        ids="its own",
        licence="research",
        weights_may_ship=False,
        unit="sentence",
    ),
    "ddi": NamedCorpus(
        splits=_splits("re/ddi/{}", "train test", read_ddi),
        ids="",
        licence="CC BY-NC",
        weights_may_ship=False,
    ),
    **{
        name: NamedCorpus(
            splits=_splits(f"ner_iob/{path}", splits, _read_iob),
            ids="",
            licence="the corpus's own",
            weights_may_ship=True,
            unit=unit,
        )
        for name, path, splits, unit in (
            ("bc2gm", "BC2GM/{}.tsv", _EVERY, "sentence"),
            ("bc5cdr-chemical-iob", "BC5CDR-chem/{}.tsv", _EVERY, "sentence"),
            ("bc5cdr-disease-iob", "BC5CDR-disease/{}.tsv", _EVERY, "sentence"),
            ("ncbi-disease-iob", "NCBI-disease/{}.tsv", _EVERY, "sentence"),
            ("linnaeus", "linnaeus/{}.tsv", _EVERY, "sentence"),
            ("anatem", "AnatEM/{}.tsv", _EVERY, "sentence"),
            ("jnlpba", "JNLPBA/{}.txt", "dev test", "document"),
        )
    },
}

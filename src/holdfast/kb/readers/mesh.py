"""MeSH XML: descriptors (desc*.xml) and supplementary concept records (supp*.xml)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from holdfast import types
from holdfast.errors import FormatError, InputError
from holdfast.files import StrPath, open_bytes
from holdfast.kb.readers.fields import distinct
from holdfast.kb.records import Addition, Entry, Link, Record

# Longest prefix first: the first that fits decides.
_TYPE_OF_BRANCH: Final = (
    ("A11.251", types.CELL_LINE),
    ("A11", types.CELL_TYPE),
    ("F03", types.DISEASE),
    ("A", types.ANATOMY),
    ("B", types.SPECIES),
    ("C", types.DISEASE),
    ("D08.811", types.GENE),  # enzymes
    ("D12.776", types.GENE),  # proteins
    ("D", types.CHEMICAL),
    ("G", types.PROCESS),
)
# A protein in one of these places is a medicine: organic compounds (also joined to a protein),
# cyclic peptides, mixtures such as vaccines and venoms, preparations, and antibodies for treatment.
_MEDICINES: Final = re.compile(
    r"D0[234]|D20|D26|"
    r"D12\.776\.124\.486\.485\.114\.(?:125|224|573|632|619\.393\.(?:536|700))"
)
_HORMONES: Final = "D06.472"
# The stems that the WHO reserves for antibodies, receptors, growth factors, releasing hormones,
# enzymes that dissolve clots, and blood coagulation factors, in any word of a name.
_BIOLOGIC: Final = re.compile(
    r"\b\w{2,}(?:mab|cept|grastim|gramostim|poetin|teplase|kinra|fermin|plermin|nacog|tacog|fusp|"
    r"(?<!gh)relin)\b",
    re.IGNORECASE,
)
# The DTD's SCRClass: 2 is a chemotherapy protocol, 5 a population group.
_TYPE_OF_CLASS: Final = {
    "1": types.CHEMICAL,
    "2": types.OTHER,
    "3": types.DISEASE,
    "4": types.SPECIES,
    "5": types.OTHER,
    "6": types.ANATOMY,
}
_RECORDS: Final = {
    "DescriptorRecordSet": "DescriptorRecord",
    "SupplementalRecordSet": "SupplementalRecord",
}
_REGISTRIES: Final = (
    (re.compile(r"txid(\d+)"), "NCBITaxon"),
    (re.compile(r"(\d{2,7}-\d{2}-\d)"), "CAS"),
    (re.compile(r"([0-9A-Z]{10})"), "UNII"),
)


def type_of_tree_number(tree_number: str) -> str:
    """One of holdfast.types.TYPES for a place in the MeSH tree, e.g. "C10.228" is "Disease"."""
    branches = (kind for branch, kind in _TYPE_OF_BRANCH if tree_number.startswith(branch))
    return next(branches, types.OTHER)


def types_of_tree_numbers(tree_numbers: Iterable[str]) -> tuple[str, ...]:
    """The types of a descriptor with these places.

    A protein is not a chemical as well, unless it is a hormone ("Calcitonin"). One in the place of
    a medicine is a chemical and no gene ("Colistin", "Rituximab").
    """
    numbers = list(tree_numbers)
    found = dict.fromkeys(map(type_of_tree_number, numbers))
    if types.GENE in found:
        if any(map(_MEDICINES.match, numbers)):
            found = {types.CHEMICAL: None} | found
            del found[types.GENE]
        elif not any(number.startswith(_HORMONES) for number in numbers):
            found.pop(types.CHEMICAL, None)
    return tuple(found) or (types.OTHER,)


def is_biologic_name(name: str) -> bool:
    """Whether it is an international name of a medicine that is a protein, as "Etanercept" is."""
    return _BIOLOGIC.search(name) is not None and not is_gene_product(name)


def is_gene_product(name: str) -> bool:
    """Whether a supplementary concept is named after a gene: "F8 protein, human"."""
    return " protein, " in name


def read_mesh(paths: StrPath | Iterable[StrPath]) -> Iterator[Record]:
    """Descriptors and supplementary records as `MESH:D000544`, from any number of XML files.

    A folder stands for its desc* and supp* files. Names are the terms of all concepts of a
    record, permuted ones too; the definition is the preferred concept's scope note. Tree
    numbers give the types (a protein with a pharmacological action is a chemical
    besides) and, after the last file, is_a links between descriptors; a
    supplementary record has a "mapped_to" link for each of its headings. Registry numbers of
    the preferred concept become xrefs (CAS, UNII, NCBITaxon).
    """
    trees: dict[str, str] = {}
    for path in _files(paths):
        for record in _records(path):
            yield _entry(record, path)
            ui = record.findtext("DescriptorUI")
            if ui is not None:
                trees.update((number, ui) for number in _tree_numbers(record))
    yield from _hierarchy(trees)


def _files(paths: StrPath | Iterable[StrPath]) -> Iterator[Path]:
    for path in (paths,) if isinstance(paths, str | PathLike) else paths:
        if not Path(path).is_dir():
            yield Path(path)
            continue
        found = [p for kind in ("desc", "supp") for p in sorted(Path(path).glob(f"{kind}*.xml*"))]
        if not found:
            raise InputError(f"{path}: no desc*.xml or supp*.xml in it")
        yield from found


def _records(path: Path) -> Iterator[ElementTree.Element]:
    """Each record as soon as it is read; the parts that were used are freed."""
    with open_bytes(path) as file:
        events = ElementTree.iterparse(file, events=("start", "end"))
        try:
            _, root = next(events)
            wanted = _RECORDS.get(root.tag)
            if wanted is None:
                raise FormatError(
                    f"<{root.tag}> is not a set of MeSH descriptors or supplementary records",
                    path=path,
                )
            for event, element in events:
                if event == "end" and element.tag == wanted:
                    yield element
                    root.clear()
        except ElementTree.ParseError as error:
            message = f"broken XML ({error}); the file may be cut short"
            raise FormatError(message, path=path, line=error.position[0]) from None
        except (LookupError, ValueError) as error:
            raise FormatError(f"the XML cannot be decoded ({error})", path=path) from None


def _entry(record: ElementTree.Element, path: Path) -> Entry:
    kind = record.tag.removesuffix("Record")
    ui = record.findtext(f"{kind}RecordUI") or record.findtext(f"{kind}UI") or ""
    name = record.findtext(f"{kind}RecordName/String") or record.findtext(f"{kind}Name/String")
    if not ui or not name or not name.strip():
        raise FormatError(f"a {record.tag} without an id or a name: {ui!r}, {name!r}", path=path)
    preferred = record.find("ConceptList/Concept[@PreferredConceptYN='Y']")
    return Entry(
        id=f"MESH:{ui}",
        name=name.strip(),
        synonyms=distinct(_terms(record), but=name.strip()),
        types=_types(record),
        definition=_definition(preferred),
        xrefs=_registry_xrefs(preferred),
        links=_mapped_to(record),
    )


def _terms(record: ElementTree.Element) -> Iterator[str]:
    for concept in record.iterfind("ConceptList/Concept"):
        yield concept.findtext("ConceptName/String") or ""
        for term in concept.iterfind("TermList/Term"):
            yield term.findtext("String") or ""


def _types(record: ElementTree.Element) -> tuple[str, ...]:
    if record.tag == "SupplementalRecord":
        return (_TYPE_OF_CLASS.get(record.get("SCRClass", "1"), types.OTHER),)
    found = types_of_tree_numbers(_tree_numbers(record))
    if types.GENE not in found:
        return found
    others = tuple(type for type in found if type != types.GENE)
    if is_biologic_name(record.findtext("DescriptorName/String") or ""):
        return (types.CHEMICAL, *others)
    if record.find("PharmacologicalActionList/PharmacologicalAction") is not None:
        return (types.GENE, types.CHEMICAL, *others)
    return found


def _tree_numbers(record: ElementTree.Element) -> Iterator[str]:
    for element in record.iterfind("TreeNumberList/TreeNumber"):
        if element.text:
            yield element.text.strip()


def _definition(concept: ElementTree.Element | None) -> str:
    note = None if concept is None else concept.findtext("ScopeNote")
    return " ".join((note or "").split())


def _registry_xrefs(concept: ElementTree.Element | None) -> tuple[str, ...]:
    """From RegistryNumber, which newer files keep in a RegistryNumberList. "0" is none."""
    numbers = () if concept is None else concept.iter("RegistryNumber")
    found = (_registry_xref((number.text or "").strip()) for number in numbers)
    return distinct(found)


def _registry_xref(number: str) -> str:
    for pattern, prefix in _REGISTRIES:
        if match := pattern.fullmatch(number):
            return f"{prefix}:{match[1]}"
    return ""


def _mapped_to(record: ElementTree.Element) -> tuple[Link, ...]:
    """The headings of a supplementary record. A star marks the main one and is no part of it."""
    path = "HeadingMappedToList/HeadingMappedTo/DescriptorReferredTo/DescriptorUI"
    uis = distinct((element.text or "").lstrip("*") for element in record.iterfind(path))
    return tuple(Link("mapped_to", f"MESH:{ui}") for ui in uis)


def _hierarchy(trees: dict[str, str]) -> Iterator[Addition]:
    """is_a links from every tree number's descriptor to that of the number above it."""
    parents: dict[str, dict[str, None]] = {}
    for number, ui in trees.items():
        parent = trees.get(number.rpartition(".")[0])
        if parent is not None and parent != ui:
            parents.setdefault(ui, {})[parent] = None
    for ui, uis in parents.items():
        yield Addition(f"MESH:{ui}", links=tuple(Link("is_a", f"MESH:{p}") for p in uis))

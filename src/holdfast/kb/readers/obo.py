"""Ontologies in OBO 1.4 (and the older flavours that are still handed out)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Final

from holdfast import types
from holdfast.errors import FormatError
from holdfast.files import StrPath, raw_lines
from holdfast.kb.readers import obo_syntax
from holdfast.kb.readers.fields import canonical_curie, distinct
from holdfast.kb.records import Addition, Entry, Link, Record

_TYPE_OF_PREFIX: Final = {
    "CHEBI": types.CHEMICAL,
    "CL": types.CELL_TYPE,
    "CLO": types.CELL_LINE,
    "DOID": types.DISEASE,
    "HGNC": types.GENE,
    "HP": types.PHENOTYPE,
    "MONDO": types.DISEASE,
    "NCBITaxon": types.SPECIES,
    "PR": types.GENE,
    "UBERON": types.ANATOMY,
}
_GO_PROCESS: Final = "biological_process"
SCOPES: Final = ("EXACT", "RELATED")
SKIPPED_SYNONYM_TYPES: Final = ("DEPRECATED", "DUBIOUS", "OBSOLETE_SYNONYM")


@dataclass(slots=True)
class _Term:
    """What the lines of one [Term] stanza have said so far."""

    line: int
    id: str = ""
    name: str = ""
    namespace: str = ""
    definition: str = ""
    is_obsolete: bool = False
    synonyms: list[obo_syntax.Synonym] = field(default_factory=list)
    xrefs: list[str] = field(default_factory=list)
    parents: list[str] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    replaced_by: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Choice:
    """What to keep of a file."""

    prefixes: frozenset[str] | None
    type: str | None
    scopes: frozenset[str]
    skipped: frozenset[str]

    def keeps(self, term: _Term) -> bool:
        prefix = term.id.partition(":")[0]
        return not term.is_obsolete and (self.prefixes is None or prefix in self.prefixes)

    def entry(self, term: _Term) -> Entry:
        kept = (
            synonym.text
            for synonym in term.synonyms
            if synonym.scope in self.scopes and synonym.type.upper() not in self.skipped
        )
        parents = (Link("is_a", parent) for parent in distinct(term.parents, but=term.id))
        kind = self.type or _type_of(term)
        return Entry(
            id=term.id,
            name=term.name,
            synonyms=distinct(kept, but=term.name),
            types=(kind,) if kind else (),
            definition=term.definition,
            xrefs=distinct(term.xrefs, but=term.id),
            links=(*parents, *dict.fromkeys(term.links)),
        )


def read_obo(
    path: StrPath,
    *,
    prefixes: Collection[str] | None = None,
    type: str | None = None,
    scopes: Collection[str] = SCOPES,
    skipped_synonym_types: Collection[str] = SKIPPED_SYNONYM_TYPES,
) -> Iterator[Record]:
    """The terms of an ontology that are named and not obsolete.

    prefixes  keep only terms such as "MONDO:…" for ("MONDO",), without what was imported
    type      the type of every term; None knows it from the prefix for the common ontologies
    scopes    which synonyms are names. NARROW and BROAD ones are left out by default: they
              name another, narrower or broader thing, for which linking would be wrong
    skipped_synonym_types  synonym types whose synonyms are left out, in any case

    Xrefs and alt_ids become xrefs, and so does an obsolete term's id for the term that
    replaces it. Xrefs that are no CURIE, and terms without a name, are left out.

    A file that is cut off is a FormatError wherever that can be told: it has no [Term]; its
    last line does not end, or ends inside quotes; its last term has no name; or it ends inside
    a stanza (no empty line follows) while some is_a parent was never defined.
    """
    choice = _Choice(
        None if prefixes is None else frozenset(prefixes),
        type,
        frozenset(scope.upper() for scope in scopes),
        frozenset(kind.upper() for kind in skipped_synonym_types),
    )
    replaced: list[Addition] = []
    for term in _terms(path):
        if term.is_obsolete:
            replaced += (Addition(new, xrefs=(term.id,)) for new in term.replaced_by)
        elif term.name and choice.keeps(term):
            yield choice.entry(term)
    yield from replaced


def _type_of(term: _Term) -> str:
    prefix = term.id.partition(":")[0]
    if prefix == "GO":
        return types.PROCESS if term.namespace == _GO_PROCESS else types.OTHER
    return _TYPE_OF_PREFIX.get(prefix, "")


def _terms(path: StrPath) -> Iterator[_Term]:
    """Every [Term] stanza, obsolete ones too; refuses a file that is cut off."""
    term: _Term | None = None
    last: _Term | None = None
    number, line = 0, ""
    defined: set[str] = set()
    awaited: set[str] = set()
    for number, line in raw_lines(path):
        if not line.endswith("\n"):
            message = "the last line does not end: the file is cut off, or lacks its last line end"
            raise FormatError(message, path=path, line=number)
        text = line.strip()
        if text.startswith("["):
            if term is not None:
                yield _checked(term, path)
            term = _Term(number) if _stanza(text, path, number) == "Term" else None
            last = term or last
        elif text and not text.startswith("!"):
            _read_clause(term, text, path, number)
            if term is not None:
                _expect(term, defined, awaited)
    if last is None:
        raise FormatError("no [Term] in the file: is it OBO, and is it whole?", path=path)
    if term is not None:
        if not term.name and not term.is_obsolete:
            message = f"the last term has no name ({term.id or 'and no id'}); the file is cut off"
            raise FormatError(message, path=path, line=number)
        yield _checked(term, path)
    if line.strip() and (missing := _undefined(awaited, defined)):
        message = f"the file ends inside a stanza, and {missing} is never defined: it is cut off"
        raise FormatError(message, path=path, line=number)


def _stanza(text: str, path: StrPath, line: int) -> str:
    name, bracket, _ = text[1:].partition("]")
    if not bracket:
        raise FormatError(f"{text!r} is no stanza header", path=path, line=line)
    return name.strip()


def _checked(term: _Term, path: StrPath) -> _Term:
    if not term.id:
        raise FormatError("a [Term] without an id", path=path, line=term.line)
    return term


def _expect(term: _Term, defined: set[str], awaited: set[str]) -> None:
    """Keep account of which terms are defined and which are only spoken of as parents."""
    defined.add(term.id)
    awaited.discard(term.id)
    awaited.update(parent for parent in term.parents[-1:] if parent not in defined)


def _undefined(awaited: set[str], defined: set[str]) -> str:
    """A parent that this very ontology should define and does not; "" if there is none."""
    own = {term_id.partition(":")[0] for term_id in defined}
    return min((parent for parent in awaited if parent.partition(":")[0] in own), default="")


def _read_clause(term: _Term | None, text: str, path: StrPath, line: int) -> None:
    try:
        tag, value = obo_syntax.split_clause(text)
        if term is not None and tag in _CLAUSES:
            _CLAUSES[tag](term, value)
    except ValueError as error:
        raise FormatError(str(error), path=path, line=line) from None


def _set_id(term: _Term, value: str) -> None:
    term.id = obo_syntax.first_word(value)
    if ":" not in term.id:
        raise ValueError(f"the id {term.id!r} has no prefix; write it as PREFIX:{term.id}")


def _set_name(term: _Term, value: str) -> None:
    term.name = " ".join(obo_syntax.plain(value).split())


def _set_definition(term: _Term, value: str) -> None:
    term.definition = obo_syntax.quoted(value).strip()


def _set_namespace(term: _Term, value: str) -> None:
    term.namespace = obo_syntax.plain(value)


def _set_obsolete(term: _Term, value: str) -> None:
    term.is_obsolete = obo_syntax.plain(value) == "true"


def _add_synonym(term: _Term, value: str) -> None:
    term.synonyms.append(obo_syntax.synonym(value))


def _add_xref(term: _Term, value: str) -> None:
    if curie := canonical_curie(obo_syntax.first_word(value)):
        term.xrefs.append(curie)


def _add_parent(term: _Term, value: str) -> None:
    parent = obo_syntax.first_word(value)
    if not parent:
        raise ValueError("an is_a without an id")
    term.parents.append(parent)


def _add_relationship(term: _Term, value: str) -> None:
    words = obo_syntax.plain_words(value)
    if len(words) < 2:
        raise ValueError(f"a relationship needs a name and an id: {value[:60]!r}")
    term.links.append(Link(words[0], words[1]))


def _add_replacement(term: _Term, value: str) -> None:
    term.replaced_by.append(obo_syntax.first_word(value))


_CLAUSES: Final[dict[str, Callable[[_Term, str], None]]] = {
    "id": _set_id,
    "name": _set_name,
    "namespace": _set_namespace,
    "def": _set_definition,
    "synonym": _add_synonym,
    "xref": _add_xref,
    "alt_id": _add_xref,
    "is_a": _add_parent,
    "relationship": _add_relationship,
    "is_obsolete": _set_obsolete,
    "replaced_by": _add_replacement,
}

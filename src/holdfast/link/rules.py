"""A rules file: the cheap fix for what a linker gets wrong.

    block = ["cell lines", "pilot"]         # never mentions
    drop_types = ["process"]                # mentions of these types are left out

    [pin]                                   # always this entity, whatever else would speak
    "AD" = "MESH:D003876"

    [synonyms]                              # more names for an entity
    "MESH:D003924" = ["adult sugar disease", "T2DM"]

Names are compared as the knowledge base's are: case, plural and spelling do not matter in longer
ones. A rule that decides shows up as evidence.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from holdfast.document import Candidate, Document, Evidence, Mention, Span
from holdfast.errors import FormatError, InputError, UnknownEntityError, UsageError
from holdfast.kb.own_types import own_types, parse_types
from holdfast.kb.store import KnowledgeBase
from holdfast.names.credible import is_credible
from holdfast.text.lines import on_one_line, unwrapped
from holdfast.text.tokens import TOKEN, key_of
from holdfast.types import canonical_type

_KEYS: Final = ("block", "drop_types", "pin", "synonyms")
_LONGEST: Final = 12  # tokens of a name in a rule


@dataclass(frozen=True, slots=True)
class Rule:
    """One name that a rule speaks of."""

    name: str
    entity_id: str = ""  # "" blocks the name
    kind: str = "block"  # "block", "pin" or "synonym"


@dataclass(frozen=True, slots=True)
class Rules:
    """What a rules file says, as two steps of a pipeline: `find` and `decide`."""

    by_key: Mapping[str, tuple[Rule, ...]] = field(default_factory=dict)
    dropped_types: frozenset[str] = frozenset()
    labels: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # id -> name, type

    def find(self, document: Document) -> Document:
        """After detection: without what is blocked or dropped, with the names of the rules."""
        added = list(self._named(unwrapped(document.text)))
        kept = [
            mention
            for mention in document.mentions
            if not self._is_unwanted(on_one_line(document.text_of(mention)), mention.type)
            and not any(a.start < mention.end and mention.start < a.end for a in added)
        ]
        return document.with_mentions(sorted([*kept, *added], key=lambda m: m.spans))

    def decide(self, document: Document) -> Document:
        """After linking: the rules' entities come first, with a score of 1."""
        return document.with_mentions(
            self._decided(mention, on_one_line(document.text_of(mention)))
            for mention in document.mentions
        )

    def _decided(self, mention: Mention, surface: str) -> Mention:
        rule = self._rule_for(surface)
        if rule is None or rule.kind == "block":
            return mention
        others = [c for c in mention.candidates if c.entity_id != rule.entity_id]
        if rule.kind == "pin":
            others = []
        said = f"the rules {rule.kind} “{rule.name}” to {rule.entity_id}"
        if rule.kind == "synonym":
            said = f"the rules call {rule.entity_id} “{rule.name}”"
        label, type = self.labels[rule.entity_id]
        best = Candidate(
            entity_id=rule.entity_id,
            name=rule.name,
            label=label,
            score=1.0,
            evidence=(Evidence("rule", said),),
        )
        return replace(
            mention,
            type=mention.type or type,
            ids=(rule.entity_id,),
            candidates=(best, *others),
        )

    def _named(self, text: str) -> Iterator[Mention]:
        """The longest stretches, from the left, that a rule pins or adds."""
        tokens = [token.span() for token in TOKEN.finditer(text)]
        end = 0
        for first, (start, _) in enumerate(tokens):
            if start < end:
                continue
            for _, last in reversed(tokens[first : first + _LONGEST]):
                rule = self._rule_for(text[start:last])
                if rule is not None and rule.kind != "block":
                    yield Mention((Span(start, last),), type=self.labels[rule.entity_id][1])
                    end = last
                    break

    def _rule_for(self, surface: str) -> Rule | None:
        if "\n" in surface:
            return None
        rules = self.by_key.get(key_of(surface), ())
        return next((rule for rule in rules if is_credible(surface, rule.name)), None)

    def reasons_against(self, surface: str) -> Iterator[str]:
        """Why the rules keep a mention out, in words: it is blocked, or its type may be dropped."""
        rule = self._rule_for(surface)
        if rule is not None and rule.kind == "block":
            yield f"the rules block “{rule.name}”"
        elif self.dropped_types:
            yield f"the rules drop what is of the type {', '.join(sorted(self.dropped_types))}"

    def _is_unwanted(self, surface: str, type: str) -> bool:
        rule = self._rule_for(surface)
        blocked = rule is not None and rule.kind == "block"
        return blocked or canonical_type(type) in self.dropped_types


def read_rules(path: Path, kb: KnowledgeBase) -> Rules:
    """Read a rules file and check it against the knowledge base; mistakes name the file."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise FormatError(f"not UTF-8 ({error.reason})", path=path) from error
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        raise FormatError(
            f"not TOML: {error}", path=path, line=int(line[1]) if line else None
        ) from error
    try:
        return _rules(data, kb)
    except (FormatError, UnknownEntityError) as error:
        raise FormatError(str(error), path=path) from error


def _rules(data: Mapping[str, Any], kb: KnowledgeBase) -> Rules:
    if unknown := sorted(set(data) - set(_KEYS)):
        raise FormatError(f"no rule is called {unknown[0]!r}; there is: {', '.join(_KEYS)}")
    rules = [Rule(name) for name in _strings(data.get("block", []), "block")]
    for name, id in _table(data, "pin").items():
        if not isinstance(id, str):
            raise FormatError(f'pin: "{name}" needs one id, not {id!r}')
        rules.append(Rule(name, id, "pin"))
    for id, names in _table(data, "synonyms").items():
        rules += [Rule(name, id, "synonym") for name in _strings(names, f'synonyms of "{id}"')]
    dropped = _strings(data.get("drop_types", []), "drop_types")
    try:
        dropped_types = frozenset(parse_types(dropped, own_types(kb)) if dropped else ())
    except UsageError as error:
        raise FormatError(f"drop_types: {error}") from error
    by_key: dict[str, tuple[Rule, ...]] = {}
    labels = {}
    for rule in rules:
        key = key_of(rule.name)
        if not key:
            raise FormatError(f"the name {rule.name!r} has no letter or digit")
        by_key[key] = (*by_key.get(key, ()), rule)
        if rule.entity_id:
            entity = kb.entity(rule.entity_id)
            labels[rule.entity_id] = (entity.name, next(iter(entity.types), ""))
    return Rules(by_key, dropped_types, labels)


def _strings(value: Any, where: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise FormatError(f"{where} must be a list of names, not {value!r}")
    return value


def _table(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = data.get(key, {})
    if not isinstance(value, dict):
        raise FormatError(f"{key} must be a table, not {value!r}")
    return value

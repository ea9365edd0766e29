"""Knowledge bases and their entities, for people to read in a terminal, or as one JSON object."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from holdfast.kb.describe import KbDescription, SearchHit, describe, entity_to_json
from holdfast.kb.mapping import IdMapper, id_in
from holdfast.kb.places import Damaged
from holdfast.kb.records import Entity
from holdfast.kb.store import KnowledgeBase
from holdfast.text.safe import json_safe, one_line, safe_stream


def print_kb(kb: KnowledgeBase, *, as_json: bool = False) -> None:
    """Print what a knowledge base holds."""
    if as_json:
        _print_json(describe(kb).to_json())
    else:
        print_description(describe(kb))


def print_all_kbs(
    sound: Sequence[KnowledgeBase], damaged: Sequence[Damaged], *, as_json: bool
) -> None:
    """Print every knowledge base; those that are damaged are named on standard error."""
    if as_json:
        _print_json(
            {
                "knowledge_bases": [describe(kb).to_json() for kb in sound],
                "damaged": [broken.to_json() for broken in damaged],
            }
        )
        return
    if not sound and not damaged:
        print("No knowledge base yet. Try `holdfast kb get open`.")
    for kb in sound:
        print_kb(kb)
    for broken in damaged:
        print(one_line(f"{broken.name} cannot be opened: {broken.problem}"), file=sys.stderr)


def print_description(description: KbDescription) -> None:
    """Print a knowledge base's size, its vocabularies, and the licence of each."""
    console = Console(highlight=False, markup=False)
    title = Text(one_line(description.name), style="bold")
    title.append(
        f"  {description.entities:,} entities, {description.names:,} names, "
        f"{description.megabytes:,.0f} MB, digest {description.digest[:12]}",
        style="not bold",
    )
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("vocabulary")
    table.add_column("version")
    table.add_column("entities", justify="right")
    table.add_column("licence", overflow="fold")
    for source, entities in description.sources:
        name, version, licence = map(one_line, (source.name, source.version, source.licence))
        table.add_row(name, version, f"{entities:,}", licence)
    kinds = one_line(", ".join(f"{type} {count:,}" for type, count in description.types))
    console.print(Group(title, table, Text(f"types: {kinds}", style="dim")))


def print_found(found: Sequence[SearchHit], *, as_json: bool) -> None:
    """Print the answers of a search, the best first."""
    if as_json:
        _print_json({"found": [item.to_json() for item in found]})
        return
    console = Console(highlight=False, markup=False)
    if not found:
        console.print("Nothing is called that, or nearly so.")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("id", "concept", "matching name", "types", "vocabulary"):
        table.add_column(column, overflow="fold")
    table.add_column("score", justify="right")
    for item in found:
        entity = item.entity
        kinds = ", ".join(entity.types)
        name = item.name if item.origin == entity.source else f"{item.name} ({item.origin})"
        cells = map(one_line, (entity.id, entity.name, name, kinds, entity.source))
        table.add_row(*cells, f"{item.score:.2f}")
    console.print(table)


def print_entity(entity: Entity, *, as_json: bool) -> None:
    """Print all that is known of one entity."""
    if as_json:
        _print_json(entity_to_json(entity))
        return
    console = Console(highlight=False, markup=False)
    rows = (
        ("name", entity.name),
        *_synonyms(entity),
        ("types", ", ".join(entity.types)),
        ("definition", entity.definition),
        ("same as", ", ".join(entity.xrefs)),
        ("links", ", ".join(f"{link.predicate} {link.object_id}" for link in entity.links)),
        ("vocabulary", entity.source),
    )
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for key, value in rows:
        if value:
            table.add_row(one_line(key), one_line(value))
    console.print(Group(Text(one_line(entity.id), style="bold"), table))


def _synonyms(entity: Entity) -> Iterable[tuple[str, str]]:
    """A row for the synonyms of the entity's own vocabulary, then one for each other origin."""
    by_origin: dict[str, list[str]] = {entity.source: []}
    for synonym, origin in zip(entity.synonyms, entity.origins[1:], strict=True):
        by_origin.setdefault(origin, []).append(synonym)
    for origin, synonyms in by_origin.items():
        title = "synonyms" if origin == entity.source else f"synonyms of {origin}"
        yield title, "; ".join(synonyms)


def print_mapped(ids: Iterable[str], mapper: IdMapper, *, as_json: bool) -> None:
    """Print ids and their targets as lines of three fields, or as one JSON object."""
    mapped = {id: mapper.targets(id) for id in (id_in(mapper.kb, id) for id in ids)}
    if as_json:
        items = [
            {"id": id, "targets": [{"id": t.id, "via": list(t.via)} for t in targets]}
            for id, targets in mapped.items()
        ]
        _print_json({"to": mapper.prefix, "mapped": items})
        return
    stream = safe_stream(sys.stdout)
    for id, targets in mapped.items():
        for target in targets:
            print(id, target.id, target.way, sep="\t", file=stream)
        if not targets:
            print(id, "", "", sep="\t", file=stream)
    missing = [id for id, targets in mapped.items() if not targets]
    if missing:
        line = f"no {mapper.prefix} id is known for {len(missing)} of {len(mapped)} ids"
        Console(stderr=True).print(one_line(line), highlight=False, markup=False, soft_wrap=True)


def _print_json(value: Mapping[str, Any]) -> None:
    print(json_safe(json.dumps(value, ensure_ascii=False)))

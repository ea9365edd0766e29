"""The report of a type system: one HTML file with its commonest types, a histogram and examples."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from holdfast.errors import FormatError
from holdfast.files import replacing_text
from holdfast.systems.bier.diagnosis.html import bars, page, table
from holdfast.systems.bier.training.build import open_type_system, read_statistics
from holdfast.systems.bier.training.sample import FILE as SAMPLE
from holdfast.systems.bier.type_list import TypeList

JUDGEMENTS: Final = ("right", "partly", "wrong")
_TOP: Final = 100
_BARS: Final = 60  # the rest of the histogram is one bar


def write_type_report(name: str | Path, out: Path, *, judged: Path | None = None) -> None:
    """Write the report of a type system. `judged` is its sample with the judgements filled in.

    It reads the list of types, what was counted and the sample, and none of the triples, so that
    its memory does not grow with them.
    """
    folder, manifest = open_type_system(name)
    statistics = read_statistics(folder)
    types = TypeList.read(folder)
    sample = judged or folder / SAMPLE
    rows = list(_read_sample(sample))
    body = [
        *_summary(statistics, manifest.config),
        "<h2>The commonest types</h2>",
        table(
            "types",
            ("rank", "type", "triples", "share %", "categories"),
            (
                (rank, t.name, t.count, 100 * t.count / max(1, statistics["triples"]), len(t.keys))
                for rank, t in enumerate(types.types[:_TOP], 1)
            ),
        ),
        "<h2>Types per mention</h2>",
        bars("triples by their number of types", "types", _histogram(statistics)),
        "<h2>A random sample of triples</h2>",
        _judged(count_judgements(sample)),
        table(
            "sample", tuple(rows[0]) if rows else ("mention",), (tuple(r.values()) for r in rows)
        ),
    ]
    with replacing_text(out) as stream:
        stream.write(page(f"Type system {folder.name}", body))


def _summary(statistics: Mapping[str, Any], config: Mapping[str, Any]) -> Iterator[str]:
    passed = max(1, statistics["mentions_that_pass"])
    yield (
        f"<p>{statistics['types']:,} types from {statistics['triples']:,} triples: mentions of "
        f"{statistics['documents']:,} documents, linked to {config.get('kb', 'a knowledge base')} "
        f"by the model {config.get('model', '')}. Categories: "
        f"{', '.join(config.get('sources', ()))}.</p>"
    )
    yield (
        f"<p>{statistics['mentions']:,} mentions were found; {statistics['mentions_that_pass']:,} "
        "have a concept that passes the filter. Several concepts pass for "
        f"{statistics['several_concepts']:,} of these "
        f"({100 * statistics['several_concepts'] / passed:.1f} %); the types of equivalents of "
        f"other vocabularies were united for {statistics['with_equivalents']:,} "
        f"({100 * statistics['with_equivalents'] / passed:.1f} %). "
        f"{statistics['removed_documents']:,} documents were left out because they are evaluated "
        "somewhere.</p>"
    )


def _histogram(statistics: Mapping[str, Any]) -> list[tuple[str, float]]:
    counts = {int(key): float(value) for key, value in statistics["types_per_triple"].items()}
    found = [(str(n), counts.get(n, 0.0)) for n in range(1, min(_BARS, max(counts, default=0)) + 1)]
    more = sum(value for key, value in counts.items() if key > _BARS)
    return [*found, (f">{_BARS}", more)] if more else found


def _read_sample(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        yield from csv.DictReader(stream, delimiter="\t")


def count_judgements(path: Path) -> dict[str, int]:
    """How many triples of a sample are judged right, partly right (the concept is, and a type is
    false of what is meant) and wrong. FormatError at any other word."""
    counts = dict.fromkeys(JUDGEMENTS, 0)
    for number, row in enumerate(_read_sample(path), start=2):
        word = (row.get("judgement") or "").strip().casefold()
        if word and word not in counts:
            message = f"{word!r} is no judgement; it is one of: {', '.join(JUDGEMENTS)}"
            raise FormatError(message, path=path, line=number)
        if word:
            counts[word] += 1
    return counts


def _judged(counts: Mapping[str, int]) -> str:
    """What people said of the sample, if somebody judged it."""
    total = sum(counts.values())
    if not total:
        return f'<p class="muted">Nobody has judged it yet: fill in {" or ".join(JUDGEMENTS)}.</p>'
    right, partly = counts["right"], counts["partly"]
    also = f"; of {partly} the concept is right, and a type is not" if partly else ""
    return (
        f"<p>{right} of {total} judged triples are right ({100 * right / total:.0f} %){also}.</p>"
    )


def describe_types(name: str | Path, *, judged: Path | None = None) -> dict[str, Any]:
    """What was counted when a type system was built, and the judgements of its sample."""
    folder, manifest = open_type_system(name)
    told: dict[str, Any] = {"types_of": folder.name, **read_statistics(folder)}
    told |= {key: manifest.config.get(key) for key in ("kb", "model", "sources")}
    told["type_system_digest"] = manifest.digest
    if judged is not None:
        told["judged"] = count_judgements(judged)
    return told

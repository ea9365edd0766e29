"""The report as one HTML page that needs nothing besides itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, Final

from holdfast.text.safe import one_line

_STYLE: Final = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; }
th, td { padding: .15rem .8rem .15rem 0; text-align: left; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
.bar { display: inline-block; height: .7rem; background: #4a7fb5; border-radius: 2px; }
.facts td:first-child { color: GrayText; }
"""
_FACTS: Final = (
    ("documents", "documents in the output"),
    ("quarantined", "records in quarantine"),
    ("mentions", "mentions"),
    ("linked", "linked mentions"),
    ("nil", "mentions that fit no concept (NIL)"),
    ("nil_share", "share of these"),
    ("distinct_concepts", "distinct concepts"),
    ("characters", "characters of text"),
    ("shards", "output files"),
    ("output_bytes", "bytes of output"),
)
_TIMING: Final = (
    ("engine", "engine"),
    ("workers", "workers"),
    ("worker_deaths", "workers that died and were replaced"),
    ("wall_seconds", "seconds, this run"),
    ("documents_this_run", "documents, this run"),
    ("documents_per_second", "documents/s, this run"),
    ("worker_seconds", "seconds of all workers"),
    ("documents_per_worker_second", "documents/s of one worker"),
)
_WIDEST: Final = 240  # pixels of the longest bar


def report_page(report: Mapping[str, Any]) -> str:
    """The whole page. Everything that comes from documents or vocabularies is escaped."""
    concepts = [
        (one["label"] or one["id"], one["id"], one["mentions"]) for one in report["top_concepts"]
    ]
    parts = [
        "<h1>Annotated documents</h1>",
        _facts(report, _FACTS),
        _bars("Mentions by type", report["types"].items()),
        _bars("Links by vocabulary", report["vocabularies"].items()),
        _concepts(concepts),
        _bars("What the output format cannot hold", report["not_held_by_the_format"].items()),
        _bars("Files of folders that were left out", report["files_left_out"].items()),
        "<h2>Timing</h2>",
        _facts(report["timing"], _TIMING),
        "<h2>Settings</h2>",
        _settings(report["settings"]),
    ]
    body = "\n".join(part for part in parts if part)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>Annotated documents</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def _facts(values: Mapping[str, Any], facts: Sequence[tuple[str, str]]) -> str:
    rows = "".join(
        f'<tr><td>{text}</td><td class="number">{_shown(values[key])}</td></tr>'
        for key, text in facts
    )
    return f'<table class="facts">{rows}</table>'


def _bars(title: str, counts: Iterable[tuple[str, int]]) -> str:
    listed = list(counts)
    if not listed:
        return ""
    most = max(count for _, count in listed)
    rows = "".join(
        f'<tr><td>{_text(name)}</td><td class="number">{count:,}</td><td>{_bar(count, most)}</td>'
        "</tr>"
        for name, count in listed
    )
    return f"<h2>{title}</h2><table>{rows}</table>"


def _concepts(concepts: Sequence[tuple[str, str, int]]) -> str:
    if not concepts:
        return ""
    most = concepts[0][2]
    rows = "".join(
        f"<tr><td>{_text(label)}</td><td>{_text(id)}</td>"
        f'<td class="number">{count:,}</td><td>{_bar(count, most)}</td></tr>'
        for label, id, count in concepts
    )
    return f"<h2>Most frequent concepts</h2><table>{rows}</table>"


def _settings(settings: Mapping[str, Any]) -> str:
    rows = "".join(
        f"<tr><td>{_text(name)}</td><td>{_text(value)}</td></tr>"
        for name, value in _flat("", settings)
    )
    return f'<table class="facts">{rows}</table>'


def _flat(before: str, values: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    for key, value in values.items():
        name = f"{before} {key}".strip()
        if isinstance(value, Mapping):
            yield from _flat(name, value)
        else:
            yield name, "" if value is None else str(value)


def _bar(count: int, most: int) -> str:
    return f'<span class="bar" style="width:{max(1, round(_WIDEST * count / most))}px"></span>'


def _shown(value: object) -> str:
    return f"{value:,}" if isinstance(value, int | float) else _text(str(value))


def _text(text: str) -> str:
    return escape(one_line(text))

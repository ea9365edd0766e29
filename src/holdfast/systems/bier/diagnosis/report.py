"""The diagnosis as one HTML file: tables that sort and filter, plots, and types to switch off.

The sparse vectors of queries and neighbours lie in the page, packed, so that the browser itself
finds the neighbours again when a type is switched off: no server, no training.
"""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from holdfast.files import replacing_text
from holdfast.systems.bier.diagnosis.diagnose import (
    Case,
    Diagnosis,
    TypeRank,
    diagnose_labels,
)
from holdfast.systems.bier.diagnosis.html import page, ranked_bars, table
from holdfast.systems.bier.sparse import SparseVectors, packed, unpacked
from holdfast.systems.bier.stored import Represented

_QUERIES: Final = 8000  # that a page holds at most
_STORED: Final = 16000
_CASES: Final = 400
_KEPT: Final = 32  # types of a mention: as many as `represent` keeps


def for_page(vectors: SparseVectors) -> SparseVectors:
    """What a page holds of sparse vectors: the top types, with one byte for each probability."""
    types, values = vectors.types[:, :_KEPT], vectors.values[:, :_KEPT]
    return SparseVectors(types, unpacked(packed(values)), vectors.dimensions)


def write_label_report(
    queries: Represented, stored: Represented, out: Path, *, title: str
) -> Diagnosis:
    """Diagnose nearest-neighbour classification and write the page; the diagnosis is returned.

    A set that is too large for a page is drawn from at random, and the page says so.
    """
    drawn = _some(queries, _QUERIES), _some(stored, _STORED)
    notes = [
        f"{len(part):,} of {len(whole):,} {what} are in this page, drawn at random."
        for part, whole, what in zip(
            drawn, (queries, stored), ("mentions", "neighbours"), strict=True
        )
        if len(part) < len(whole)
    ]
    queries, stored = (_with_page_vectors(part) for part in drawn)
    found = diagnose_labels(queries, stored, title=title)
    data = {
        "kept": queries.sparse.types.shape[1],
        "names": list(stored.types),
        "queries": _island(queries),
        "stored": _island(stored),
        "denseRight": _bits([case.dense_right for case in found.cases]),
        "figures": dict(found.figures),
    }
    write_page(found, out, data=data, notes=notes)
    return found


def write_page(
    diagnosis: Diagnosis,
    out: Path,
    *,
    data: dict[str, Any] | None = None,
    notes: Sequence[str] = (),
) -> None:
    """Write the page of any diagnosis; only with `data` can types be switched off."""
    script = ""
    if data is not None:
        script = (files(__package__) / "switch.js").read_text(encoding="utf-8")
    island = "" if data is None else json.dumps(data, ensure_ascii=False).replace("</", "<\\/")
    with replacing_text(out) as stream:
        body = _body(diagnosis, notes, switched=data is not None)
        stream.write(page(diagnosis.title, body, script=script, data=island))


def _body(diagnosis: Diagnosis, notes: Sequence[str], *, switched: bool) -> Iterator[str]:
    yield from (f'<p class="muted">{note}</p>' for note in notes)
    yield "<h2>Figures</h2>"
    rows = [
        (
            _FIGURES.get(name, name),
            f"{value:,.0f}" if name in ("n", "z") else f"{100 * value:.2f} %",
        )
        for name, value in diagnosis.figures.items()
    ]
    yield table("figures", ("figure", "value"), rows, filtered=False)
    if switched:
        yield _switches(diagnosis)
    yield "<h2>Types more frequent in errors</h2>"
    yield table("errors", _RANKS, _rank_rows(diagnosis.in_errors))
    yield ranked_bars("difference of ranks, types in errors", _differences(diagnosis.in_errors))
    yield "<h2>Types more frequent in successes</h2>"
    yield table("successes", _RANKS, _rank_rows(diagnosis.in_successes))
    yield ranked_bars(
        "difference of ranks, types in successes", _differences(diagnosis.in_successes)
    )
    yield "<h2>Errors by what the mention is</h2>"
    yield ranked_bars("errors of the sparse answer", _errors_by_label(diagnosis.cases))
    yield "<h2>Mentions that went wrong</h2>"
    columns = ("mention", "gold", "z", "its types", "sparse answer", "dense answer", "first right")
    wrong = sorted((c for c in diagnosis.cases if not c.sparse_right), key=lambda c: not c.in_z)
    yield f'<p class="muted">{min(len(wrong), _CASES):,} of {len(wrong):,} are shown.</p>'
    yield table("cases", columns, (_case_row(c, diagnosis.names) for c in wrong[:_CASES]))


_FIGURES: Final = {
    "n": "mentions",
    "sparse": "sparse: the answer by types is right",
    "dense": "dense: the answer by the vector behind them is right",
    "oracle": "oracle: one of the two is right",
    "z": "Z: mentions where dense is right and sparse is wrong",
}
_RANKS: Final = ("type", "rank here", "rank there", "difference", "count here", "count there")


def _rank_rows(ranks: Sequence[TypeRank]) -> Iterator[tuple[str | int, ...]]:
    for r in ranks:
        yield r.type, r.rank, r.other_rank, r.other_rank - r.rank, r.count, r.other_count


def _differences(ranks: Sequence[TypeRank]) -> list[tuple[str, float]]:
    return [(rank.type, float(rank.other_rank - rank.rank)) for rank in ranks[:15]]


def _errors_by_label(cases: Sequence[Case]) -> list[tuple[str, float]]:
    counts = Counter(case.gold for case in cases if not case.sparse_right)
    return [(label, float(count)) for label, count in counts.most_common(20)]


def _switches(diagnosis: Diagnosis) -> str:
    """Every type of the page with a switch; the figures beside it change in the browser."""
    errors, successes = Counter[int](), Counter[int]()
    for case in diagnosis.cases:
        (successes if case.sparse_right else errors).update(case.types.tolist())
    types = sorted(errors | successes, key=lambda t: -(errors[t] + successes[t]))
    lines = "".join(
        f'<tr><td><input type="checkbox" checked data-type="{type}" '
        f'aria-label="type {number}"></td><td>{escape(diagnosis.names[type])}</td>'
        f'<td class="number" data-value="{errors[type]}">{errors[type]:,}</td>'
        f'<td class="number" data-value="{successes[type]}">{successes[type]:,}</td></tr>'
        for number, type in enumerate(types)
    )
    heads = "".join(
        f'<th scope="col"{kind}><button>{name}</button></th>'
        for name, kind in (
            ("on", ""),
            ("type", ""),
            ("mentions that went wrong", ' class="number"'),
            ("that went right", ' class="number"'),
        )
    )
    return (
        "<h2>Switch types off</h2><p>Take away a type and the neighbours are found again, in this "
        'page. <output id="switched" data-sparse="">all types are on</output></p>'
        '<p><button id="all-on">switch all on</button> '
        '<button id="save">save as a file of weights</button></p>'
        '<input type="search" data-filters="switches" placeholder="filter" aria-label="filter">'
        f'<div class="scrolled"><table class="sortable" id="switches">'
        f"<thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table></div>"
    )


def _case_row(case: Case, names: Sequence[str]) -> tuple[str, ...]:
    own = ", ".join(names[type] for type in case.types[:6].tolist())
    answers = (case.sparse, case.dense, case.counterfactual)
    told = []
    for answer in answers:
        if answer is None:
            told.append("")
            continue
        driven = ", ".join(
            f"{name} {product:.2f}" for name, _, product in answer.to_json(case, names)["types"][:5]
        )
        told.append(f"{answer.text} ({answer.label}): {driven}")
    return case.text, case.gold, "z" if case.in_z else "", own, *told


def _some(whole: Represented, most: int) -> Represented:
    """All, or so many drawn at random, always the same."""
    if len(whole) <= most:
        return whole
    drawn = np.sort(np.random.default_rng(0).choice(len(whole), size=most, replace=False))
    return Represented(
        tuple(whole.places[row] for row in drawn.tolist()),
        whole.sparse[drawn],
        None if whole.dense is None else whole.dense[drawn],
        whole.types,
        whole.digest,
    )


def _with_page_vectors(part: Represented) -> Represented:
    return Represented(part.places, for_page(part.sparse), part.dense, part.types, part.digest)


def _island(part: Represented) -> dict[str, Any]:
    return {
        "types": _base64(part.sparse.types.astype("<u4")),
        "values": _base64(packed(part.sparse.values)),
        "labels": part.labels,
        "texts": [place.text for place in part.places],
    }


def _base64(array: npt.NDArray[Any]) -> str:
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()


def _bits(values: Sequence[bool]) -> list[int]:
    return [int(value) for value in values]

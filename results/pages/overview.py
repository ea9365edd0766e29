"""results/README.md: every accuracy figure, a section per protocol, paper or probe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pages.accuracy import accuracy_table, parts_table, types_table
from pages.bier import PROTOCOLS as OF_BIER
from pages.bier import bier_section
from pages.dual_encoder_paper import INTRODUCTION, collective_tables
from pages.kebiolm import PROBE, kebiolm_section
from pages.kebiolm import PROTOCOLS as OF_KEBIOLM
from pages.markdown import Result
from pages.multitask_paper import INTRODUCTION as ABOUT_MULTITASK
from pages.multitask_paper import multitask_tables
from pages.probes import embedding_section, probe_section

_END_TO_END: Final = {"bc5cdr": "BC5CDR test", "biored": "BioRED dev"}


def render_overview(results: Mapping[str, Result]) -> str:
    """The page, from every result by its file's stem."""
    lines = [
        "# What was measured",
        "",
        "`holdfast reproduce` writes the JSON files beside this page: every figure, the commit,",
        "the machine and the digests. `make results` makes this page from them. Brackets hold 95 %",
        "bootstrap intervals; [evaluation](../docs/evaluation.md) says what the protocols count.",
    ]
    protocols = dict.fromkeys(r["protocol"] for r in results.values() if "recipe" in r)
    for protocol in (name for name in protocols if name not in {*OF_BIER, *OF_KEBIOLM}):
        chosen = [r for r in results.values() if r.get("protocol") == protocol and "recipe" in r]
        lines += ["", f"## {protocol}", "", *accuracy_table(chosen)]
    if tables := collective_tables(results):
        lines += ["", "## The tables of the dual-encoder paper", "", INTRODUCTION, *tables]
    if tables := multitask_tables(results):
        lines += ["", "## Table 2 of the multi-task paper", "", ABOUT_MULTITASK, *tables]
    if section := bier_section(results):
        lines += ["", *section]
    if section := kebiolm_section(results):
        lines += ["", *section]
    for corpus, words in _END_TO_END.items():
        if table := types_table(results, corpus):
            lines += ["", f"## End to end, by type: {words}", "", *table]
    if parts := parts_table(results):
        lines += ["", "## What each part of the linker gives", "", *parts]
    for measured in (r for r in results.values() if r.get("probe") not in (None, PROBE)):
        lines += ["", *probe_section(measured)]
    for measured in (r for r in results.values() if "comparison" in r):
        lines += ["", *embedding_section(measured)]
    return "\n".join(lines) + "\n"

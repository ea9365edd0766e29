"""What was measured, on disk: one JSON per recipe or benchmark, and Markdown made from them.

Every JSON says what it was measured with: commit, machine, seed, knowledge base and digests. The
tables of results/README.md and of the project's README are made from these files alone.
"""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from holdfast.evaluate import embedding_probe
from holdfast.evaluate.collective_tables import collective_tables
from holdfast.evaluate.probes import COLUMNS, NOTE, TITLES, probe_caption, probe_rows
from holdfast.evaluate.tables import (
    SHIPPED,
    accuracy_table,
    markdown_table,
    parts_table,
    readme_tables,
    shipped_figures,
    types_table,
)
from holdfast.experiments.outcome import Outcome
from holdfast.experiments.recipe import Recipe
from holdfast.models import MEASURED, manifest_of

_WEIGHTS: Final = "src/holdfast/weights"  # beside the folder of results, in a checkout
_END_TO_END: Final = {"bc5cdr": "BC5CDR test", "biored": "BioRED dev"}
_COLLECTIVE: Final = (
    "MiniLM where the paper has BioBERT, five times as large; what the paper reports is in "
    "round brackets. Figures are over the mentions whose entity is in the knowledge base. So "
    "are the paper's of given mentions, it seems: on BC5CDR its recall at 10 is a little "
    "above the share of mentions that have one here, though its count of mentions is of all. "
    "What says “of all” is over every "
    "mention, “normalised” over those whose entity is among the candidates; over which the "
    "paper's found mentions are, it does not say. †: the answer is always among the "
    "candidates. Dual encoders learn from random and hard negatives, on MedMentions and in "
    "one pass from all entities, unless a row says random ones. What begins with what: one "
    "pass with the encoder of the detector, which nine corpora taught (without any evaluated "
    "document), and with the entity encoder of the collective row; all dual encoders of "
    "MedMentions with those of BC5CDR. Cross-encoders, BLINK's too, had 800 steps of four "
    "mentions with four candidates each, and read 16 tokens to each side: they show what pairs "
    "cost, not what they can do. MedType was not run."
)
_TABLE: Final = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def outcome_to_json(recipe: Recipe, outcome: Outcome) -> dict[str, Any]:
    """The recipe's report, flat, with its circumstances; further protocols under `also`."""
    first, *others = (report.to_json() for report in outcome.reports)
    kb = outcome.kb
    return {
        "recipe": recipe.name,
        "title": recipe.title,
        "corpus": recipe.measured.corpus,
        "split": recipe.measured.split,
        "model": list(outcome.model),
        "index": recipe.measured.index or None,
        "training_names": list(recipe.training_names),
        **first,
        "kb": kb.name if kb else "the protocol's own dictionary",
        "kb_entities": len(kb) if kb else None,
        "kb_names": kb.names if kb else None,
        "kb_digest": kb.manifest.digest if kb else None,
        "model_digest": outcome.model_digest,
        "references": [{"by": r.by, "differs": r.differs, **r.figures} for r in recipe.references],
        "also": others,
        **circumstances(),
    }


def circumstances() -> dict[str, str]:
    """The commit and the machine, never a host or a path."""
    return {"commit": _commit(), "machine": _machine()}


def write_result(data: Mapping[str, Any], folder: Path, name: str) -> Path:
    """One file of results/, whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    temporary = path.with_suffix(".json.part")
    temporary.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    temporary.replace(path)
    return path


def read_results(folder: Path) -> dict[str, dict[str, Any]]:
    """Every result by its file's stem."""
    return {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob("*.json"))
    }


def write_pages(folder: Path) -> None:
    """Make results/README.md anew, the README's tables, and what the package says of its models.

    The last two only where they are: beside the folder of results.
    """
    results = read_results(folder)
    (folder / "README.md").write_text(render(results), encoding="utf-8")
    readme = folder.parent / "README.md"
    if readme.exists():
        text = readme.read_text(encoding="utf-8")
        readme.write_text(fill_tables(text, readme_tables(results)), encoding="utf-8")
    weights = folder.parent / _WEIGHTS
    if weights.is_dir():
        digests = {name: manifest_of(weights / name).digest for name in SHIPPED}
        figures = json.dumps(shipped_figures(results, digests), indent=2) + "\n"
        (weights / MEASURED).write_text(figures, encoding="utf-8")


def render(results: Mapping[str, Mapping[str, Any]]) -> str:
    """The page of all accuracy results, a table per protocol."""
    lines = [
        "# What was measured",
        "",
        "Written by `holdfast reproduce`; the JSON files beside this page hold every figure, the",
        "commit, the machine and the digests. Brackets hold 95 % bootstrap intervals.",
    ]
    protocols = dict.fromkeys(r["protocol"] for r in results.values() if "recipe" in r)
    for protocol in protocols:
        chosen = [r for r in results.values() if r.get("protocol") == protocol and "recipe" in r]
        lines += ["", f"## {protocol}", "", *accuracy_table(chosen)]
    if tables := collective_tables(results):
        lines += ["", "## The tables of the dual-encoder paper", "", _COLLECTIVE, *tables]
    for corpus, words in _END_TO_END.items():
        if table := types_table(results, corpus):
            lines += ["", f"## End to end, by type: {words}", "", *table]
    if parts := parts_table(results):
        lines += ["", "## What each part of the linker gives", "", *parts]
    for measured in (r for r in results.values() if "probe" in r):
        table = markdown_table(COLUMNS, probe_rows(measured))
        caption = f"{TITLES[measured['probe']]}. {probe_caption(measured)}"
        lines += ["", f"## probe {measured['probe']}", "", caption, "", *table, "", NOTE]
    for measured in (r for r in results.values() if "comparison" in r):
        table = markdown_table(embedding_probe.COLUMNS, embedding_probe.embedding_rows(measured))
        caption = f"{embedding_probe.TITLE}. {embedding_probe.embedding_caption(measured)}"
        name = f"## probe {measured['comparison']}"
        lines += ["", name, "", caption, "", *table, "", embedding_probe.NOTE]
    return "\n".join(lines) + "\n"


def fill_tables(text: str, tables: Mapping[str, Sequence[str]]) -> str:
    """The text with what stands between `<!-- table: NAME -->` and `<!-- end -->` made anew."""

    def filled(match: re.Match[str]) -> str:
        lines = tables.get(match[2])
        return match[0] if lines is None else match[1] + "\n".join(lines) + "\n" + match[3]

    return _TABLE.sub(filled, text)


def _commit() -> str:
    """The commit, and whether the code (results and what is made from them aside) was changed."""
    here = Path(__file__).parent
    head = _git("rev-parse", "--short=12", "HEAD", folder=here)
    if head is None:
        return "not a checkout"
    code = ("..", f":(exclude)../weights/{MEASURED}")
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", *code, folder=here)
    return f"{head}-dirty" if changed else head


def _git(*arguments: str, folder: Path) -> str | None:
    """What git prints; None where there is no git or no checkout."""
    command = ["git", *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def _machine() -> str:
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        found = re.search(r"model name\s*:\s*(.+)", cpuinfo.read_text(encoding="utf-8"))
        model = found[1].strip() if found else model
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{model}, {os.cpu_count()} cores, {memory:.0f} GiB"

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
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from holdfast.evaluate.probes import COLUMNS, NOTE, TITLES, probe_caption, probe_rows
from holdfast.evaluate.recipe import Recipe
from holdfast.evaluate.run import Outcome
from holdfast.types import TYPES

_TABLE: Final = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_IN_README: Final = (
    "names-ncbi",
    "names-bc5cdr-disease",
    "names-bc5cdr-chemical",
    "strict-ncbi-ranked-training",
    "strict-bc5cdr-disease-ranked-training",
    "strict-bc5cdr-chemical-ranked-training",
    "strict-ncbi-ranked",
    "strict-bc5cdr-disease-ranked",
    "strict-bc5cdr-chemical-ranked",
    "linker-biored",
    "nil-bc5cdr-disease",
    "lenient-ncbi-ngram",
    "lenient-bc5cdr-disease-ngram",
    "lenient-bc5cdr-chemical-ngram",
    "strong-bc5cdr-default",
    "strong-bc5cdr-dictionary",
    "abbreviations-med1250",
)
_HEADLINE: Final = ("accuracy_at_1", "f1")
_PROBABILITIES: Final = {"calibration_error": "calibration error", "nil_auroc": "NIL AUROC"}


def outcome_to_json(recipe: Recipe, outcome: Outcome) -> dict[str, Any]:
    """The recipe's report, flat, with its circumstances; further protocols under `also`."""
    first, *others = (report.to_json() for report in outcome.reports)
    kb = outcome.kb
    return {
        "recipe": recipe.name,
        "title": recipe.title,
        "corpus": recipe.corpus,
        "split": recipe.split,
        "linker": recipe.linker,
        "detector": recipe.detector or None,
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
    """Make results/README.md anew, and the tables of the README beside that folder."""
    results = read_results(folder)
    (folder / "README.md").write_text(render(results), encoding="utf-8")
    readme = folder.parent / "README.md"
    if readme.exists():
        text = readme.read_text(encoding="utf-8")
        readme.write_text(fill_tables(text, readme_tables(results)), encoding="utf-8")


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
    for measured in (r for r in results.values() if "probe" in r):
        table = markdown_table(COLUMNS, probe_rows(measured))
        caption = f"{TITLES[measured['probe']]}. {probe_caption(measured)}"
        lines += ["", f"## probe {measured['probe']}", "", caption, "", *table, "", NOTE]
    return "\n".join(lines) + "\n"


def readme_tables(results: Mapping[str, Mapping[str, Any]]) -> dict[str, list[str]]:
    """The tables that the project's README shows, by the name in its marks."""
    chosen = (results[name] for name in _IN_README if name in results)
    tables = {"accuracy": accuracy_table(chosen)}
    if "bench-pipeline" in results:
        tables["speed"] = speed_table(results["bench-pipeline"])
    return tables


def speed_table(measured: Mapping[str, Any]) -> list[str]:
    """The pipeline at several sizes of vocabulary, and the start of a fresh process."""
    rows = [
        (
            f"{point['kb_names']:,}",
            f"{point['documents_per_second']:,.0f}",
            f"{point['p50_milliseconds']:.1f} / {point['p99_milliseconds']:.1f}",
            f"{point['load_milliseconds']:.0f}",
            f"{point['kb_megabytes']:,.0f}",
        )
        for point in (*measured["growth"], measured)
    ]
    header = ("names", "documents/s", "p50 / p99 ms", "load ms", "on disk MB")
    start = (
        f"A fresh `holdfast link TEXT --json` over {measured['start_kb_names']:,} names answers in "
        f"{measured['start_seconds']:.2f} s with {measured['start_peak_megabytes']:.0f} MB of "
        f"memory at most ({measured['machine']})."
    )
    return [*markdown_table(header, rows), "", start]


def accuracy_table(results: Iterable[Mapping[str, Any]]) -> list[str]:
    """One row per recipe: ours with its interval, its size, and the references beside it."""
    rows = [
        (
            f"`{r['recipe']}`",
            r["title"],
            _figure(r),
            f"{r['n_scored']:,}" if "n_scored" in r else "",
            f"{r['kb']}" + (f" ({r['kb_names']:,} names)" if r["kb_names"] else ""),
            "; ".join(_reference(ref) for ref in r["references"]),
        )
        for r in results
    ]
    return markdown_table(("recipe", "what", "ours", "n", "knowledge base", "beside"), rows)


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(header)} |", f"|{'---|' * len(header)}"]
    return lines + [f"| {' | '.join(row)} |" for row in rows]


def fill_tables(text: str, tables: Mapping[str, Sequence[str]]) -> str:
    """The text with what stands between `<!-- table: NAME -->` and `<!-- end -->` made anew."""

    def filled(match: re.Match[str]) -> str:
        lines = tables.get(match[2])
        return match[0] if lines is None else match[1] + "\n".join(lines) + "\n" + match[3]

    return _TABLE.sub(filled, text)


def _figure(result: Mapping[str, Any]) -> str:
    name = next(name for name in _HEADLINE if name in result)
    low, high = 100 * result[f"{name}_low"], 100 * result[f"{name}_high"]
    said = [f"{name} **{100 * result[name]:.1f}** [{low:.1f}, {high:.1f}]"]
    for type in (t.lower() for t in TYPES if f"accuracy_at_1_{t.lower()}" in result):
        said.append(f"{type} {100 * result[f'accuracy_at_1_{type}']:.1f}")
    said += [f"{what} {result[key]:.3f}" for key, what in _PROBABILITIES.items() if key in result]
    return "; ".join(said)


def _reference(reference: Mapping[str, Any]) -> str:
    figures = ", ".join(
        f"{100 * value:.1f}" for value in reference.values() if isinstance(value, float)
    )
    note = f" ({reference['differs']})" if reference.get("differs") else ""
    return f"{figures} {reference['by']}{note}"


def _commit() -> str:
    """The commit, and whether the code (results and pages aside) was changed since."""
    here = Path(__file__).parent
    head = _git("rev-parse", "--short=12", "HEAD", folder=here)
    if head is None:
        return "not a checkout"
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", "..", folder=here)
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

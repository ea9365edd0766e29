"""What was measured, on disk: one JSON file per recipe or benchmark.

Every file says what it was measured with: commit, machine, seed, knowledge base and digests.
"""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from holdfast.experiments.outcome import Outcome
from holdfast.experiments.recipe import Recipe
from holdfast.models import MEASURED


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
        **({"history": list(outcome.history)} if outcome.history else {}),
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

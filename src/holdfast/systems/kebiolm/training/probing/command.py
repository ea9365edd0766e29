"""What `holdfast probe knowledge` runs: opens everything by name and asks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from holdfast import artifacts
from holdfast.kb.store import open_kb
from holdfast.models import find_model, manifest_of
from holdfast.progress import Progress
from holdfast.systems.kebiolm.knowledge.vectors import KnowledgeVectors
from holdfast.systems.kebiolm.training.pretraining.saved import open_knowledge
from holdfast.systems.kebiolm.training.probing.probe import KnowledgeProbeConfig, probe_knowledge
from holdfast.training.precision import usable_precision


def probe_model(
    model: str, kb: str, triples: str, options: dict[str, Any], *, progress: Progress
) -> dict[str, Any]:
    """Probe a pre-trained model; answers are kept in the home folder until all are there."""
    folder, vectors = find_model(model), find_model(triples)
    base = open_kb(kb)
    options = {**options, "precision": usable_precision(options["precision"])}
    config = replace(KnowledgeProbeConfig(), **options)
    key = "-".join(manifest_of(each).digest[:8] for each in (folder, vectors))
    size = "-".join(str(options[name]) for name in ("masks", "beam", "precision"))
    work = artifacts.home() / "probes" / f"knowledge-{key}-{size}.jsonl"
    measured = probe_knowledge(
        KnowledgeVectors.open(vectors),
        open_knowledge(folder),
        base,
        config,
        work=work,
        progress=progress,
    )
    return {
        "probe": "knowledge",
        "model": folder.name,
        "model_digest": manifest_of(folder).digest,
        "reference": {"by": "KeBioLM paper, UMLS", "recall_at_5": 0.0326},
        **measured,
    }

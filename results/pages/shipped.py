"""The figures that `holdfast models` shows of the models that ship."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pages.markdown import Result, headline_key

SHIPPED: Final = {
    "detector": {
        "strong-bc5cdr-default": "BC5CDR test, strong F1 with the linker",
        "strong-biored-default": "BioRED dev, strong F1 with the linker",
    },
    "linker": {"linker-biored": "BioRED dev, strict accuracy"},
    "encoder": {
        "names-ncbi": "NCBI test, lenient accuracy with a ranker",
        "names-bc5cdr-disease": "BC5CDR test, diseases",
        "names-bc5cdr-chemical": "BC5CDR test, chemicals",
    },
}
"""Model folder -> recipe -> what `holdfast models` calls the recipe's figure."""


def shipped_figures(
    results: Mapping[str, Result], digests: Mapping[str, str]
) -> dict[str, dict[str, float]]:
    """What was measured of the models that ship, by model folder: the words, and the figure.

    `digests` are those of the folders now: figures of other weights are left out. Figures of the
    name encoder are kept in any case; they belong to a ranker fitted with it, whose digest the
    result has instead.
    """
    return {
        folder: {
            words: round(float(results[recipe][headline_key(results[recipe])]), 4)
            for recipe, words in wanted.items()
            if recipe in results
            and (folder == "encoder" or digests[folder] in (results[recipe]["model_digest"] or ""))
        }
        for folder, wanted in SHIPPED.items()
    }

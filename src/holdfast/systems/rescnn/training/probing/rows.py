"""The rows that a probe measures: one per linker and setting, with the paper's figures beside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from holdfast.evaluate.report import Report

RESCNN: Final = "ResCNN"
TRANSFORMER: Final = "MiniLM"
AS_IS: Final = "as it is"

NOTE: Final = (
    "The paper's figures (Lai, Ji and Zhai 2021, NCBI-disease) are of other models: beside MiniLM "
    "stand SapBERT fine-tuned on the corpus (table 1, dev) and BioSyn (table 2, test), both with "
    "110M parameters pretrained on PubMed; beside ResCNN, ResCNN with max pooling and PubMedBERT's "
    "token embeddings (table 5, dev; table 3, test, trained on train and dev). Ours start from "
    "MiniLM, a general encoder, and learn from the train split alone, for a few minutes."
)


@dataclass(frozen=True, slots=True)
class Published:
    """Accuracy at 1 on NCBI-disease, in [0, 1]."""

    dev: float
    test: float


# By linker and setting. The paper probes transformers only.
PAPER: Final = {
    (RESCNN, AS_IS): Published(0.950, 0.924),
    (TRANSFORMER, AS_IS): Published(0.911, 0.907),
    (TRANSFORMER, "shuffled unigrams"): Published(0.882, 0.670),
    (TRANSFORMER, "shuffled bigrams"): Published(0.891, 0.777),
    (TRANSFORMER, "shuffled trigrams"): Published(0.905, 0.827),
    (TRANSFORMER, "window of 3"): Published(0.911, 0.810),
    (TRANSFORMER, "window of 5"): Published(0.912, 0.788),
}


@dataclass(frozen=True, slots=True)
class ProbeRow:
    """A linker in one setting."""

    linker: str
    setting: str
    report: Report  # by the lenient protocol
    base: float  # the linker's accuracy at 1 as it is

    def to_json(self) -> dict[str, Any]:
        """Fractions in [0, 1]; `change` is relative to the linker as it is, as in the paper."""
        accuracy = self.report.figures["accuracy_at_1"]
        paper = PAPER.get((self.linker, self.setting))
        return {
            "linker": self.linker,
            "setting": self.setting,
            "accuracy_at_1": accuracy.value,
            "accuracy_at_1_low": accuracy.low,
            "accuracy_at_1_high": accuracy.high,
            "change": accuracy.value / self.base - 1 if self.base else 0.0,
            "paper_dev": paper.dev if paper else None,
            "paper_test": paper.test if paper else None,
        }

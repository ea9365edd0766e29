"""What a probe measured, as tables: how a linker does when its input or its sight is spoilt.

A probe's JSON has a row per linker and setting; the paper's figures stand beside them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from holdfast.evaluate.report import Report

if TYPE_CHECKING:
    from rich.table import Table

RESCNN: Final = "ResCNN"
TRANSFORMER: Final = "MiniLM"
AS_IS: Final = "as it is"

TITLES: Final = {
    "word-order": "Word order: tokens of mentions and names shuffled, after training in order",
    "attention-window": "Attention window: limited when linking, after training with all of it",
}
COLUMNS: Final = ("linker", "setting", "accuracy@1", "change", "paper, dev", "paper, test")
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


def probe_rows(measured: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """The cells of a probe's table, by COLUMNS, from its JSON."""
    for row in measured["rows"]:
        low, high = 100 * row["accuracy_at_1_low"], 100 * row["accuracy_at_1_high"]
        yield (
            row["linker"],
            row["setting"],
            f"{100 * row['accuracy_at_1']:.1f} [{low:.1f}, {high:.1f}]",
            "" if row["setting"] == AS_IS else f"{100 * row['change']:+.1f} %",
            *(
                "" if row[column] is None else f"{100 * row[column]:.1f}"
                for column in ("paper_dev", "paper_test")
            ),
        )


def probe_caption(measured: Mapping[str, Any]) -> str:
    """What was measured on what, in one line."""
    return (
        f"NCBI-disease {measured['split']}, lenient, {measured['n_scored']:,} mentions against "
        f"{measured['dictionary_names']:,} names; trained on {measured['training_pairs']:,} "
        f"mentions of train for {measured['steps']} steps, seed {measured['seed']}."
    )


def probe_table(measured: Mapping[str, Any]) -> Table:
    """For people, in a terminal."""
    return table_of(
        TITLES[measured["probe"]],
        COLUMNS,
        probe_rows(measured),
        caption=f"{probe_caption(measured)} {NOTE}",
    )


def table_of(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    caption: str,
    words: int = 2,  # columns that come before those of figures
) -> Table:
    """A table for a terminal; where it is narrow, words are broken into lines, figures never."""
    from rich.table import Table

    table = Table(
        title=title,
        caption=caption,
        title_justify="left",
        caption_justify="left",
    )
    for column in columns[:words]:
        table.add_column(column)
    for column in columns[words:]:
        table.add_column(column, justify="right", no_wrap=True)
    for cells in rows:
        table.add_row(*cells, end_section=False)
    return table
